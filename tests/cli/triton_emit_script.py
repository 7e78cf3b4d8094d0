#!/usr/bin/env python3
"""gemmtune tune with Triton kernels: their configuration files, written and read."""
import json
import pathlib
import shlex
import sys

from harness import CommandTest, main, shape_list

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKER = shlex.join([sys.executable, "-B", str(ROOT / "tests/cli/triton_like_worker.py"),
                     str(ROOT / "workers/example_worker.py")])
PLAIN, CACHED = "triton_bm16_bn32_bk32_g1_w4_s2_k1", "triton_bm16_bn16_bk32_g8_w2_s3_k1_cg1"
CONFIGS = {PLAIN: {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 32, "GROUP_SIZE_M": 1, "num_warps": 4,
                   "num_stages": 2, "cache_modifier": None, "NUM_KSPLIT": 1},
           CACHED: {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 16, "BLOCK_SIZE_K": 32, "GROUP_SIZE_M": 8, "num_warps": 2,
                    "num_stages": 3, "cache_modifier": ".cg", "NUM_KSPLIT": 1}}


class Emit(CommandTest):
    def tune_triton(self, sizes, *more):
        self.write("f32.csv", shape_list(sizes))
        return self.run_program("tune", "-i", "f32.csv", "-o", "out.csv", "--device", "cpu", "--iters", "5", "--search",
                                "exhaustive", "--worker", WORKER, "--libtype", "triton", *more)

    def emit(self, sizes, *more):
        result = self.tune_triton(sizes, "--emit-triton-json", "configs", *more)
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        self.winners = {(int(row["M"]), int(row["N"])): row["kernelName"] for row in self.rows("out.csv")}
        return result

    def file(self, size=""):
        arch = self.succeed("devices", "--json").stdout
        arch = next(device["arch"] for device in json.loads(arch) if device["kind"] == "cpu").replace("-", "_")
        return self.folder / "configs" / f"{arch}-GEMM-A16W16{size}.json"

    def config(self, m, n=16):
        return CONFIGS[self.winners[m, n]]

    def test_the_seeds_categories(self):
        result = self.emit([(4, 16, 32), (32, 16, 32), (80, 16, 32), (8, 32, 32)])
        made = json.loads(self.file("-N=16-K=32").read_text())
        self.assertEqual(made, {"small": self.config(4), "medium_M32": self.config(32), "medium_M128": self.config(80),
                                "any": self.config(80)})
        self.assertEqual(json.loads(self.file("-N=32-K=32").read_text())["small"], self.config(8, 32))
        common = json.loads(self.file().read_text())
        self.assertEqual(set(common), {"small", "medium_M32", "medium_M128", "any"})
        self.assertIn("GEMM-A16W16-N=16-K=32.json: small, medium_M32, medium_M128, any", result.stdout)

    def test_only_what_files_can_state_is_tried(self):
        self.emit([(4, 16, 32)])
        tried = {candidate for _, candidate, _ in self.trials("out.trials.db")}
        self.assertEqual(tried, set(CONFIGS))
        self.tune_triton([(4, 16, 32)], "--all", "--fresh")
        tried = {candidate for _, candidate, _ in self.trials("out.trials.db")}
        self.assertEqual(len(tried), 3, "without files, persistent kernels are tried too")

    def test_todays_keys(self):
        self.emit([(4, 16, 32), (100, 16, 32)], "--triton_keys", "bounds")
        self.assertEqual(list(json.loads(self.file("-N=16-K=32").read_text())), ["M_LEQ_4", "M_LEQ_128", "any"])
        self.assertIn("expected bounds, sizes, categories or ranges", self.tune_triton([(4, 16, 32)], "--triton_keys", "x").stderr)

    def test_what_a_file_has_for_other_m_stays(self):
        self.emit([(4, 16, 32)])
        path = self.file("-N=16-K=32")
        present = {"_note": "by hand", "small": {"BLOCK_SIZE_M": 64}, "xlarge": {"BLOCK_SIZE_M": 128}, "any": {"a": 1}}
        path.write_text(json.dumps(present, indent=4))
        self.emit([(4, 16, 32), (64, 16, 32)])
        made = json.loads(path.read_text())
        self.assertEqual(made, present | {"small": self.config(4), "medium_M64": self.config(64)})
        self.assertEqual(list(made)[-1], "any")
        path.write_text('{"M_LEQ_4": {}}')
        result = self.tune_triton([(4, 16, 32)], "--emit-triton-json", "configs")
        self.assertEqual(result.returncode, 2)
        self.assertIn("its keys are bounds, not sizes", result.stderr)

    def test_a_known_configuration_is_the_default_choice(self):
        (self.folder / "known").mkdir()
        self.emit([(4, 16, 32)])
        self.file("-N=16-K=32").rename(self.folder / "known" / self.file("-N=16-K=32").name)
        path = self.folder / "known" / self.file("-N=16-K=32").name
        for config in CONFIGS.values():
            path.write_text(json.dumps({"any": config}))
            result = self.tune_triton([(4, 16, 32)], "--all", "--fresh", "--triton_configs", "known", "-o2", "p.csv")
            self.assertEqual(result.returncode, 0, result.stderr)
            won = CONFIGS.get(self.rows("out.csv")[0]["kernelName"])
            self.assertEqual(" us, default, " in result.stderr, won == config, result.stderr)
        path.write_text(json.dumps({"any": CONFIGS[PLAIN] | {"BLOCK_SIZE_M": 128}}))
        self.tune_triton([(4, 16, 32)], "--all", "--fresh", "--triton_configs", "known", "-o2", "unknown.csv")
        failed = [row for row in self.rows("unknown.csv") if row["kernelName"].startswith("triton_bm128")]
        self.assertEqual(len(failed), 1, "what the worker does not know is asked for, and fails with a reason")

    def test_candidates_to_come_are_told_ahead(self):
        self.emit([(4, 16, 32)])
        self.assertEqual(self.read("expected.txt").split(), list(CONFIGS))


if __name__ == "__main__":
    main()
