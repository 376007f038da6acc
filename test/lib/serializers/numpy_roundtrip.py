"""NumPy as the judge of npz files: what it writes is read, what is written it reads, keys, shapes, dtypes and values
alike. numpy_roundtrip.py PROGRAM DATA: npz_copy and the folder of golden files."""
import os
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile
import zipfile

try:
    import numpy as np
except ImportError:
    system_python = "/usr/bin/python3"  # Debian's has Debian's NumPy even where another python3 comes first
    if "NUMPY_SOUGHT" not in os.environ and os.path.exists(system_python):
        os.execve(system_python, [system_python, *sys.argv], {**os.environ, "NUMPY_SOUGHT": "1"})
    print("skipped: this needs NumPy (package python3-numpy)")
    sys.exit(77)

PROGRAM, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
passed = failed = 0


def check(holds: bool, what: str) -> None:
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print(f"FAIL {what}")


def copy(source: pathlib.Path, target: pathlib.Path, *options: str) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, source, target, *options], capture_output=True, text=True)


def expected(array: np.ndarray) -> np.ndarray:
    """What a copy holds: the same, or the next dtype that holds it without loss; scalars as Chainer saves them."""
    array = np.ascontiguousarray(array).reshape(array.shape)
    if array.dtype.kind == "S":
        return np.asarray(str(array[()], "ascii"))
    array = array.astype(array.dtype.newbyteorder("="))
    if array.shape == () and array.dtype.kind in "iu":
        return array.astype(np.int64)
    wider = {"int8": np.int32, "int16": np.int32, "uint16": np.int32, "uint32": np.int64, "uint64": np.int64}
    return array.astype(wider.get(array.dtype.name, array.dtype))


def compare(source: pathlib.Path, target: pathlib.Path) -> None:
    with np.load(source, allow_pickle=True) as wanted, np.load(target, allow_pickle=True) as got:
        check(sorted(wanted.files) == sorted(got.files), f"{source.name}: keys {wanted.files} became {got.files}")
        for key in set(wanted.files) & set(got.files):
            want, have = expected(wanted[key]), got[key]
            same = want.dtype == have.dtype and want.shape == have.shape
            # Bytes, so that NaN and the sign of zero count; those of an object are its address.
            same = same and (want[()] is have[()] if want.dtype == object else want.tobytes() == have.tobytes())
            check(same, f"{source.name}: {key}: {want.dtype}{want.shape} became {have.dtype}{have.shape}")


def round_trip(source: pathlib.Path, folder: pathlib.Path) -> None:
    for options in [], ["--compress"]:
        target = folder / "copy.npz"
        result = copy(source, target, *options)
        check(result.returncode == 0, f"{source.name} {options}: {result.stderr}")
        if result.returncode == 0:
            with zipfile.ZipFile(target) as archive:
                check(archive.testzip() is None, f"{source.name}: a checksum is wrong")
                check(archive.comment.startswith(b"renkei crc32 "), f"{source.name}: comment {archive.comment!r}")
            compare(source, target)


def all_kinds() -> dict:
    kinds = {f"{kind}/{name}": np.arange(-3, 3).astype(kind).reshape(shape)
             for kind in "? i1 i2 i4 i8 u1 u2 f2 f4 f8 >f4 >f8 >i2 >i8 >f2".split()
             for name, shape in {"flat": (6,), "2d": (2, 3), "4d": (1, 2, 1, 3)}.items()}
    kinds |= {f"scalar/{kind}": np.ones((), kind) for kind in "? i1 i4 i8 u1 u8 f2 f4 f8 >f8 >i4".split()}
    kinds |= {f"empty/{i}": np.zeros(shape, "f4") for i, shape in enumerate([(0,), (3, 0), (0, 2, 1)])}
    texts = ["", "a", "héllo", "連携 😀", "x" * 5000, "a\0b"]
    kinds |= {f"text/{i}": np.asarray(text) for i, text in enumerate(texts)}
    kinds |= {"big_endian_text": np.asarray("連携").astype(">U2"), "none": np.asarray(None),
              "連/携": np.ones(2, "f4"),
              "fortran": np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)),
              "fortran_big_endian": np.asfortranarray(np.arange(6).reshape(2, 3)).astype(">i4"),
              "special": np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45], "f4"),
              "large": np.arange(300000, dtype="f4")}
    return kinds


def npz_of_pickle(path: pathlib.Path, pickled: bytes) -> None:
    header = b"{'descr': '|O', 'fortran_order': False, 'shape': (), }"
    header += b" " * (64 - (10 + len(header) + 1) % 64) + b"\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + pickled)


class Evil:
    def __reduce__(self):
        return os.system, ("touch /nonexistent/folder/file",)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    np.savez(folder / "stored.npz", **all_kinds())
    np.savez_compressed(folder / "deflated.npz", **all_kinds())
    for source in [folder / "stored.npz", folder / "deflated.npz", *sorted(DATA.glob("**/*.npz"))]:
        round_trip(source, folder)

    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        npz_of_pickle(folder / "none.npz", pickle.dumps(np.asarray(None), protocol=protocol))
        check(copy(folder / "none.npz", folder / "copy.npz").returncode == 0, f"pickle protocol {protocol} of None")
    for what in [Evil(), np.asarray(Evil(), object), np.asarray({"a": 1}), [None]]:
        npz_of_pickle(folder / "evil.npz", pickle.dumps(what))
        result = copy(folder / "evil.npz", folder / "copy.npz")
        check(result.returncode == 2 and "member 'x.npy'" in result.stderr, f"pickled {type(what)}: {result}")

    for what in [np.ones(2, "c8"), np.ones(2, "g"), np.array(["a", "b"]), np.array(["2020-01-01"], "M8[D]"),
                 np.zeros(2, [("a", "f4")]), np.array([None, 1])]:
        np.savez(folder / "other.npz", x=what)
        result = copy(folder / "other.npz", folder / "copy.npz")
        check(result.returncode == 2 and "member 'x.npy'" in result.stderr, f"{what.dtype}: {result}")

print(f"NumPy {np.__version__}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
