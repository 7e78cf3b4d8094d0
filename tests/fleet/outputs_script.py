#!/usr/bin/env python3
"""`--hosts` takes the options and gives the outputs of one machine. The hosts are this machine, without ssh."""
import json
import os
import pathlib
import re
import shlex
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from fleet_case import FleetTest
from harness import main, shape_list

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = [(m, 16, 32) for m in range(4, 8)]
EXAMPLE, STEADY = str(ROOT / "workers/example_worker.py"), str(ROOT / "tests/fleet/steady_worker.py")
TRITON = shlex.join([sys.executable, "-B", str(ROOT / "tests/cli/triton_like_worker.py"), EXAMPLE])


def steady(seconds=0, shipped=("--ship", EXAMPLE, "--ship", STEADY)):
    return ("--worker", f"{sys.executable} -B files/steady_worker.py files/example_worker.py {seconds}", "--libtype",
            "steady", "--iters", "5", "--format", "a16w16", *shipped)


class Outputs(FleetTest):
    def setUp(self):
        super().setUp()
        home = os.environ.get("HOME")
        self.addCleanup(os.environ.update, HOME=home)
        os.environ["HOME"] = str(self.folder)
        self.write("list.csv", shape_list(SIZES))
        self.write("hosts.toml", "address = \"local\"\ndevices = [\"cpu\"]\n" + "".join(
            f"[{name}]\nfolder = \"{self.folder}/hosts/{name}\"\n" for name in ("one", "two")))
        (self.folder / "files").mkdir()  # what one machine reads
        for path in (EXAMPLE, STEADY):
            shutil.copy(path, self.folder / "files")

    def tune(self, output, *more):
        return self.run_program("tune", "-i", "list.csv", "-o", output, "--hosts", "hosts.toml", "--calibration_pct", "0",
                                *more)

    def test_a_budget_ends_the_run_and_the_rest_is_left(self):
        result = self.tune("fleet.csv", *steady(2), "--budget", "1s")  # it ends before a shard begins
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("shards are left; the same command goes on there", result.stdout)
        self.assertEqual(self.rows("fleet.csv"), [])
        again = self.tune("fleet.csv", *steady(2), "--budget", "10m")
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertEqual([int(row["M"]) for row in self.rows("fleet.csv")], [m for m, _, _ in SIZES])

    @staticmethod
    def told(text):
        """What a summary tells of each shape, without the ties, and of all together."""
        winners = [re.split(r"  +", line)[:5] for line in text.splitlines() if re.match(r"\d+x\d+x\d+  ", line)]
        lines = [line for line in text.splitlines() if re.match(r"\d+ tuned|geometric mean|one call of|f32:", line)]
        return winners, lines

    def test_the_summary_is_that_of_one_machine(self):
        one = self.succeed("tune", "-i", "list.csv", "-o", "one.csv", "--device", "cpu", *steady(shipped=()))
        many = self.tune("many.csv", *steady())
        self.assertEqual(many.returncode, 0, many.stdout + many.stderr)
        self.assertEqual(self.told(many.stdout), self.told(one.stdout))
        self.assertEqual(len(self.told(many.stdout)[0]), len(SIZES))
        self.assertEqual(len(self.told(many.stdout)[1]), 4)

    def test_a_benchmark_on_stdout_is_data_alone(self):
        many = self.bench("--json", "--hosts", "hosts.toml", "--calibration_pct", "0")
        self.assertEqual(len(json.loads(many.stdout)["shapes"]), len(SIZES))
        self.assertRegex(many.stderr, r"(?m)^one cpu:0 ")

    def test_tritons_files(self):
        options = ("--iters", "5", "--search", "exhaustive", "--worker", TRITON, "--libtype", "triton",
                   "--emit_triton_json")
        result = self.tune("fleet.csv", *options, "configs")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        tried = {candidate for _, candidate, _ in self.trials("fleet.trials.db")}
        self.assertEqual(len(tried), 2, "what files cannot state is not tried on the hosts either")
        made = sorted(path.name for path in (self.folder / "configs").iterdir())
        self.assertEqual(len(made), 2, made)
        self.assertIn("GEMM-A16W16-N=16-K=32.json: small, any", result.stdout)
        self.assertEqual(set(json.loads((self.folder / "configs" / made[0]).read_text())), {"small", "any"})

    def bench(self, *more):
        return self.succeed("bench", "-i", "list.csv", *steady(), *more)

    def test_a_benchmark_in_every_form(self):
        hosts = ("--hosts", "hosts.toml", "--calibration_pct", "0")
        one = self.succeed("bench", "-i", "list.csv", *steady(shipped=()), "-o", "one.json", "-o", "one.csv", "-o",
                           "one.md", "--device", "cpu")
        many = self.bench("-o", "many.json", "-o", "many.csv", "-o", "many.md", *hosts)
        alone, together = json.loads(self.read("one.json")), json.loads(self.read("many.json"))
        for key in ("problem", "winners"):
            self.assertEqual([shape[key] for shape in together["shapes"]], [shape[key] for shape in alone["shapes"]])
        for key in ("device", "policy"):
            self.assertEqual(together[key], alone[key])
        self.assertEqual(self.read("many.csv"), self.read("one.csv"))
        self.assertEqual(self.read("many.md"), self.read("one.md"))
        self.assertTrue(many.stdout.endswith(one.stdout), many.stdout)

    def test_tables_are_sent_to_the_hosts(self):
        hosts = ("--hosts", "hosts.toml", "--calibration_pct", "0")
        self.assertEqual(self.tune("tuned.csv", *steady()).returncode, 0)
        (self.folder / "other").mkdir()
        shutil.copy(self.folder / "tuned.csv", self.folder / "other/tuned.csv")
        self.bench("--tuned", "tuned.csv", "-o", "tuned.json", *hosts)
        chosen = {backend["chosen_by"] for shape in json.loads(self.read("tuned.json"))["shapes"]
                  for backend in shape["backends"] if not backend["is_default"]}
        self.assertTrue(all("tuned.csv" in each for each in chosen), chosen)
        self.bench("--run_config", "tuned.csv", "-o", "served.csv", *hosts)
        self.assertEqual({row["table_match"] for row in self.rows("served.csv")}, {"exact"})
        self.bench("--compare", "tuned.csv", "other/tuned.csv", "-o", "compared.csv", *hosts)
        self.assertEqual({row["verdict"] for row in self.rows("compared.csv")}, {"same kernel"})

    def test_what_many_machines_refuse(self):
        hosts = ("-i", "list.csv", "--hosts", "hosts.toml")
        for command in (("bench", "--compare", "list.csv", "list.csv", "--update_improved"), ("bench", "--run_config"),
                        ("tune", "-o", "a.csv", "--compare"), ("tune", "-o", "a.csv", "--device", "cpu")):
            self.assertIn("does not go together with --hosts and --slurm", self.fail_with(2, *command, *hosts).stderr)


if __name__ == "__main__":
    main()
