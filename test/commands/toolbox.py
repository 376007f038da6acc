"""What the tests of the programs share: tiny data sets, npz files without NumPy, running a program, counting checks."""
import gzip
import hashlib
import json
import pathlib
import random
import struct
import subprocess
import sys
import zipfile

SIDE, CLASSES = 8, 10  # images of 8 x 8 pixels: the programs take any size, and this one is quick
PARTS = ["train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"]


class Checks:
    """Counts checks; the last line that finish() prints is the one that test/count.py reads."""

    def __init__(self) -> None:
        self.passed = self.failed = 0

    def __call__(self, holds: object, what: str, details: object = "") -> bool:
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {what}" + (f"\n  {details}" if details != "" else ""), flush=True)
        return bool(holds)

    def finish(self) -> None:
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed else 0)


def idx_images(count: int, seed: int = 1) -> bytes:
    """Noise around one pattern per class, so that there is something to learn."""
    rng = random.Random(seed)
    pixels = bytearray()
    for i in range(count):
        label = i % CLASSES
        pixels += bytes((label * 23 + 7 * k * (label + 1) + rng.randrange(40)) % 256 for k in range(SIDE * SIDE))
    return struct.pack(">iiii", 0x803, count, SIDE, SIDE) + pixels


def idx_labels(count: int) -> bytes:
    return struct.pack(">ii", 0x801, count) + bytes(i % CLASSES for i in range(count))


def make_data(folder: pathlib.Path, train: int = 40, test: int = 20, replace: dict[int, bytes] | None = None,
              packed: bool = False) -> pathlib.Path:
    """The four files of a data set; `replace` gives other bytes for some of PARTS by their index."""
    folder.mkdir(parents=True)
    contents = [idx_images(train), idx_labels(train), idx_images(test, 2), idx_labels(test)]
    for k, name in enumerate(PARTS):
        content = contents[k]
        if packed:
            name, content = name + ".gz", gzip.compress(content)
        (folder / name).write_bytes((replace or {}).get(k, content))
    return folder


def run(program: pathlib.Path, *arguments: object, timeout: float = 240, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL, errors="replace", **options)


def write_npz(path: pathlib.Path, arrays: dict[str, tuple[tuple[int, ...], list[float]]]) -> pathlib.Path:
    """float32 arrays given as (shape, values), as numpy.savez stores them."""
    with zipfile.ZipFile(path, "w") as archive:
        for key, (shape, values) in arrays.items():
            header = str({"descr": "<f4", "fortran_order": False, "shape": shape})
            header += " " * ((64 - (len(header) + 11) % 64) % 64) + "\n"
            archive.writestr(key + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                             + struct.pack(f"<{len(values)}f", *values))
    return path


def model_arrays(inputs: int, units: int, outputs: int = CLASSES) -> dict[str, tuple[tuple[int, ...], list[float]]]:
    """The parameters of train_mnist's model with small weights."""
    rng, arrays = random.Random(5), {}
    for name, shape in [("l1", (units, inputs)), ("l2", (units, units)), ("l3", (outputs, units))]:
        arrays[f"predictor/{name}/W"] = (shape, [rng.uniform(-0.2, 0.2) for _ in range(shape[0] * shape[1])])
        arrays[f"predictor/{name}/b"] = ((shape[0],), [0.0] * shape[0])
    return arrays


def members(path: pathlib.Path) -> dict[str, bytes]:
    """Key to the bytes of its .npy; reading checks the checksum of each."""
    with zipfile.ZipFile(path) as archive:
        return {name.removesuffix(".npy"): archive.read(name) for name in archive.namelist()}


def text_in(npy: bytes) -> str:
    """The string in a scalar .npy of type <U."""
    return npy[10 + struct.unpack("<H", npy[8:10])[0]:].decode("utf-32-le")


def without_time(log: str) -> list[dict]:
    """Rows of a log less the one value that differs from run to run."""
    return [{key: value for key, value in row.items() if key != "elapsed_time"} for row in json.loads(log)]


def state(snapshot: pathlib.Path) -> dict[str, object]:
    """Everything in a snapshot that has to be equal when two runs are: all but the clock."""
    content: dict[str, object] = dict(members(snapshot))
    del content["_snapshot_elapsed_time"]
    for key in [key for key in content if key.endswith("/_log")]:
        content[key] = without_time(text_in(content[key]))
    return content


def differences(a: dict[str, object], b: dict[str, object]) -> list[str]:
    return sorted(key for key in a.keys() | b.keys() if a.get(key) != b.get(key))


def fingerprint(folder: pathlib.Path) -> dict[str, str]:
    """Every file below the folder and the sum of its bytes."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file()}
