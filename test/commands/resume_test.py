"""10 epochs straight give the bits of 5, a snapshot, and 5 more, with shuffling, for each optimizer, also where the
snapshot falls into an epoch. resume_test.py BUILD_DIR"""
import pathlib
import sys
import tempfile

from toolbox import Checks, differences, make_data, run, state, without_time

PROGRAM = pathlib.Path(sys.argv[1], "apps", "train_mnist").resolve()
IMAGES = 90
check = Checks()


def train(data: pathlib.Path, out: pathlib.Path, *flags: object) -> str:
    result = run(PROGRAM, "--data-dir", data, "-o", out, "-u", 20, *flags)
    check(result.returncode == 0, f"{out.name} runs", result)
    return result.stdout


def rows(table: str) -> list[list[str]]:
    """Rows of the printed table by epoch, less the time in the last column."""
    return [line.split()[:-1] for line in table.splitlines() if line[:1].isdigit()]


def compare(root: pathlib.Path, data: pathlib.Path, what: str, batch: int, *flags: object) -> None:
    """Epoch 5 ends inside a batch if `batch` does not divide 5 times the number of images."""
    flags = ("-b", batch, "-f", 5, *flags)
    half, whole = (-(-IMAGES * epochs // batch) for epochs in (5, 10))  # iterations
    folders = [root / f"{what} {name}" for name in ("straight", "first half", "resumed", "autoload")]
    straight, first, resumed, autoload = folders
    table = train(data, straight, *flags, "-e", 10)
    train(data, first, *flags, "-e", 5)
    middle = differences(state(straight / f"snapshot_iter_{half}"), state(first / f"snapshot_iter_{half}"))
    allowed = [key for key in middle if key.startswith("stop_trigger/")]
    check(middle == allowed, f"{what}: after 5 epochs both runs are at the same point", middle)

    train(data, autoload, *flags, "-e", 5)
    tables = {resumed: train(data, resumed, *flags, "-e", 10, "-r", first / f"snapshot_iter_{half}", "--seed", 77),
              autoload: train(data, autoload, *flags, "-e", 10, "--autoload")}
    expected = without_time((straight / "log").read_text())
    check(len(expected) == 10, f"{what}: ten rows in the log", expected)
    for out, printed in tables.items():
        unequal = differences(state(straight / f"snapshot_iter_{whole}"), state(out / f"snapshot_iter_{whole}"))
        check(unequal == [], f"{out.name}: every bit of the state", unequal)
        check(without_time((out / "log").read_text()) == expected, f"{out.name}: the log")
        check(rows(printed)[-5:] == rows(table)[-5:], f"{out.name}: the table", printed)
    other = train(data, root / f"{what} other seed", *flags, "-e", 1, "--seed", 78)
    check(rows(other)[0] != rows(table)[0], f"{what}: another seed gives another run", other)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        data = make_data(root / "data", train=IMAGES)
        compare(root, data, "adam", 10)
        compare(root, data, "adam within an epoch", 13)
        compare(root, data, "momentum", 10, "--optimizer", "momentum")
        compare(root, data, "sgd in order", 7, "--optimizer", "sgd", "--no-shuffle", "--threads", 1)
    check.finish()


main()
