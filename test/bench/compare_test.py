"""compare.py against made-up contestants: what it reads, how it ranks, what it says of those that fail.

    python3 test/bench/compare_test.py
"""

import argparse
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

import compare
import contestants

SCRIPT = """import json, sys
print("a line that is not JSON")
print(json.dumps({"name": sys.argv[sys.argv.index("--only") + 1], "step_ms": STEP, "startup_ms": 10}))
"""


def contestant(folder, name, family, script):
    path = pathlib.Path(folder, name)
    path.write_text(script)
    return contestants.Contestant(name, family, [sys.executable, str(path)])


def run(overrides):
    return {"others_cores": 0.0, "wall_s": 1.0} | overrides


class Compare(unittest.TestCase):
    def test_measures_every_contestant_once_per_round_and_reports_the_failing_one(self):
        with tempfile.TemporaryDirectory() as folder:
            entrants = [
                contestant(folder, "renkei", "renkei", SCRIPT.replace("STEP", "2.0")),
                contestant(folder, "peer", "pytorch", SCRIPT.replace("STEP", "3.0")),
                contestant(folder, "broken", "libtorch", "raise SystemExit('no such library')"),
                contestant(folder, "silent", "libtorch", "print('nothing')"),
            ]
            runs, failed = compare.measure(entrants, "W3", 1, argparse.Namespace(rounds=2, wait_idle=0, epoch=False))
        self.assertEqual({name: len(done) for name, done in runs.items()}, {"renkei": 2, "peer": 2})
        self.assertEqual(failed["broken"], "exit status 1: no such library")
        self.assertIn("no JSON line", failed["silent"])

    def test_a_missing_command_is_a_failure_not_a_crash(self):
        entrants = [contestants.Contestant("gone", "pytorch", ["/nonexistent/program"])]
        _, failed = compare.measure(entrants, "W1", 1, argparse.Namespace(rounds=1, wait_idle=0, epoch=True))
        self.assertIn("/nonexistent/program", failed["gone"])

    def test_the_figure_is_the_median_of_the_quiet_runs(self):
        runs = [run({"step_ms": value}) for value in (1.0, 2.0, 9.0)]
        disturbed = run({"step_ms": 100.0, "others_cores": 1.0})
        self.assertEqual(compare.summarise([*runs, disturbed])["step_ms"], 2.0)
        self.assertFalse(compare.summarise([disturbed])["quiet"])

    def test_a_target_counts_the_fastest_member_of_its_group(self):
        entrants = [
            contestants.Contestant(name, family, [])
            for name, family in [("renkei", "renkei"), ("a", "pytorch"), ("b", "libtorch"), ("c", "libtorch")]
        ]
        summaries = {name: {"step_ms": ms} for name, ms in [("renkei", 2.0), ("a", 5.0), ("b", 4.0), ("c", 3.0)]}
        verdict = compare.judge(summaries, entrants, "step_ms", {"pytorch": 2.2, "libtorch": 1.4, "any peer": 1.6})
        self.assertEqual(verdict["best_peer"], "c")
        self.assertEqual([target["reached"] for target in verdict["targets"]], [2.5, 1.5, 1.5])

    def test_the_floor_is_no_peer_and_bounds_what_is_within_reach(self):
        families = [("renkei", "renkei"), ("floor", "floor"), ("a", "pytorch"), ("b", "libtorch")]
        entrants = [contestants.Contestant(name, family, []) for name, family in families]
        summaries = {name: {"step_ms": ms} for name, ms in [("renkei", 2.5), ("floor", 2.0), ("a", 5.0), ("b", 3.0)]}
        verdict = compare.judge(summaries, entrants, "step_ms", {"any peer": 1.45})
        self.assertEqual((verdict["best_peer"], verdict["within_reach"]), ("b", 1.5))
        self.assertEqual(verdict["ratios"], {"a": 2.0, "b": 1.2})
        self.assertNotIn("GLIBC_TUNABLES", entrants[1].environment_for(1))

    def test_without_ours_there_is_a_table_and_no_ratio(self):
        entrants = [contestants.Contestant("a", "pytorch", [])]
        summaries = {"a": compare.summarise([run({"step_ms": 5.0})])}
        verdict = compare.judge(summaries, entrants, "step_ms", {"any peer": 1.45})
        self.assertEqual((verdict["ratios"], verdict["targets"]), ({}, []))
        with contextlib.redirect_stdout(io.StringIO()) as output:
            compare.print_cell("W1", 1, summaries, {"b": "exit status 1: gone"}, verdict, "step_ms")
        self.assertIn("b                 failed: exit status 1: gone", output.getvalue())
        json.dumps(verdict)

    def test_ours_runs_without_tuning_and_peers_with_it(self):
        ours = contestants.Contestant("renkei", "renkei", ["bench"])
        peer = contestants.Contestant("a", "pytorch", ["bench"], {"LD_LIBRARY_PATH": "/blas"}, {"W3": ["--fast"]})
        self.assertNotIn("GLIBC_TUNABLES", ours.environment_for(2))
        self.assertEqual(peer.environment_for(2)["OMP_NUM_THREADS"], "2")
        self.assertEqual(peer.environment_for(2)["LD_LIBRARY_PATH"], "/blas")
        self.assertEqual(ours.command_for("W1", 2, True), "bench --only W1 --threads 2 --epoch".split())
        self.assertEqual(peer.command_for("W3", 1, False), "bench --only W3 --threads 1 --fast".split())


if __name__ == "__main__":
    program = unittest.main(exit=False)
    failures = len(program.result.failures) + len(program.result.errors)
    print(f"{program.result.testsRun - failures} passed, {failures} failed")
    sys.exit(failures > 0)
