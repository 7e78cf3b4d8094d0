"""The space of the Triton kernels, and the kernels themselves in Triton's interpreter where it is installed."""

import importlib.util
import os
import unittest

os.environ["TRITON_INTERPRET"] = "1"  # before Triton is imported

from gemmtune_worker.backends import triton_space as space
from gemmtune_worker.problem import parse_problem

H100 = space.Limits(132, 232448, is_amd=False, has_tma=True)
MI300 = space.Limits(304, 65536, is_amd=True, has_tma=False)
BLOCKSCALE = "e4m3/1x128:e4m3/128x128:bf16"
GUIDE = {"s": {1, 2, 3, 4}, "bm": {32, 64, 128}, "bn": {32, 64, 128}, "g": {1, 8, 16}, "w": {2, 4, 8}, "k": {1, 2, 4},
         "wpe": {2, 4, 8}, "kp": {2}, "mi": {16}, "cg": {0, 1}}
PROBLEMS = ("64x7168x2048:bf16:bf16:bf16", "64x4096x7168:" + BLOCKSCALE, "16x8192x8192:e2m1/1x32:e2m1/1x32:bf16",
            "512x1024x1024:e4m3/row:e4m3/row:bf16", "33x100x72:int8/row:int8/tensor:bf16")


class SpaceTest(unittest.TestCase):
    def test_contains_the_axes_of_the_tuning_guide(self):
        """Of several M, as the guide has them: no single one has a use for each value."""
        found = {key: set() for key in GUIDE}
        for m in (16, 64, 512, 4096):
            for params in space.candidates(parse_problem(f"{m}x1024x4096:{BLOCKSCALE}"), MI300):
                for key in GUIDE:
                    found[key].add(getattr(params, key))
        for key, values in GUIDE.items():
            self.assertLessEqual(values, found[key], key)

    def test_names_state_all_parameters(self):
        for text in PROBLEMS:
            for limits in (H100, MI300):
                found = space.candidates(parse_problem(text), limits)
                names = {params.name() for params in found}
                self.assertEqual(len(names), len(found))
                self.assertGreater(len(found), 50, text)
                self.assertTrue(all(space.parse_name(params.name()) == params for params in found))

    def test_other_names_are_no_candidates(self):
        for name in ("triton", "triton_bm64", "triton_bm064_bn64_bk64_g1_w4_s3_k1", "gluon_bm64_bn64_bk64_g1_w4_s3_k1",
                     "triton_bm64_bn64_bk64_g1_w4_s3_k1_p0", "triton_bn64_bm64_bk64_g1_w4_s3_k1"):
            self.assertIsNone(space.parse_name(name), name)

    def test_what_is_pruned_has_a_reason(self):
        small = parse_problem("16x8192x8192:bf16:bf16:bf16")
        for params, reason in ((space.Params(128, 128, 64), "BLOCK_SIZE_M = 128 is more than M = 16 needs"),
                               (space.Params(16, 256, 128, s=5, g=1), "5 stages take"),
                               (space.Params(16, 128, 64, g=8), "one row of tiles is the same in any group"),
                               (space.Params(16, 64, 64, g=1, k=16), "without a split"),
                               (space.Params(16, 96, 64, g=1), "bn = 96 is not among"),
                               (space.Params(16, 32, 64, g=1, w=8), "too few to be worth 8 warps")):
            self.assertIn(reason, space.why_not(small, params, H100))
        self.assertEqual(space.why_not(small, space.Params(16, 64, 128, g=1, w=4, s=4, k=2), H100), "")


def right(problem, params, recipe="gaussian"):
    """'' or what is wrong with the product."""
    import torch  # noqa: F401
    from gemmtune_worker.backends.triton_calls import Calls
    from gemmtune_worker.device import CpuDevice
    from gemmtune_worker.workload import Workload
    device = CpuDevice(torch)
    verify = {"err_ratio_limit": 0.05, "atol": 1e-2, "rtol": 1e-2, "full_reference_flops": 10 ** 9}
    load = Workload(device, problem, (recipe, 3), verify)
    load.grow(1)
    calls = Calls(problem, params, units=2)
    size = calls.partial_size()
    for call in calls.of(load.operands[0], torch.empty(size, dtype=calls.partial_type) if size else None):
        call.launch()
    return load.verdict(0).why or load.arena.damage()


@unittest.skipUnless(importlib.util.find_spec("triton"), "Triton is missing (pip install torch triton)")
class InterpretedTest(unittest.TestCase):
    """Without bf16 products, for which the interpreter of Triton 3.6 computes other numbers, and without dot_scaled,
    which it does not have."""

    def test_kernels_are_right(self):
        tile = {"bm": 16, "bn": 32, "bk": 64, "g": 8, "w": 4, "s": 2}
        for text, variants in (("40x70x136:f16:f16:f16:bias", ({}, {"k": 2}, {"p": 1}, {"t": 1})),
                               ("20x70x136:f16:f16:f32:tn:batch=2", ({}, {"k": 2})),
                               ("40x70x144:e4m3/row:e4m3/tensor:f16", ({}, {"k": 2}, {"t": 1})),
                               ("40x70x144:int8/tensor:int8/row:f16", ({}, {"k": 2})),
                               ("20x150x200:e4m3/1x128:e4m3/128x128:f16",
                                ({"bk": 128}, {"bk": 128, "bn": 256, "k": 2}))):
            for variant in variants:
                for recipe in ("gaussian", "wide_rows"):
                    why = right(parse_problem(text), space.Params(**{**tile, **variant}), recipe)
                    self.assertEqual(why, "", f"{text} {variant} {recipe}")

    def test_mxfp4_is_folded_into_fp8_exactly(self):
        """And to 2^-17 of a row's largest element, where blocks are further apart than E4M3 can hold."""
        import torch
        from gemmtune_worker.backends.gluon_fold import Folded
        from gemmtune_worker.device import CpuDevice
        from gemmtune_worker.real import real_matrices
        from gemmtune_worker.workload import Workload
        problem = parse_problem("17x20x2144:e2m1/1x32:e2m1/1x32:f32")
        for recipe in ("gaussian", "zero_blocks", "wide_rows", "nan_scales", "wide_exponents"):
            load = Workload(CpuDevice(torch), problem, (recipe, 1), {})
            load.grow(1)
            folded = Folded(problem, "cpu")
            for call in folded.calls(load.operands[0]):
                call.launch()
            found = folded.operands(load.operands[0])
            for name, rows in (("a", problem.m), ("w", problem.n)):
                values = getattr(found, name).reshape(rows, problem.k).double()
                real = values * getattr(found, name + "_scale").double()[:, None]
                expected = real_matrices(load.plain, name)[0].rows(slice(None))
                self.assertTrue(torch.equal(real.isnan(), expected.isnan()), f"{recipe} {name}")
                far = (real - expected).nan_to_num().abs()
                share = 2.0 ** -17 if recipe == "wide_exponents" else 0.0
                allowed = expected.nan_to_num().abs().amax(1, keepdim=True) * share
                self.assertTrue((far <= allowed).all(), f"{recipe} {name}: {far.max()}")


if __name__ == "__main__":
    unittest.main()
