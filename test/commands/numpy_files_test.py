"""Snapshots of train_mnist open in NumPy with Chainer's keys, shapes and values, a snapshot written by Chainer resumes,
and 20 steps from there are those that NumPy computes. numpy_files_test.py BUILD_DIR GOLDEN_DIR"""
import gzip
import json
import os
import pathlib
import sys
import tempfile

from toolbox import Checks, run

try:
    import numpy as np
except ImportError:
    system_python = "/usr/bin/python3"  # Debian's has Debian's NumPy even where another python3 comes first
    if "NUMPY_SOUGHT" not in os.environ and os.path.exists(system_python):
        os.execve(system_python, [system_python, *sys.argv], {**os.environ, "NUMPY_SOUGHT": "1"})
    print("skipped: this needs NumPy (package python3-numpy)")
    sys.exit(77)

PROGRAM = pathlib.Path(sys.argv[1], "apps", "train_mnist").resolve()
CHAINER = pathlib.Path(sys.argv[2], "train_mnist", "adam", "snapshot_iter_100.npz")
DATA = pathlib.Path("/usr/share/datasets/fashion-mnist")
MODEL = "updater/model:main/"
OPTIMIZER = "updater/optimizer:main/"
FLAGS = ["-u", 100, "--train-size", 2000, "--test-size", 500, "--no-shuffle", "-f", 1]
# What this file knows and Chainer does not, and the other way round: the names of two extensions differ.
OURS = ("random_state/", OPTIMIZER + "hyperparameters/", "extension_triggers/ProgressBar/",
        "extension_triggers/_Snapshot/")
THEIRS = ("extension_triggers/snapshot/",)
check = Checks()


def load(path: pathlib.Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as archive:
        return dict(archive)


def model_in(snapshot: dict[str, np.ndarray], dtype: type = np.float64) -> dict[str, np.ndarray]:
    return {key.removeprefix(MODEL): value.astype(dtype) for key, value in snapshot.items() if key.startswith(MODEL)}


def read_data(part: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    images = gzip.decompress((DATA / f"{part}-images-idx3-ubyte.gz").read_bytes())[16:]
    labels = gzip.decompress((DATA / f"{part}-labels-idx1-ubyte.gz").read_bytes())[8:]
    pixels = np.frombuffer(images, np.uint8).reshape(-1, 784)[:count].astype(np.float32) / np.float32(255)
    return pixels.astype(np.float64), np.frombuffer(labels, np.uint8)[:count].astype(int)


def loss_and_gradients(p: dict[str, np.ndarray], x: np.ndarray, t: np.ndarray):
    """Softmax cross entropy of the three layers, accuracy, and the gradient of every parameter."""
    inputs = [x]
    for k in (1, 2, 3):
        y = inputs[-1] @ p[f"predictor/l{k}/W"].T + p[f"predictor/l{k}/b"]
        inputs.append(np.maximum(y, 0) if k < 3 else y)
    log_p = inputs[3] - inputs[3].max(1, keepdims=True)
    log_p -= np.log(np.exp(log_p).sum(1, keepdims=True))
    rows = np.arange(len(t))
    delta, gradients = np.exp(log_p), {}
    delta[rows, t] -= 1
    delta /= len(t)
    for k in (3, 2, 1):
        gradients[f"predictor/l{k}/W"], gradients[f"predictor/l{k}/b"] = delta.T @ inputs[k - 1], delta.sum(0)
        delta = delta @ p[f"predictor/l{k}/W"] * (inputs[k - 1] > 0)
    return -log_p[rows, t].mean(), (inputs[3].argmax(1) == t).mean(), gradients


def adam_epoch(saved: dict[str, np.ndarray], x: np.ndarray, t: np.ndarray) -> tuple[dict, dict, float]:
    """20 steps in float64 from the state in the snapshot: parameters, moments and the mean loss."""
    p = model_in(saved)
    moments = {name + m: saved[OPTIMIZER + name + m].astype(np.float64) for name in p for m in ("/m", "/v")}
    losses, step = [], int(saved[OPTIMIZER + "t"])
    for start in range(0, 2000, 100):
        loss, _, gradients = loss_and_gradients(p, x[start:start + 100], t[start:start + 100])
        losses.append(loss)
        step += 1
        rate = 0.001 * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        for name, g in gradients.items():
            moments[name + "/m"] += 0.1 * (g - moments[name + "/m"])
            moments[name + "/v"] += 0.001 * (g * g - moments[name + "/v"])
            p[name] -= rate * moments[name + "/m"] / (np.sqrt(moments[name + "/v"]) + 1e-8)
    return p, moments, float(np.mean(losses))


def same_format(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> None:
    only_ours = [key for key in ours.keys() - theirs.keys() if not key.startswith(OURS)]
    only_theirs = [key for key in theirs.keys() - ours.keys() if not key.startswith(THEIRS)]
    check(only_ours == [] and only_theirs == [], "the keys are Chainer's", (only_ours, only_theirs))
    for key in sorted(ours.keys() & theirs.keys()):
        a, b = ours[key], theirs[key]
        equal_types = a.dtype.kind == "U" == b.dtype.kind or a.dtype == b.dtype
        check(a.shape == b.shape and equal_types, f"{key}: shape and dtype", (a.shape, a.dtype, b.shape, b.dtype))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        fresh, resumed = root / "fresh", root / "resumed"
        result = run(PROGRAM, *FLAGS, "-e", 5, "-o", fresh)
        check(result.returncode == 0, "a training of our own", result)
        theirs, ours = load(CHAINER), load(fresh / "snapshot_iter_100")
        same_format(ours, theirs)

        result = run(PROGRAM, *FLAGS, "-e", 6, "-o", resumed, "-r", CHAINER)
        if not check(result.returncode == 0, "Chainer's snapshot resumes", result):
            check.finish()
        x, t = read_data("train", 2000)
        test_x, test_t = read_data("t10k", 500)
        after, log = load(resumed / "snapshot_iter_120"), json.loads((resumed / "log").read_text())
        old_log = json.loads(str(theirs["extensions/LogReport/_log"]))
        check(log[:5] == old_log and len(log) == 6, "the log goes on after Chainer's rows", log)
        p, moments, loss = adam_epoch(theirs, x, t)
        check(abs(log[5]["main/loss"] - loss) < 1e-5, "loss of the epoch", (log[5], loss))
        for name, value in p.items():
            worst = np.abs(after[MODEL + name] - value).max()
            check(worst < 1e-4, f"{name} after 20 more steps", worst)  # Adam divides by tiny roots: rounding grows
        for name, value in moments.items():
            worst = np.abs(after[OPTIMIZER + name] - value).max() / np.abs(value).max()
            check(worst < 1e-3, f"{name} after 20 more steps", worst)
        counts = int(after[OPTIMIZER + "t"]), int(after["updater/iteration"])
        check(counts == (120, 120), "counts after 20 more steps", counts)

        fresh_log = json.loads((fresh / "log").read_text())
        for what, snapshot, row in [("resumed", after, log[5]), ("fresh", ours, fresh_log[4])]:
            loss, accuracy, _ = loss_and_gradients(model_in(snapshot), test_x, test_t)
            check(abs(row["validation/main/loss"] - loss) < 1e-5, f"{what}: loss of the saved model", (row, loss))
            check(abs(row["validation/main/accuracy"] - accuracy) < 1e-6, f"{what}: its accuracy", (row, accuracy))

        np.savez(root / "model.npz", **model_in(theirs, np.float32))
        result = run(PROGRAM, *FLAGS, "-e", 1, "--optimizer", "sgd", "-o", root / "init", "--init", root / "model.npz")
        first = json.loads((root / "init" / "log").read_text())[0] if result.returncode == 0 else {"main/loss": 9.0}
        check(first["main/loss"] < 0.55, "a model file written by NumPy is the start of a training", (result, first))
    check.finish()


for needed in (CHAINER, DATA / "train-images-idx3-ubyte.gz"):
    if not needed.exists():
        print(f"skipped: {needed} is not there")
        sys.exit(77)
main()
