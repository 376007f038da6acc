#!/usr/bin/env python3
"""subset.py GOLDEN DIR OUT GROUP LIST: copies the cases of one group that are implemented into a smaller folder.

GOLDEN is the program, DIR the folder of golden files, GROUP the name of a .json/.npz pair, LIST the entry of the JSON
that holds the cases. Run it when more of a group is implemented; the tests read the folder OUT.
"""
import json
import pathlib
import subprocess
import sys
import zipfile

golden, source, target, group, cases = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), *sys.argv[4:]


def strings(value):
    """Every string inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


listed = subprocess.run([golden, "--dir", source, "--only", group, "--list"], check=True, capture_output=True, text=True)
implemented = {line.split(" ", 1)[1] for line in listed.stdout.splitlines() if not line.endswith(")")}
facts = json.loads((source / f"{group}.json").read_text())
facts[cases] = [case for case in facts[cases] if case["id"] in implemented]
keys = set(strings(facts))
target.mkdir(parents=True, exist_ok=True)
(target / f"{group}.json").write_text(json.dumps(facts, separators=(",", ":")).replace('{"id":', '\n{"id":') + "\n")
with zipfile.ZipFile(source / f"{group}.npz") as old, zipfile.ZipFile(target / f"{group}.npz", "w") as new:
    for name in sorted(old.namelist()):
        if name.removesuffix(".npy") in keys:
            new.writestr(zipfile.ZipInfo(name), old.read(name), zipfile.ZIP_DEFLATED, 9)
print(f"{len(facts[cases])} cases")
