"""Who takes part in compare.py: how each contestant is found, built and started, and in which environment.

Ours runs in a plain environment. A peer gets the best one known for it: an allocator that keeps memory and uses huge
pages, one thread pool, OpenBLAS on OpenMP where it brings no BLAS of its own, and the flavours of its own code that
were measured to be fastest (README.md says which were tried).
"""

import dataclasses
import glob
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CACHE = ROOT / "build" / "bench-peers"
DEBIAN_PYTHON = "/usr/bin/python3"  # the one that sees Debian's packages, whatever comes first in PATH
DEBIAN_PACKAGES = ["python3-torch", "libtorch-dev", "zlib1g-dev", "dataset-fashion-mnist", "g++", "python3-venv"]
DEBIAN_TORCH_HEADERS = pathlib.Path("/usr/include/torch/csrc/api/include")

# What a user's shell may have set and what would make one contestant's run differ from another's.
TUNING_PREFIXES = ("OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "GLIBC_TUNABLES", "MALLOC_", "LD_PRELOAD")
KEEP_MEMORY = "glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296"
HUGE_PAGES = "glibc.malloc.top_pad=67108864:glibc.malloc.hugetlb=1"

OURS = ("renkei", "floor")


@dataclasses.dataclass
class Contestant:
    name: str
    family: str  # renkei, floor, pytorch or libtorch
    command: list[str]
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    flavours: dict[str, list[str]] = dataclasses.field(default_factory=dict)  # extra arguments by workload
    missing: str = ""  # why it cannot run

    def command_for(self, workload, threads, epoch):
        command = [*self.command, "--only", workload, "--threads", str(threads), *self.flavours.get(workload, [])]
        return command + ["--epoch"] if epoch else command

    def environment_for(self, threads):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(TUNING_PREFIXES)}
        if self.family not in OURS:
            environment |= {"OMP_NUM_THREADS": str(threads), "GLIBC_TUNABLES": f"{KEEP_MEMORY}:{HUGE_PAGES}"}
        return environment | self.environment


def find(ours, data_dir, seconds, newest_venv=None):
    """All contestants, those that cannot run included. newest_venv: None leaves the newest PyTorch out."""
    renkei = Contestant("renkei", "renkei", [str(ours), "--device", "cpu", "--json"])
    floor = Contestant("floor", "floor", [*renkei.command, "--floor"])
    if not os.access(ours, os.X_OK):
        renkei.missing = floor.missing = f"{ours} is not there; build the project first"

    options = ["--data-dir", str(data_dir), "--seconds", str(seconds)]
    data = sorted(pathlib.Path(data_dir).glob("train-*-ubyte.gz"))
    no_data = "" if len(data) == 2 else f"no Fashion-MNIST in {data_dir}; package dataset-fashion-mnist has it"
    peers = debian_peers(options) + (newest_peers(options, pathlib.Path(newest_venv)) if newest_venv else [])
    for peer in peers:
        peer.missing = peer.missing or no_data
    return [renkei, floor, *peers]


def debian_peers(options):
    blas = openblas_on_openmp()
    no_blas = "" if blas else "no OpenBLAS on OpenMP; --install unpacks it"
    environment = {"LD_LIBRARY_PATH": blas or ""}

    script = [DEBIAN_PYTHON, str(HERE / "peers" / "torch_bench.py"), *options]
    flavours = {"W1": ["--optimizer", "foreach"], "W2": ["--optimizer", "loop"], "W3": ["--optimizer", "loop"]}
    pytorch = Contestant("pytorch debian", "pytorch", script, environment, flavours, no_blas)
    if not pytorch.missing and not imports_torch(DEBIAN_PYTHON):
        pytorch.missing = "package python3-torch is not installed"

    libtorch = Contestant("libtorch debian", "libtorch", [], environment, {}, no_blas)
    if not libtorch.missing and not (DEBIAN_TORCH_HEADERS / "torch" / "torch.h").exists():
        libtorch.missing = "package libtorch-dev is not installed"
    return [pytorch, build_libtorch(libtorch, options, "c++17", [DEBIAN_TORCH_HEADERS])]


def newest_peers(options, venv):
    python = venv / "bin" / "python"
    why = "" if imports_torch(python) else f"no torch in {venv}; --newest --install makes it (several GB)"

    script = [str(python), str(HERE / "peers" / "torch_bench.py"), *options]
    flavours = {"W1": ["--optimizer", "fused"], "W2": ["--optimizer", "fused"], "W3": ["--optimizer", "loop"]}
    pytorch = Contestant("pytorch newest", "pytorch", script, {}, flavours, why)

    libtorch = Contestant("libtorch newest", "libtorch", [], {}, {}, why)
    torch = next(iter(venv.glob("lib/python3*/site-packages/torch")), venv)
    includes = [torch / "include", torch / "include" / "torch" / "csrc" / "api" / "include"]
    return [pytorch, build_libtorch(libtorch, options, "c++20", includes, torch / "lib")]


def imports_torch(python):
    """Whether this interpreter has torch; importing it for real would take seconds."""
    probe = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
    return os.access(python, os.X_OK) and subprocess.run([str(python), "-c", probe]).returncode == 0


def openblas_on_openmp():
    """The folder with OpenBLAS's libblas.so.3 on OpenMP, or None."""
    for root in ["/", CACHE / "openblas"]:
        for folder in glob.glob(f"{root}/usr/lib/*/openblas-openmp"):
            if os.path.exists(f"{folder}/libblas.so.3"):
                return folder
    return None


def build_libtorch(contestant, options, standard, includes, libraries=None):
    if contestant.missing:
        return contestant
    source = HERE / "peers" / "libtorch_bench.cc"
    binary = CACHE / contestant.name.replace(" ", "-")
    if not binary.exists() or binary.stat().st_mtime < source.stat().st_mtime:
        binary.parent.mkdir(parents=True, exist_ok=True)
        print(f"compiling {source.name} for {contestant.name}", file=sys.stderr)
        paths = [f"-I{folder}" for folder in includes]
        if libraries:
            paths += [f"-L{libraries}", f"-Wl,-rpath,{libraries}"]
        command = ["g++", f"-std={standard}", "-O2", "-w", *paths, str(source), "-o", str(binary)]
        try:
            done = subprocess.run(command + ["-ltorch_cpu", "-lc10", "-lz"], capture_output=True, text=True)
        except FileNotFoundError:
            contestant.missing = "no g++ to compile it"
            return contestant
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if "error" in line]
            contestant.missing = f"does not compile: {(errors or done.stderr.splitlines() or ['?'])[0]}"
            return contestant
    contestant.command = [str(binary), *options]
    return contestant


def install(newest_venv=None):
    """Installs what the peers need. The system's default BLAS stays as it is: OpenBLAS is only unpacked."""

    def run(*command, **options):
        print("+", *command, file=sys.stderr)
        subprocess.run(command, check=True, stdout=sys.stderr, **options)

    run("apt-get", "install", "-y", "--no-install-recommends", *DEBIAN_PACKAGES)
    if not openblas_on_openmp():
        folder = CACHE / "openblas"
        folder.mkdir(parents=True, exist_ok=True)
        run("apt-get", "download", "libopenblas0-openmp", cwd=folder)
        run("dpkg", "-x", str(next(folder.glob("*.deb"))), str(folder))
    if newest_venv and not imports_torch(pathlib.Path(newest_venv) / "bin" / "python"):
        run(DEBIAN_PYTHON, "-m", "venv", str(newest_venv))
        run(str(pathlib.Path(newest_venv) / "bin" / "pip"), "install", "torch")
