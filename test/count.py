"""Counts what `meson test` ran in the build folders given: single test cases where a program prints how many it
had, whole programs otherwise. The last line is "N passed, N failed"."""
import json
import pathlib
import re
import sys

CATCH_ALL = re.compile(r"All tests passed \(\d+ assertions? in (\d+) test cases?\)")
CATCH_SOME = re.compile(r"test cases: +(\d+) \|(?: +(\d+) passed \|)? +(\d+) failed")
PLAIN = re.compile(r"^(\d+) passed, (\d+) failed", re.MULTILINE)


def count(run: dict) -> tuple[int, int]:
    """(passed, failed) of one program; one that died without saying so counts as one failure."""
    output = run.get("stdout", "")
    passed = failed = 0
    if match := CATCH_ALL.search(output):
        passed = int(match[1])
    elif match := CATCH_SOME.search(output):
        passed, failed = int(match[2] or 0), int(match[3])
    elif matches := PLAIN.findall(output):
        passed, failed = int(matches[-1][0]), int(matches[-1][1])
    elif run["result"] == "OK":
        passed = 1
    if run["result"] not in ("OK", "SKIP") and failed == 0:
        failed = 1
    return passed, failed


def main() -> int:
    total_passed = total_failed = 0
    for folder in sys.argv[1:]:
        log = pathlib.Path(folder, "meson-logs", "testlog.json")
        runs = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        if not runs:
            print(f"{folder}: no test ran")
            total_failed += 1
        for run in runs:
            passed, failed = count(run)
            total_passed += passed
            total_failed += failed
            if failed:
                print(f"{folder}: {run['name']}: {failed} failed ({run['result']})")
    print(f"{total_passed} passed, {total_failed} failed")
    return 1 if total_failed else 0


sys.exit(main())
