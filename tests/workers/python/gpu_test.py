"""On a GPU: operands are those of the host, kernels are right, and a fault costs one candidate."""

import importlib.util
import pathlib
import unittest

from gemmtune_worker.arrays import NumpyArrays
from gemmtune_worker.operands import Plain
from gemmtune_worker.problem import parse_problem
from gemmtune_worker.recipes import RECIPES
from worker_process import Worker

FAULTING = str(pathlib.Path(__file__).with_name("faulting_backend.py"))
PACKING = str(pathlib.Path(__file__).with_name("packing_torch_backend.py"))
PROBLEM = "64x256x512:f32:f32:f32"
TYPES = ("bf16:bf16:f16:bias", "f16:f16:f16:residual", "e4m3/tensor:e4m3/row:bf16", "int8/row:int8/tensor:bf16",
         "e4m3/1x128:e4m3/128x128:bf16", "e2m1/1x32:e2m1/1x32:bf16", "bf16/fp8_row:e2m1/1x32:bf16")


def has_gpu():
    if importlib.util.find_spec("torch") is None or importlib.util.find_spec("triton") is None:
        return False
    import torch
    return torch.cuda.is_available()


@unittest.skipUnless(has_gpu(), "no GPU, or no torch and Triton for it")
class GpuTest(unittest.TestCase):
    def worker(self, *arguments):
        found = Worker(*arguments, device="cuda:0")
        self.addCleanup(found.end)
        return found

    def test_operands_are_those_of_the_host(self):
        from gemmtune_worker.torch_arrays import TorchArrays
        for types in TYPES:
            problem = parse_problem(f"130x200x280:{types}")
            for recipe in RECIPES:
                here = Plain(NumpyArrays(), problem, recipe, 1).stored()
                there = Plain(TorchArrays("cuda:0"), problem, recipe, 1).stored()
                for name, x in here.items():
                    self.assertEqual(x.tobytes(), there[name].cpu().numpy().tobytes(), f"{types} {recipe} {name}")

    def test_kernels_are_right_at_every_stage(self):
        for family in ("torch", "triton"):
            worker = self.worker(family)
            for types in ("bf16:bf16:bf16", "e4m3/row:e4m3/row:bf16", "e4m3/1x128:e4m3/128x128:bf16"):
                problem = f"64x256x512:{types}"
                listed = worker.ask("candidates", problem=problem)[0]["candidates"][:3]
                for stage in ("screen", "confirm", "prove"):
                    for name, one in worker.evaluate([c["name"] for c in listed], stage, family, problem).items():
                        self.assertIn(one["outcome"], ("ok",) if "fast" not in name else ("ok", "wrong_result"),
                                      f"{problem} {stage} {name}: {one['reason']}")

    def test_packed_weights_are_those_of_each_set(self):
        worker, problem = self.worker(PACKING), "64x256x512:bf16:bf16:bf16:packed"
        for stage in ("screen", "confirm", "prove"):
            found = worker.evaluate(["packing_torch_transposed"], stage, "packing_torch", problem, cold_cache=True)
            one = found["packing_torch_transposed"]
            self.assertEqual(one["outcome"], "ok", f"{stage}: {one['reason']}")
            if stage != "prove":
                self.assertEqual(one["timing"]["packed_bytes"], 256 * 512 * 2)

    @unittest.skipUnless(importlib.util.find_spec("humming"), "Humming is missing (pip install humming-kernels)")
    def test_humming_multiplies_weights_of_four_bits(self):
        """Without Stream-K, whose sums in bf16 may be further off than the bound."""
        worker = self.worker("humming")
        for a in ("bf16", "e4m3/row", "e4m3/1x128"):
            problem = f"64x1024x4096:{a}:e2m1/1x32:bf16:packed"
            listed = worker.ask("candidates", problem=problem)[0]["candidates"]
            name = next(one["name"] for one in listed if "_sk0" in one["name"])
            for stage in ("screen", "confirm", "prove"):
                one = worker.evaluate([name], stage, "humming", problem, cold_cache=True)[name]
                self.assertEqual(one["outcome"], "ok", f"{problem} {stage} {name}: {one['reason']}")

    def test_a_fault_costs_one_candidate(self):
        worker = self.worker(FAULTING)
        found = worker.evaluate(["faulting_right", "faulting_address", "faulting_right"], "screen", "faulting", PROBLEM)
        self.assertEqual(found["faulting_right"]["outcome"], "ok")
        self.assertEqual(found["faulting_address"]["outcome"], "launch_failed")
        self.assertIn("illegal", found["faulting_address"]["reason"])
        self.assertIsNone(worker.read(), "the worker goes on with a device that is lost")
        worker.process.wait(timeout=20)
        again = self.worker(FAULTING).evaluate(["faulting_right"], "screen", "faulting", PROBLEM)
        self.assertEqual(again["faulting_right"]["outcome"], "ok")


if __name__ == "__main__":
    unittest.main()
