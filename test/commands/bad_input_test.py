"""What a user can get wrong ends in one line on stderr that names the thing, exit status 2, and nothing overwritten.
bad_input_test.py BUILD_DIR"""
import ctypes
import json
import math
import os
import pathlib
import random
import resource
import shutil
import signal
import sys
import tempfile

from toolbox import (PARTS, Checks, fingerprint, idx_images, idx_labels, make_data, members, model_arrays, run, text_in,
                     write_npz)

PROGRAM = pathlib.Path(sys.argv[1], "apps", "train_mnist").resolve()
PIXELS = 64
check = Checks()


def as_ordinary_user() -> None:
    """Called in the child: root loses the right to pass over the permissions of files at its next exec."""
    drop_from_bounding_set, rights = 24, (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    for right in rights:
        ctypes.CDLL(None).prctl(drop_from_bounding_set, right, 0, 0, 0)


def small_files_only(bytes_: int):
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then a write beyond the limit fails like one on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))
    return limit


def refuse(what: str, *arguments: object, names: list[object], out: pathlib.Path, **options) -> None:
    """Runs the program on wrong input; `names` must all be in its one line."""
    before = fingerprint(out)
    result = run(PROGRAM, "-u", 8, "-b", 10, "-e", 1, "-o", out, *arguments, **options)
    lines = result.stderr.splitlines()
    check(result.returncode == 2, f"{what}: exits with 2", f"{result.returncode}: {result.stderr[-1000:]}")
    check(len(lines) == 1, f"{what}: prints one line", lines)
    for name in names:
        check(str(name) in result.stderr, f"{what}: names {name}", result.stderr)
    check(fingerprint(out) == before, f"{what}: overwrites nothing", fingerprint(out).keys() ^ before.keys())


def data_folders(root: pathlib.Path, out: pathlib.Path) -> None:
    missing, file, locked = root / "nowhere", root / "a_file", root / "locked"
    file.write_text("")
    make_data(locked).chmod(0)
    refuse("missing data folder", "--data-dir", missing, names=[missing, "No such file"], out=out)
    refuse("file as data folder", "--data-dir", file, names=[file, "not a folder"], out=out)
    refuse("unreadable data folder", "--data-dir", locked, names=[locked, "Permission denied"], out=out,
           preexec_fn=as_ordinary_user)
    locked.chmod(0o755)
    unreadable = locked / PARTS[1]
    unreadable.chmod(0)
    refuse("unreadable data file", "--data-dir", locked, names=[unreadable, "Permission denied"], out=out,
           preexec_fn=as_ordinary_user)
    incomplete = make_data(root / "incomplete")
    (incomplete / PARTS[2]).unlink()
    refuse("a data file is missing", "--data-dir", incomplete, names=[incomplete, PARTS[2]], out=out)


def data_files(root: pathlib.Path, out: pathlib.Path) -> None:
    images, labels = idx_images(40), idx_labels(40)
    size = str(len(images))
    cases = {
        "empty IDX": ({0: b""}, [PARTS[0], "0 bytes"]),
        "truncated IDX header": ({0: images[:10]}, [PARTS[0], "10"]),
        "truncated IDX": ({0: images[:-5]}, [PARTS[0], size, str(len(images) - 5)]),
        "oversized IDX": ({1: labels + b"\1"}, [PARTS[1], str(len(labels)), str(len(labels) + 1)]),
        "IDX with a wrong magic": ({0: b"\1\2\3\4" + images[4:]}, [PARTS[0], "01 02 03 04"]),
        "fewer labels than images": ({1: idx_labels(39)}, [PARTS[0], PARTS[1], "40 images", "39 labels"]),
        "labels given as images": ({0: labels}, [PARTS[0], "label"]),
        "images given as labels": ({3: images}, [PARTS[3], "image"]),
        "a label out of range": ({1: labels[:-1] + b"\x0b"}, [PARTS[1], "label 11", "39"]),
        "no examples": ({0: idx_images(0), 1: idx_labels(0)}, [PARTS[0], "no images"]),
    }
    for k, (what, (replace, names)) in enumerate(cases.items()):
        refuse(what, "--data-dir", make_data(root / f"data_{k}", replace=replace), names=names, out=out)

    def flipped(content: bytes, at: int) -> bytes:
        return content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1:]
    for what, damage in {"truncated gzip": lambda content: content[:-20],
                         "corrupt gzip": lambda content: flipped(content, 300),
                         "gzip with a wrong checksum": lambda content: flipped(content, len(content) - 8)}.items():
        folder = make_data(root / what.replace(" ", "_"), packed=True)
        file = folder / (PARTS[0] + ".gz")
        file.write_bytes(damage(file.read_bytes()))
        refuse(what, "--data-dir", folder, names=[file.name], out=out)
    for size in (0, 41):
        refuse("train size", "--data-dir", make_data(root / f"size_{size}"), "--train-size", size,
               names=["size", size], out=out)


def flags(data: pathlib.Path, out: pathlib.Path) -> None:
    for arguments, names in [
        (["--device", "warp"], ["warp"]), (["--device", "cuda:0"], ["cuda:0"]), (["--device", "0"], ["0"]),
        (["--device", "cpu:x"], ["cpu:x"]), (["--devices", "second=cpu"], ["--devices", "main"]),
        (["-b", 0], ["--batchsize", "0"]), (["-b", -3], ["--batchsize", "-3"]),
        (["-b", "many"], ["--batchsize", "many"]), (["-u", 0], ["--unit"]), (["-e", 0], ["--epoch"]),
        (["-f", 0], ["--frequency"]), (["surplus"], ["surplus"]),
        (["--speed", 3], ["--speed"]), (["--optimizer", "adamant"], ["adamant"]),
        (["--dataset", "cifar"], ["cifar"]), (["--resume"], ["--resume"]), (["--threads", -1], ["--threads"]),
        (["--seed", "99999999999999999999"], ["--seed"]), (["-r", "x", "--autoload"], ["--resume", "--autoload"]),
    ]:
        given = " ".join(map(str, arguments))
        refuse(given, "--data-dir", data, *arguments, names=names, out=out)


def saved_files(data: pathlib.Path, root: pathlib.Path, out: pathlib.Path, snapshot: pathlib.Path) -> None:
    def resume(what: str, path: pathlib.Path, *arguments: object, names: list[object]) -> None:
        refuse(what, "--data-dir", data, "-e", 2, "-r", path, *arguments, names=[path, *names], out=out)

    def init(what: str, path: pathlib.Path, *arguments: object, names: list[object]) -> None:
        refuse(what, "--data-dir", data, "--init", path, *arguments, names=[path, *names], out=out)

    arrays = model_arrays(PIXELS, 8)
    model = write_npz(root / "model.npz", arrays)
    resume("missing snapshot", root / "none.npz", names=["No such file"])
    resume("snapshot of wider layers", snapshot, "-u", 12, names=["predictor/l", "(8", "(12"])
    resume("snapshot of another optimizer", snapshot, "--optimizer", "momentum", names=["updater/optimizer:main/"])
    resume("model file as snapshot", model, names=["model file", "not a trainer snapshot"])
    init("snapshot as model file", snapshot, names=["snapshot", "model"])
    less = {key: value for key, value in arrays.items() if key != "predictor/l2/W"}
    init("file with a missing parameter", write_npz(root / "less.npz", less), names=["predictor/l2/W"])
    init("file with an extra parameter", write_npz(root / "more.npz", {**arrays, "predictor/l4/W": ((2,), [0.0, 0.0])}),
         names=["predictor/l4/W", "(2,)"])
    wide = write_npz(root / "wide.npz", model_arrays(PIXELS, 12))
    init("file of other layers", wide, names=["predictor/l", "(12", "(8"])
    other_inputs = write_npz(root / "inputs.npz", model_arrays(100, 8))
    refuse("layer for other inputs", "--data-dir", data, "--init", other_inputs,
           names=["predictor/l1", "(8, 100)", "(10, 64)"], out=out)

    content = snapshot.read_bytes()
    broken, rng = root / "broken.npz", random.Random(9)
    for length in (0, 3, len(content) // 2, len(content) - 1):
        broken.write_bytes(content[:length])
        resume(f"snapshot cut to {length} bytes", broken, names=[])
    for _ in range(8):
        at, bit = rng.randrange(len(content)), rng.randrange(8)
        broken.write_bytes(content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1:])
        resume(f"snapshot with bit {bit} of byte {at} changed", broken, names=[])
    broken.write_text("not a zip at all\n" * 9)
    resume("text as snapshot", broken, names=[])
    resume("folder as snapshot", root, names=[])


def output_folder(data: pathlib.Path, root: pathlib.Path, out: pathlib.Path, snapshot: pathlib.Path) -> None:
    obstacle = root / "obstacle"
    obstacle.write_text("kept")
    for path in (obstacle, obstacle / "below"):
        result = run(PROGRAM, "-u", 8, "-b", 10, "-e", 1, "-o", path, "--data-dir", data)
        check(result.returncode == 2 and len(result.stderr.splitlines()) == 1 and str(path) in result.stderr
              and obstacle.read_text() == "kept", f"a file in the way of output folder {path.name}", result)
    before = snapshot.read_bytes()
    out.chmod(0o555)
    refuse("read-only output folder", "--data-dir", data, "-e", 2, "-f", 1, "-r", snapshot,
           names=[out, "Permission denied"], out=out, preexec_fn=as_ordinary_user)
    out.chmod(0o755)

    full = root / "full"
    shutil.copytree(out, full)
    result = run(PROGRAM, "-u", 8, "-b", 10, "-e", 2, "-f", 1, "-o", full, "--data-dir", data, "-r", snapshot,
                 preexec_fn=small_files_only(8192))
    named = str(full / "snapshot_iter_8") in result.stderr and "too large" in result.stderr
    check(result.returncode == 2 and len(result.stderr.splitlines()) == 1 and named,
          "no room for the snapshot: names it and the reason", result)
    left = sorted(os.listdir(full))
    check(left == sorted(os.listdir(out)), "no room for the snapshot: leaves nothing half written", left)
    check((full / snapshot.name).read_bytes() == before, "no room for the snapshot: the earlier one is as it was")
    result = run(PROGRAM, "-u", 8, "-b", 10, "-e", 2, "-f", 1, "-o", full, "--data-dir", data, "--autoload")
    check(result.returncode == 0 and "Loaded" in result.stderr and (full / "snapshot_iter_8").exists(),
          "with room again, training goes on from the earlier snapshot", result)


def nan_in_loss(data: pathlib.Path, root: pathlib.Path) -> None:
    arrays, out = model_arrays(PIXELS, 8), root / "nan"
    arrays["predictor/l3/W"][1][0] = math.nan
    model = write_npz(root / "nan.npz", arrays)
    result = run(PROGRAM, "-u", 8, "-b", 10, "-e", 1, "-o", out, "--data-dir", data, "--init", model)
    check(result.returncode == 0 and result.stderr == "", "NaN in the loss: training goes on", result)
    loss = result.stdout.splitlines()[-1].split()[1]
    check(loss.lower() == "nan", "NaN in the loss: the table shows it", result.stdout)

    def refuse_constant(name: str) -> None:
        raise ValueError(f"{name} is not JSON")
    saved = text_in(members(out / "snapshot_iter_4")["extensions/LogReport/_log"])
    for what, text in {"log": (out / "log").read_text(), "log in the snapshot": saved}.items():
        try:
            row = json.loads(text, parse_constant=refuse_constant)[0]
            check(row["main/loss"] is None and row["epoch"] == 1, f"NaN in the loss: null in the {what}", row)
        except ValueError as error:
            check(False, f"NaN in the loss: the {what} is valid JSON", error)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        data, out = make_data(root / "data"), root / "out"
        first = run(PROGRAM, "-u", 8, "-b", 10, "-e", 1, "-f", 1, "-o", out, "--data-dir", data)
        snapshot = out / "snapshot_iter_4"
        if check(first.returncode == 0 and first.stderr == "" and snapshot.exists(), "good input trains", first):
            again = run(PROGRAM, "-u", 8, "-b", "bad", "-b", 20, "-e", 1, "-o", root / "again", "--data-dir", data)
            check(again.returncode == 0 and "size: 20" in again.stdout, "of a flag given twice the last counts", again)
            data_folders(root, out)
            data_files(root, out)
            flags(data, out)
            saved_files(data, root, out, snapshot)
            output_folder(data, root, out, snapshot)
            nan_in_loss(data, root)
    check.finish()


main()
