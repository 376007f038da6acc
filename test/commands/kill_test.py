"""kill -9 at random moments while every iteration saves a snapshot: the newest snapshot always loads, training goes on
to the bits of a run that nothing disturbed, and nothing is left behind. kill_test.py BUILD_DIR [KILLS [SEED]]"""
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from toolbox import Checks, differences, make_data, members, run, state, without_time

PROGRAM = pathlib.Path(sys.argv[1], "apps", "train_mnist").resolve()
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 10
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**6)
STEPS = 6  # at most so many iterations between two kills
EPOCHS = KILLS * (STEPS + 2) + 10  # one iteration each: a batch is the whole data set
check = Checks()


def snapshots(out: pathlib.Path) -> list[int]:
    names = os.listdir(out) if out.exists() else []
    return sorted(int(match[1]) for name in names if (match := re.fullmatch(r"snapshot_iter_(\d+)", name)))


def leftovers(out: pathlib.Path) -> list[str]:
    return [name for name in os.listdir(out) if not re.fullmatch(r"snapshot_iter_\d+|log", name)]


def command(data: pathlib.Path, out: pathlib.Path) -> list[object]:
    return ["--data-dir", data, "-o", out, "-u", 8, "-b", 10, "-e", EPOCHS, "-f", 1, "--autoload", "--threads", 1]


class LogReader:
    """Reads the log as a plotting program would, at any time."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path, self.reads, self.broken = path, 0, 0

    def read(self) -> None:
        try:
            json.loads(self.path.read_text())
            self.reads += 1
        except FileNotFoundError:
            pass
        except ValueError:
            self.broken += 1


def kill_once(k: int, data: pathlib.Path, out: pathlib.Path, rng: random.Random, startup: float, step: float,
              log: LogReader) -> None:
    """Starts the program, which should go on from the newest snapshot, and kills it at a random moment."""
    had = snapshots(out)
    newest = had[-1] if had else 0
    child = subprocess.Popen([str(PROGRAM), *map(str, command(data, out))], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if k % 5 == 4:
        time.sleep(rng.uniform(0, startup))  # while it reads data or loads the snapshot
    else:
        target = out / f"snapshot_iter_{newest + rng.randint(1, STEPS)}"
        limit = time.monotonic() + 120
        while not target.exists() and child.poll() is None and time.monotonic() < limit:
            log.read()
        time.sleep(rng.uniform(0, 2 * step))
    child.send_signal(signal.SIGKILL)
    notices = child.communicate()[1]
    what = f"kill {k + 1} after iteration {newest}"
    check(child.returncode == -signal.SIGKILL, f"{what}: the program was running", (child.returncode, notices))
    check("Not loaded" not in notices, f"{what}: no snapshot was refused", notices)
    if k % 5 != 4 and newest:
        check(f"Loaded {out}/snapshot_iter_{newest}\n" in notices, f"{what}: the newest one was loaded", notices)
    for iteration in [n for n in snapshots(out) if n > newest]:
        try:
            check(members(out / f"snapshot_iter_{iteration}"), f"{what}: snapshot {iteration} is whole")
        except Exception as error:  # whatever zipfile says of a broken file
            check(False, f"{what}: snapshot {iteration} is whole", error)
    for old in snapshots(out)[:-3]:
        (out / f"snapshot_iter_{old}").unlink()  # the log in each makes them grow


def main() -> None:
    print(f"{KILLS} kills, seed {SEED}")
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        data, straight, out = make_data(root / "data", train=10, test=10), root / "straight", root / "killed"
        begin = time.monotonic()
        run(PROGRAM, *command(data, root / "short"), "-e", 1)
        startup = time.monotonic() - begin
        result = run(PROGRAM, *command(data, straight))
        step = (time.monotonic() - begin - 2 * startup) / EPOCHS
        check(result.returncode == 0 and result.stderr == "", "the undisturbed run", result)

        log = LogReader(out / "log")
        for k in range(KILLS):
            kill_once(k, data, out, rng, startup, max(step, 0.001), log)
        check(log.reads > 0 and log.broken == 0, "the log could be read at any time", (log.reads, log.broken))

        (out / ".snapshot_iter_7.0badcafe.renkei-tmp").write_bytes(b"half a snapshot")
        found = leftovers(out)
        result = run(PROGRAM, *command(data, out))
        check(result.returncode == 0, "the last run ends well", result)
        told = all(f"removed {name}" in result.stderr for name in found)
        check(told, "it says what it removed", (found, result.stderr))
        check(leftovers(out) == [], "nothing is left behind", leftovers(out))
        logs = [without_time((place / "log").read_text()) for place in (straight, out)]
        check(len(logs[0]) == EPOCHS and logs[0] == logs[1], "the log is that of the undisturbed run")
        last = f"snapshot_iter_{EPOCHS}"
        check(snapshots(out)[-1] == EPOCHS, "the last snapshot is there", snapshots(out))
        unequal = differences(state(straight / last), state(out / last))
        check(unequal == [], "parameters, optimizer and all other state are those of the undisturbed run", unequal)
    check.finish()


main()
