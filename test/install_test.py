"""What `meson install` puts in place is enough for a user: every header compiles on its own, and a program compiles
with what pkg-config says and runs. Prints how long a script takes to compile. install_test.py BUILD_DIR SOURCE_DIR"""
import concurrent.futures
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

from commands.toolbox import Checks

BUILD, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
COMPILER = [*os.environ.get("CXX", "g++").split(), "-std=c++20"]
check = Checks()


def call(*command: object, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)


def pkg_config(root: pathlib.Path, *flags: str) -> list[str]:
    found = sorted(root.rglob("renkei.pc"))
    if not check(len(found) == 1, "one pkg-config file is installed", found):
        return []
    search = {"PKG_CONFIG_PATH": str(found[0].parent), "PKG_CONFIG_SYSROOT_DIR": str(root)}
    result = call("pkg-config", *flags, "renkei", env={**os.environ, **search})
    check(result.returncode == 0, f"pkg-config {' '.join(flags)}", result.stderr)
    return result.stdout.split()


def proven_by_build() -> set[pathlib.Path]:
    """Headers that a .cc file includes before anything else: the build has compiled them on their own already."""
    sources = [path for top in ("lib", "trainer", "extensions", "test") for path in SOURCE.joinpath(top).rglob("*.cc")]
    firsts = [re.search(r"^#include <(renkei/.*)>$", path.read_text(), re.MULTILINE) for path in sources
              if path.read_text().find("#include") == path.read_text().find("#include <renkei/")]
    return {pathlib.Path(first[1]) for first in firsts if first}


def compile_alone(header: pathlib.Path, include: pathlib.Path, flags: list[str], scratch: pathlib.Path) -> str:
    """The complaints of the compiler about a file that includes nothing else, with warnings as errors."""
    source = scratch / (str(header).replace("/", "_") + ".cc")
    source.write_text(f"#include <{header}>\n#include <{header}>\n")
    return call(*COMPILER, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", f"-I{include}", *flags, source).stderr


def headers(include: pathlib.Path, flags: list[str], scratch: pathlib.Path) -> None:
    installed = sorted(path.relative_to(include) for path in include.rglob("*.h"))
    in_tree = [path for top in ("lib", "trainer", "extensions") for path in SOURCE.joinpath(top).rglob("*.h")]
    expected = {pathlib.Path("renkei", path.relative_to(SOURCE)) for path in in_tree} | {pathlib.Path("renkei/renkei.h")}
    check(set(installed) == expected, "every header is installed", set(installed) ^ expected)
    left = [header for header in installed if header not in proven_by_build()]
    print(f"{len(installed)} headers are installed; compiling {len(left)} of them")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for header, errors in zip(left, pool.map(lambda h: compile_alone(h, include, flags, scratch), left)):
            check(errors == "", f"{header} compiles on its own", errors[:2000])


def program(root: pathlib.Path, compile_flags: list[str], link_flags: list[str], scratch: pathlib.Path) -> None:
    source, binary = SOURCE / "apps" / "train_mnist.cc", scratch / "train_mnist"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = call(*COMPILER, "-O2", "-c", *compile_flags, source, "-o", scratch / "train_mnist.o")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{source.name} compiles at -O2 in {seconds:.2f} s of processor time")
    check(result.returncode == 0, "the program compiles unchanged with the flags of pkg-config", result.stderr[:2000])
    result = call(*COMPILER, scratch / "train_mnist.o", "-o", binary, *link_flags)
    if not check(result.returncode == 0, "and links", result.stderr[:2000]):
        return
    folders = ":".join(sorted({str(path.parent) for path in root.rglob("librenkei.so*")}))
    result = call(binary, "--help", env={**os.environ, "LD_LIBRARY_PATH": folders})
    check(result.returncode == 0 and "--batchsize" in result.stdout, "and runs", result)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, scratch = pathlib.Path(folder, "root"), pathlib.Path(folder, "scratch")
        scratch.mkdir()
        result = call("meson", "install", "-C", BUILD, "--destdir", root, "--no-rebuild", "--quiet")
        check(result.returncode == 0, "meson install", result.stdout + result.stderr)
        compile_flags, link_flags = pkg_config(root, "--cflags"), pkg_config(root, "--libs")
        include = next(iter(root.rglob("renkei/renkei.h")), root / "none" / "renkei.h").parent.parent
        headers(include, compile_flags, scratch)
        program(root, compile_flags, link_flags, scratch)
    check.finish()


main()
