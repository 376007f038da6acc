"""The quickstart installs what building needs, not what testing needs: without Catch2 the project still sets up, and
says that it leaves the tests out."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from toolbox import Checks

SOURCE = pathlib.Path(__file__).resolve().parents[2]
check = Checks()


def set_up(folder: pathlib.Path, hidden: str, *options: str) -> subprocess.CompletedProcess:
    """`meson setup` where pkg-config does not know the package `hidden`, and there is no CMake to find it either."""
    folder.mkdir()
    wrapper = folder / "pkg-config"
    real = shutil.which("pkg-config")
    wrapper.write_text(f'#!/bin/sh\ncase " $* " in *" {hidden} "*) exit 1;; esac\nexec {real} "$@"\n')
    wrapper.chmod(0o755)
    machine = folder / "machine.ini"
    machine.write_text(f"[binaries]\npkgconfig = '{wrapper}'\ncmake = '{folder / 'no-cmake'}'\n")
    command = ["meson", "setup", "--native-file", machine, folder / "build", SOURCE, *options]
    clean = {name: value for name, value in os.environ.items() if name not in ("PKG_CONFIG", "CMAKE")}
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, env=clean)


def programs(folder: pathlib.Path) -> str:
    listed = subprocess.run(["ninja", "-C", str(folder / "build"), "-t", "targets", "all"], capture_output=True, text=True)
    return listed.stdout


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        bare = pathlib.Path(scratch, "bare")
        result = set_up(bare, "catch2")
        check(result.returncode == 0, "the project sets up without Catch2", result.stdout[-1000:])
        check(re.search(r"catch2 found: NO", result.stdout), "and says that Catch2 is missing", result.stdout[-1000:])
        check("apps/train_mnist:" in programs(bare), "and builds the programs")
        check("test/test_functions:" not in programs(bare), "and leaves the tests out")

        strict = set_up(pathlib.Path(scratch, "strict"), "catch2", "-Dtests=enabled")
        check(strict.returncode != 0, "with -Dtests=enabled it refuses")
        check('Dependency "catch2" not found' in strict.stdout, "and names what is missing", strict.stdout[-1000:])
    listed = (SOURCE / "apps" / "build_packages.txt").read_text().split()
    check("catch2" not in listed, "so the quickstart need not install it", listed)
    check.finish()


if __name__ == "__main__":
    sys.exit(main())
