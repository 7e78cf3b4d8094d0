"""The backend of Humming over a stand-in for Humming, which multiplies on the CPU: operands, packing, names of
candidates. Whether Humming itself is right, a GPU says."""

import dataclasses
import importlib.util
import json
import sys
import types
import unittest
import unittest.mock
from typing import Optional

from gemmtune_worker.failure import CandidateFailed
from gemmtune_worker.problem import parse_problem

MXFP4 = "e2m1/1x32:bf16:packed"
PROBLEMS = ("33x72x128:bf16:", "33x72x128:e4m3/row:", "33x72x128:bf16/fp8_row:", "20x72x256:e4m3/1x128:",
            "20x72x256:bf16/fp8_1x128:")


def has_torch_with_fp8():
    if importlib.util.find_spec("torch") is None:
        return False
    import torch
    return hasattr(torch, "float8_e4m3fn")


@dataclasses.dataclass
class TuningConfig:
    """Some fields of Humming's, and one that has no short code."""

    block_shape: tuple
    warp_shape: tuple
    mma_type: Optional[str] = None
    use_stream_k: bool = True
    use_tma: Optional[bool] = None
    use_warp_spec: Optional[bool] = None
    smem_reuse_mode: Optional[str] = None
    num_stages: int = 2
    num_ctas_per_sm: int = 1
    raster_group_m: int = 1
    multi_cast_size_a: int = 1
    a_new_field: int = 0


class Device:
    """A property is a fact that a compiling process is told."""

    _value = None
    max_smem_size = property(lambda self: 227 * 1024)


class Schema(types.SimpleNamespace):
    @classmethod
    def from_config(cls, config):
        return cls(**config)

    def to_humming_schema(self, _param_dtype):
        return self


class LayerConfig(types.SimpleNamespace):
    weight_scale_2_type = types.SimpleNamespace(value="tensor")

    def to_str(self):
        return json.dumps({"shape_n": self.shape_n, "scales": self.weight_scale_2_type.value})


class Kernels:
    """What was compiled before it was launched."""

    prepared = set()

    @classmethod
    def prepare_kernels(cls, layer_config, _compute_config, tuning_config, _device):
        cls.prepared.add((layer_config, tuning_config))


def prepare_layer_config(device, weight_schema, input_schema, **shape):
    assert (device, weight_schema.quant_method, input_schema.quant_method) == (0, "mxfp4", "humming")
    return LayerConfig(**shape)


def heuristics(_layer, shape_m, use_batch_invariant, device):
    if shape_m > 1024:
        raise AssertionError("no such M")
    rows = min(max(-(-shape_m // 16) * 16, 16), 128)
    return {"block_shape": (rows, 128, 64), "warp_shape": (rows, 32, 64), "mma_type": "wgmma", "num_stages": 4,
            "use_stream_k": not use_batch_invariant, "use_tma": True, "use_warp_spec": True, "use_f16_accum": False}


def make_layer_class(torch):
    from gemmtune_worker.formats import _small_value
    from gemmtune_worker.torch_arrays import TorchArrays
    values = torch.tensor([_small_value("e2m1", code) for code in range(16)])

    class Layer(torch.nn.Module):
        def __init__(self, weight_config, input_config, **shape):
            super().__init__()
            self.is_fp8, self.group = input_config["dtype"] == "float8e4m3", input_config.get("group_size", 0)
            self.humming_config = LayerConfig(**shape)

        def load_from_tensors(self, tensors):
            self.loaded = {name: x.clone() for name, x in tensors.items()}

        def transform(self):
            codes, scales = self.loaded["weight"], self.loaded["weight_scale"]
            pairs = torch.stack([codes & 15, codes >> 4], -1).flatten(-2).long()
            real = values[pairs] * torch.exp2(scales.float() - 127).repeat_interleave(32, 1)
            self.weight = torch.nn.Parameter(real, requires_grad=False)
            if self.is_fp8 and int(scales.amax()) - int(scales.amin()) > 11:
                self.humming_config.weight_scale_2_type = types.SimpleNamespace(value="channel")

        def forward(self, a, outputs, input_scale, tuning_config):
            assert (self.humming_config.to_str(), tuning_config) in Kernels.prepared, "it is compiled in a launch"
            real = a.float()
            if self.is_fp8 and a.dtype == torch.bfloat16:
                real = self.quantised(real)
            elif self.is_fp8:
                assert input_scale.shape == (a.shape[0], a.shape[1] // self.group if self.group else 1)
                real = real * input_scale.repeat_interleave(self.group or a.shape[1], 1)
            outputs.copy_(real @ self.weight.T)

        def quantised(self, real):
            """By gemmtune's rule. Humming multiplies with the inverse of the scale: some ties are rounded otherwise."""
            groups = real.reshape(real.shape[0], -1, self.group or real.shape[1])
            scales = (groups.abs().amax(-1, keepdim=True) / 448).clamp(min=1e-30)
            codes = (groups / scales).to(torch.float8_e4m3fn)
            return (codes.float() * scales).reshape(real.shape)

    assert TorchArrays("cpu")
    return Layer


def modules(torch):
    """By name. A package stands for itself."""
    device = Device()
    made = {"": {"__version__": "1.2"}, "config": {"ComputeConfig": dict, "TuningConfig": TuningConfig},
            "device": {"current_device": device}, "forward": {"may_process_input": lambda *_: None}, "kernel": {},
            "kernel.humming": {"HummingKernel": Kernels}, "layer": {"HummingLayer": make_layer_class(torch)},
            "schema": {"BaseInputSchema": Schema, "BaseWeightSchema": Schema},
            "transform": {"prepare_layer_config": prepare_layer_config},
            "tune": {"get_heuristics_config": heuristics}, "utils": {},
            "utils.smem": {"estimate_smem_size_config": lambda _layer, _compute, tuning: tuning.num_stages << 15}}
    found = {}
    for name, members in made.items():
        full = f"humming.{name}".removesuffix(".")
        found[full] = types.ModuleType(full)
        found[full].__dict__.update(members, __path__=[])
    return found


@unittest.skipUnless(has_torch_with_fp8(), "torch is missing, or has no FP8 (pip install torch)")
class HummingTest(unittest.TestCase):
    def setUp(self):
        import torch
        from gemmtune_worker.device import CpuDevice
        patch = unittest.mock.patch.dict(sys.modules, modules(torch))
        patch.start()
        self.addCleanup(patch.stop)
        from gemmtune_worker.backends import humming_backend
        self.cpu = CpuDevice(torch)
        self.backend = humming_backend.make(types.SimpleNamespace(kind="cuda", index=0, arrays=self.cpu.arrays))
        self.space = humming_backend.space
        self.addCleanup(lambda: [sys.modules.pop(f"gemmtune_worker.backends.{name}", None)
                                 for name in ("humming_backend", "humming_space")])

    def attempt(self, problem, recipe, name):
        from gemmtune_worker.attempt import Attempt
        from gemmtune_worker.workload import Workload
        verify = {"err_ratio_limit": 0.05, "atol": 1e-2, "rtol": 1e-2, "full_reference_flops": 10 ** 9}
        load = Workload(self.cpu, problem, (recipe, 3), verify)
        load.grow(2)
        found = Attempt(self.cpu, {"family": "humming", "name": name}, "screen")
        if found.prepare(lambda: self.backend.prepare(problem, name)) and found.load(load, lambda _: 2):
            found.check(load, [0, 1])
            found.check_memory(load)
        return found

    def test_operands_arrive_as_humming_takes_them(self):
        """And wide rows are multiplied with another kernel, which no launch compiles."""
        for text in PROBLEMS:
            problem = parse_problem(text + MXFP4)
            name = self.backend.candidates(problem)[0].name
            for recipe in ("gaussian", "one_sign", "zero_blocks", "wide_rows"):
                found = self.attempt(problem, recipe, name)
                self.assertTrue(found.alive, f"{text} {recipe}: {found.failure and found.failure.reason}")
                self.assertEqual(found.packed_bytes, problem.n * problem.k * 4)

    def test_weights_that_would_be_rounded_are_declined(self):
        from gemmtune_worker.backends.humming_backend import check_range
        from gemmtune_worker.workload import Workload
        problem = parse_problem("33x72x128:e4m3/row:" + MXFP4)
        for recipe, by_row, fits in (("gaussian", False, True), ("wide_rows", False, False), ("wide_rows", True, True),
                                     ("wide_exponents", True, False), ("nan_scales", True, False),
                                     ("zero_blocks", False, True)):
            load = Workload(self.cpu, problem, (recipe, 3), {})
            load.grow(1)
            kind = types.SimpleNamespace(value="channel" if by_row else "tensor")
            try:
                check_range(types.SimpleNamespace(weight_scale_2_type=kind), load.operands[0])
                self.assertTrue(fits, f"{recipe} by_row={by_row} is taken")
            except CandidateFailed as failure:
                self.assertEqual((failure.outcome, fits), ("unsupported", False), f"{recipe} by_row={by_row}")

    def test_the_default_comes_first_and_sums_both_ways_are_there(self):
        found = self.backend.candidates(parse_problem("64x4096x4096:bf16:" + MXFP4))
        self.assertEqual(found[0].name, "humming_wgmma_b64x128x64_w64x32x64_s4_ws1_tma1")
        self.assertEqual(found[0].params[:2], (("mma", "wgmma"), ("b", "64x128x64")))
        self.assertEqual([one.is_default for one in found], [True] + [False] * (len(found) - 1))
        names = [one.name for one in found]
        self.assertEqual(len(set(names)), len(names))
        self.assertIn("humming_wgmma_b64x128x64_w64x32x64_s4_sk0_ws1_tma1", names)
        self.assertIn("humming_wgmma_b48x128x64_w48x32x64_s4_ws1_tma1", names, "the choice for another M")
        self.assertFalse([name for name in names if "_b128" in name], "most of such a tile is empty")
        self.assertFalse([name for name in names if "_c3_" in name], "three of them have too much shared memory")
        for name in names:
            self.assertEqual(self.space.name_of(self.space.parse_name(name)), name)

    def test_names_state_all_that_differs_from_the_defaults(self):
        config = {"block_shape": [8, 128, 64], "warp_shape": (8, 32, 64), "use_stream_k": False, "use_tma": False,
                  "smem_reuse_mode": "last_stage", "a_new_field": 3, "num_sms": 66, "use_warp_spec": True}
        name = "humming_b8x128x64_w8x32x64_sk0_ws1_reuselaststage_sms66_anewfield3"
        self.assertEqual(self.space.name_of(config), name)
        self.assertEqual(self.space.parse_name(name), {"block_shape": (8, 128, 64), "warp_shape": (8, 32, 64),
                                                       "use_stream_k": False, "use_warp_spec": True, "a_new_field": 3,
                                                       "smem_reuse_mode": "last_stage", "num_sms": 66})
        for other in ("humming", "humming_b8x128x64", "humming_w8x32x64_b8x128x64", "mine_b8x128x64_w8x32x64",
                      "humming_b8x128x64_w8x32x64_zz4", "humming_b8x128x64_w8x32x64_s2",
                      "humming_b8x128x64_w8x32x64_s"):
            self.assertIsNone(self.space.parse_name(other), other)
            self.assertRaises(CandidateFailed, self.backend.prepare, parse_problem(PROBLEMS[0] + MXFP4), other)

    def test_problems_that_it_does_not_take_are_declined(self):
        for text, reason in (("33x72x128:bf16:e2m1/1x32:bf16", "packed weights only"),
                             ("33x72x128:f16:e2m1/1x32:f16:packed", "not for f16"),
                             ("33x72x128:bf16:bf16:bf16:packed", "not for bf16:bf16:bf16"),
                             ("33x70x128:bf16:" + MXFP4, "N that 8 and K that 32"),
                             ("33x72x160:e4m3/1x128:" + MXFP4, "K that 128"),
                             ("33x72x128:bf16:e2m1/1x32:bf16:bias:packed", "without bias"),
                             ("2000x72x128:bf16:" + MXFP4, "AssertionError: no such M")):
            self.assertIn(reason, self.backend.why_not(parse_problem(text)), text)
        self.assertEqual(self.backend.why_not(parse_problem("33x72x128:bf16:" + MXFP4)), "")

    def test_compiling_ahead_is_told_the_device(self):
        problem = parse_problem(PROBLEMS[0] + MXFP4)
        function, arguments = self.backend.compile_job(problem, self.backend.candidates(problem)[0].name)
        self.assertEqual(arguments[2], {"max_smem_size": 227 * 1024})
        json.dumps(arguments)
        self.assertEqual(function.__name__, "compile_kernel")
        self.assertIsNone(self.backend.compile_job(problem, "humming_of_yours"))


if __name__ == "__main__":
    unittest.main()
