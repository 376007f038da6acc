"""What the golden program promises on its command line: command_test.py PROGRAM DATA."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
passed = failed = 0


def check(holds: bool, what: object) -> None:
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print(f"FAIL {what}")


def golden(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)


run = golden("--dir", DATA, "--only", "snapshot_formats")
check(run.returncode == 0 and run.stdout.splitlines()[-1].endswith(" passed, 0 failed, 0 skipped"), run)
one = golden("--dir", DATA, "--only", "snapshot_formats/versions.npz,nested.npz/read")
check(one.stdout == "4 passed, 0 failed, 0 skipped\n", one)
listed = golden("--dir", DATA, "--only=snapshot_formats/nested.npz", "--list")
check("snapshot_formats/nested.npz nested.npz/read" in listed.stdout and "passed" not in listed.stdout, listed)

for arguments, piece in {("--only", "snapshot_formats"): "--dir", ("--dir", "/nowhere"): "/nowhere",
                         ("--dir", DATA, "--only", "functions/nothing"): "functions/relu",
                         ("--dir", DATA, "--only", "nothing"): "snapshot_formats",
                         ("--dir", DATA, "--fast"): "--fast", ("--dir",): "--dir",
                         ("--dir", DATA, "--device", "abacus"): "abacus"}.items():
    bad = golden(*arguments)
    check(bad.returncode == 2 and piece in bad.stderr and bad.stderr.count("\n") == 1, (arguments, bad))

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    empty = golden("--dir", folder)
    check(empty.returncode == 0 and empty.stdout == "0 passed, 0 failed, 0 skipped\n", empty)

    formats = folder / "snapshot_formats"
    shutil.copytree(DATA / "snapshot_formats", formats)
    contents = json.loads((formats / "contents.json").read_text())
    contents["files"]["array_kinds.npz"]["entries"]["int64"]["value"][1] = -2
    (formats / "contents.json").write_text(json.dumps(contents))
    changed = golden("--dir", folder, "--only", "snapshot_formats")
    lines = changed.stdout.splitlines()
    check(changed.returncode == 1 and len(lines) == 2 and lines[-1].endswith(" passed, 1 failed, 0 skipped"), changed)
    check("array_kinds.npz/read" in lines[0] and "int64[1]: got -1, want -2" in lines[0], lines)

    functions = json.loads((DATA / "functions.json").read_text())
    functions["cases"][0]["function"] = "unheard_of"
    (folder / "functions.json").write_text(json.dumps(functions))
    shutil.copy(DATA / "functions.npz", folder)
    unknown = golden("--dir", folder, "--only", "functions/unheard_of")
    check(unknown.returncode == 1 and "not implemented" in unknown.stdout, unknown)

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
