"""Trains W1, W2 or W3 in PyTorch as fast as its public interface allows, and prints one JSON line.

The code is tuned, not a tutorial: batches by randperm and index_select, gradients set to None. The process environment
(allocator, BLAS, number of threads) and the flavour of the optimizer are chosen by compare.py.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import time
import warnings
import zlib

WORKLOADS = {  # name: layer sizes, batch size, optimizer
    "W1": ([784, 1000, 1000, 10], 100, "adam"),
    "W2": ([784, 1000, 1000, 10], 1000, "sgd"),
    "W3": ([784, 32, 10], 10, "sgd"),
}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=WORKLOADS, required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0, help="time to spend on timed steps")
    parser.add_argument("--epoch", action="store_true", help="train exactly one epoch instead")
    parser.add_argument("--data-dir", type=pathlib.Path, required=True)
    parser.add_argument("--data", choices=["uint8", "float"], default="float", help="how the data set is kept")
    parser.add_argument("--optimizer", choices=["fused", "foreach", "loop"], default="foreach")
    return parser.parse_args()


def milliseconds_since_process_start():
    fields = pathlib.Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    started = int(fields[19]) / os.sysconf("SC_CLK_TCK")  # field 22 of the file, counted from boot
    return (time.clock_gettime(time.CLOCK_BOOTTIME) - started) * 1e3


def read_idx(torch, path, header, size):
    raw = zlib.decompress(path.read_bytes(), wbits=31, bufsize=header + size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the bytes are not writable; nothing writes them
        return torch.frombuffer(raw, dtype=torch.uint8, offset=header)


class Batches:
    """Shuffled batches without end; a new order each epoch."""

    def __init__(self, torch, images, labels, batch_size):
        self.torch, self.images, self.labels, self.batch_size = torch, images, labels, batch_size
        self.position = len(labels)

    def next(self):
        if self.position + self.batch_size > len(self.labels):
            self.order = self.torch.randperm(len(self.labels))
            self.position = 0
        index = self.order[self.position : self.position + self.batch_size]
        self.position += self.batch_size
        x = self.images.index_select(0, index)
        if x.dtype == self.torch.uint8:
            x = x.to(self.torch.float32).mul_(1 / 255)
        return x, self.labels.index_select(0, index)


def make_optimizer(torch, parameters, kind, flavour):
    options = {"fused": {"fused": True}, "foreach": {"foreach": True}, "loop": {"foreach": False}}[flavour]
    if kind == "adam":
        return torch.optim.Adam(parameters, lr=1e-3, **options)
    return torch.optim.SGD(parameters, lr=0.01, **options)


def main():
    arguments = parse_arguments()
    import torch

    torch.set_num_threads(arguments.threads)
    torch.set_num_interop_threads(1)
    torch.manual_seed(0)
    sizes, batch_size, optimizer_kind = WORKLOADS[arguments.only]

    images = read_idx(torch, arguments.data_dir / "train-images-idx3-ubyte.gz", 16, 60000 * 784).view(-1, 784)
    labels = read_idx(torch, arguments.data_dir / "train-labels-idx1-ubyte.gz", 8, 60000).to(torch.int64)
    if arguments.data == "float":
        images = images.to(torch.float32).mul_(1 / 255)
    batches = Batches(torch, images, labels, batch_size)

    layers = [layer for pair in zip(sizes, sizes[1:]) for layer in (torch.nn.Linear(*pair), torch.nn.ReLU())][:-1]
    model = torch.nn.Sequential(*layers)
    optimizer = make_optimizer(torch, list(model.parameters()), optimizer_kind, arguments.optimizer)
    cross_entropy = torch.nn.functional.cross_entropy

    def step():
        x, t = batches.next()
        loss = cross_entropy(model(x), t)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        return loss

    first_loss = step().item()
    startup_ms = milliseconds_since_process_start()
    result = {
        "name": arguments.only,
        "startup_ms": round(startup_ms, 1),
        "version": torch.__version__,
        "first_loss": first_loss,
    }
    if arguments.epoch:
        for _ in range(len(labels) // batch_size - 1):
            loss = step()
    else:
        warm_until = time.perf_counter() + arguments.seconds / 4
        while time.perf_counter() < warm_until:
            step()
        durations = []
        stop = time.perf_counter() + arguments.seconds
        before = time.perf_counter()
        while before < stop or len(durations) < 5:
            loss = step()
            after = time.perf_counter()
            durations.append(after - before)
            before = after
        median = statistics.median(durations)
        result |= {
            "step_ms": median * 1e3,
            "fastest_ms": min(durations) * 1e3,
            "samples_per_s": batch_size / median,
            "steps": len(durations),
        }
    result["peak_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result["last_loss"] = loss.item()
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
