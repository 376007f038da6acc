#!/usr/bin/env python3
"""Runs the same training in Renkei, PyTorch and libtorch, in turns, and prints how many times faster ours is.

    python3 test/bench/compare.py --rounds 5 --threads 1,2          # W1, W2, W3: ms per step
    python3 test/bench/compare.py --epoch --only W1                 # whole processes, wall seconds
    python3 test/bench/compare.py --install [--newest]              # what the peers need, then the runs

README.md beside this file says what the workloads are and how the figures are taken.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import contestants as field

WORKLOADS = ["W1", "W2", "W3"]
TIMEOUT_S = 300
QUIET_CORES = 0.15  # a run is undisturbed while other processes use less than this
TARGETS = {  # workload: {threads: {family: times faster than its best member}}
    "W1": {1: {"any peer": 1.45}, 2: {"any peer": 1.5}},
    "W2": {1: {"any peer": 1.0}, 2: {"any peer": 1.0}},
    "W3": {1: {"libtorch": 1.5, "pytorch": 2.2}, 2: {"libtorch": 1.5, "pytorch": 2.2}},
}
EPOCH_TARGETS = {"W1": {1: {"any peer": 1.5}, 2: {"any peer": 1.65}}}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="runs of each contestant per figure")
    parser.add_argument("--threads", default="1,2", help="thread counts, separated by commas")
    parser.add_argument("--only", default="", help="workloads, separated by commas (default: all; W1 with --epoch)")
    parser.add_argument("--epoch", action="store_true", help="time whole processes that train one epoch")
    parser.add_argument("--newest", action="store_true", help="also the newest PyTorch and libtorch from PyPI")
    parser.add_argument("--newest-venv", default=field.CACHE / "torch-newest", help="its virtual environment")
    parser.add_argument("--install", action="store_true", help="install what the peers need first (needs root)")
    parser.add_argument("--json", action="store_true", help="one JSON line per workload and thread count, no table")
    parser.add_argument("--ours", default=field.ROOT / "build" / "test" / "bench", type=pathlib.Path)
    parser.add_argument("--data-dir", default="/usr/share/datasets/fashion-mnist")
    parser.add_argument("--seconds", type=float, default=2.0, help="time a peer spends on timed steps in one run")
    parser.add_argument("--wait-idle", type=float, default=0, help="seconds to wait before a run for a quiet machine")
    arguments = parser.parse_args()
    arguments.only = arguments.only.split(",") if arguments.only else WORKLOADS[: 1 if arguments.epoch else None]
    if unknown := [name for name in arguments.only if name not in WORKLOADS]:
        parser.error(f"no workload {', '.join(unknown)}; there are {', '.join(WORKLOADS)}")
    try:
        arguments.threads = [int(count) for count in arguments.threads.split(",")]
    except ValueError:
        parser.error(f"--threads takes numbers separated by commas, not {arguments.threads}")
    if arguments.rounds < 1 or min(arguments.threads) < 1:
        parser.error("--rounds and --threads start at 1")
    return arguments


# --- running ---------------------------------------------------------------------------------------------------------


def busy_seconds():
    """CPU seconds that all processes of this machine have used since it started."""
    first_line = pathlib.Path("/proc/stat").read_text().partition("\n")[0]
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, first_line.split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def wait_for_quiet(seconds):
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        before = busy_seconds()
        time.sleep(0.5)
        if busy_seconds() - before < QUIET_CORES * 0.5:
            return


def run_once(contestant, workload, threads, epoch):
    """The run's result, with wall_s and others_cores (what other processes used meanwhile); raises RuntimeError."""
    command = contestant.command_for(workload, threads, epoch)
    busy, own, start = busy_seconds(), children_seconds(), time.perf_counter()
    try:
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.run(
                command,
                env=contestant.environment_for(threads),
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                timeout=TIMEOUT_S,
            )
            errors.seek(0)
            complaint = (errors.read().strip().splitlines() or ["no message"])[-1]
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"not done after {TIMEOUT_S} s") from error
    wall = time.perf_counter() - start
    others = (busy_seconds() - busy - (children_seconds() - own)) / wall
    if process.returncode != 0:
        raise RuntimeError(f"exit status {process.returncode}: {complaint}")

    lines = [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]
    results = [line for line in lines if line.get("name") == workload]
    if not epoch and not (results and results[-1].get("step_ms")):
        raise RuntimeError(f"printed no JSON line with name {workload} and step_ms")
    result = results[-1] if results else {}
    return result | {"wall_s": wall, "others_cores": max(0.0, others)}


def show_progress(text):
    if sys.stderr.isatty():
        print(f"\r{text:60}\r", end="", file=sys.stderr, flush=True)


def measure(entrants, workload, threads, arguments):
    """Interleaved rounds, the order rotated from one to the next. Returns {name: [run, ...]} and {name: complaint}."""
    runs, failed = {entrant.name: [] for entrant in entrants}, {}
    for round_number in range(arguments.rounds):
        turn = round_number % len(entrants)
        for entrant in entrants[turn:] + entrants[:turn]:
            if entrant.name in failed:
                continue
            wait_for_quiet(arguments.wait_idle)
            show_progress(f"{workload}, {threads} threads, round {round_number + 1}: {entrant.name}")
            try:
                runs[entrant.name].append(run_once(entrant, workload, threads, arguments.epoch))
            except (RuntimeError, OSError, ValueError) as error:
                failed[entrant.name] = str(error)
    show_progress("")
    return {name: done for name, done in runs.items() if name not in failed}, failed


# --- figures ---------------------------------------------------------------------------------------------------------


def summarise(runs):
    """Median of each field over the undisturbed runs, or over all where none was; the fastest step of all."""
    quiet = [run for run in runs if run["others_cores"] < QUIET_CORES]
    used = quiet or runs
    fields = ["step_ms", "samples_per_s", "startup_ms", "peak_rss_mb", "wall_s", "others_cores"]
    summary = {name: statistics.median(values) for name in fields if (values := [r[name] for r in used if name in r])}
    if fastest := [run["fastest_ms"] for run in runs if "fastest_ms" in run]:
        summary["fastest_ms"] = min(fastest)
    version = used[-1].get("version", "")
    return summary | {"runs": len(used), "quiet": bool(quiet), "version": version}


def judge(summaries, entrants, figure, targets):
    """Ratios peer/ours per contestant, the best peer, the ratio best peer/floor that no trainer exceeds on this machine,
    and each target with the ratio reached."""
    family = {entrant.name: entrant.family for entrant in entrants}
    peers = {name: summary[figure] for name, summary in summaries.items() if family[name] not in field.OURS}
    ours, floor = (summaries.get(name, {}).get(figure) for name in field.OURS)
    verdict = {"best_peer": min(peers, key=peers.get) if peers else None, "ratios": {}, "targets": []}
    if peers and floor:
        verdict["within_reach"] = min(peers.values()) / floor
    if ours:
        verdict["ratios"] = {name: value / ours for name, value in peers.items()}
        for group, wanted in targets.items():
            members = [ratio for name, ratio in verdict["ratios"].items() if group in ("any peer", family[name])]
            if members:
                verdict["targets"].append({"against": group, "wanted": wanted, "reached": min(members)})
    return verdict


def print_cell(workload, threads, summaries, failed, verdict, figure):
    unit = "ms/step" if figure == "step_ms" else "wall s"
    print(f"\n{workload}, {threads} thread{'s' if threads > 1 else ''}")
    heads = f"{unit:>10}{'fastest':>10}{'samples/s':>11}{'start ms':>10}{'RSS MB':>8}{'peer/ours':>11}"
    print(f"  {'':18}{'version':14}{heads}")

    def cell(value, width, digits):
        return f"{value:>{width}.{digits}f}" if value is not None else f"{'-':>{width}}"

    for name, summary in sorted(summaries.items(), key=lambda item: item[1][figure]):
        digits = 2 if summary[figure] >= 1 else 4
        ratio = verdict["ratios"].get(name)
        print(
            f"  {name:18}{summary['version']:14}"
            + cell(summary[figure], 10, digits)
            + cell(summary.get("fastest_ms"), 10, digits)
            + cell(summary.get("samples_per_s"), 11, 0)
            + cell(summary.get("startup_ms"), 10, 0)
            + cell(summary.get("peak_rss_mb"), 8, 0)
            + (f"{ratio:>10.2f}x" if ratio else f"{'-':>11}")
            + ("" if summary["quiet"] else f"  (others used {summary['others_cores']:.1f} cores)")
        )
    for name, complaint in failed.items():
        print(f"  {name:18}failed: {complaint}")
    if verdict["best_peer"]:
        print(f"  best peer: {verdict['best_peer']}")
    if "within_reach" in verdict:
        print(f"  within reach here (best peer / floor): {verdict['within_reach']:.2f}x")
    for target in verdict["targets"]:
        outcome = "reached" if target["reached"] >= target["wanted"] else "MISSED"
        print(f"  target {target['wanted']}x against {target['against']}: {target['reached']:.2f}x, {outcome}")


def main():
    arguments = parse_arguments()
    venv = arguments.newest_venv if arguments.newest else None
    if arguments.install:
        field.install(venv)
    everyone = field.find(arguments.ours, arguments.data_dir, arguments.seconds, venv)
    for entrant in everyone:
        if entrant.missing:
            print(f"{entrant.name} left out: {entrant.missing}", file=sys.stderr)
    entrants = [entrant for entrant in everyone if not entrant.missing]
    if arguments.epoch:  # a whole process has no floor of this kind
        entrants = [entrant for entrant in entrants if entrant.family != "floor"]
    if not entrants:
        print("nobody can run", file=sys.stderr)
        return 1

    figure = "wall_s" if arguments.epoch else "step_ms"
    disturbed = False
    for workload in arguments.only:
        for threads in arguments.threads:
            runs, failed = measure(entrants, workload, threads, arguments)
            summaries = {name: summarise(done) for name, done in runs.items()}
            targets = (EPOCH_TARGETS if arguments.epoch else TARGETS).get(workload, {}).get(threads, {})
            verdict = judge(summaries, entrants, figure, targets)
            disturbed |= not all(summary["quiet"] for summary in summaries.values())
            if arguments.json:
                contest = {"workload": workload, "threads": threads, "figure": figure, "contestants": summaries}
                print(json.dumps(contest | {"failed": failed, **verdict}), flush=True)
            else:
                print_cell(workload, threads, summaries, failed, verdict, figure)
                sys.stdout.flush()
    if disturbed:
        print("\nThe machine was not quiet: do not quote these figures.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
