"""Checks that includes run one way: lib <- trainer <- extensions <- apps, and inside lib as listed below.
Usage: layering_test.py SOURCE_ROOT"""
import pathlib
import re
import sys

TOP = ["lib", "trainer", "extensions", "apps"]  # a folder may include itself and those to its left

# What each folder of lib may include besides itself.
CORE = {"core"}
DEVICE = CORE | {"device"}
KERNELS = DEVICE | {"kernels"}
AUTOGRAD = KERNELS | {"autograd"}
FUNCTIONS = AUTOGRAD | {"functions"}
LINKS = FUNCTIONS | {"serializers", "reporter"}
LIB = {
    "core": set(),
    "device": CORE,
    "kernels": DEVICE,
    "cpu": KERNELS,
    "autograd": KERNELS,
    "functions": AUTOGRAD,
    "serializers": DEVICE,
    "reporter": AUTOGRAD | {"serializers"},
    "links": LINKS,
    "optimizers": LINKS | {"links"},
    "datasets": KERNELS | {"serializers"},
    "iterators": KERNELS | {"serializers", "datasets"},
}


def problems(root: pathlib.Path):
    for top in TOP:
        for source in sorted(root.joinpath(top).rglob("*.[ch]*")):
            place = source.relative_to(root).parts
            for included in re.findall(r'^#include [<"]renkei/([^>"]+)[>"]', source.read_text(), re.MULTILINE):
                target = included.split("/")
                if target[0] not in TOP:
                    if top != "apps":
                        yield f"{source}: includes {included}; only programs use the umbrella header"
                elif TOP.index(target[0]) > TOP.index(top):
                    yield f"{source}: includes {included}; want {' <- '.join(TOP)}"
                elif top == target[0] == "lib" and len(place) > 2:
                    if target[1] != place[1] and target[1] not in LIB.get(place[1], set()):
                        yield f"{source}: lib/{place[1]} may not include lib/{target[1]}"


found = list(problems(pathlib.Path(sys.argv[1])))
print("\n".join(found) or "every include runs the right way")
sys.exit(1 if found else 0)
