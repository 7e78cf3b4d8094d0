"""Humming, where it is installed: the strongest peer for MXFP4 weights with bf16 or FP8 activations. Its layer packs
the weights and multiplies, as its users have it. It compiles with NVRTC (or nvcc) at run time.

The default is what its heuristics choose for M. Where they choose Stream-K, partial sums are added as bf16 in C, which
may be further off than rounding once explains: each such candidate has one beside it that adds whole tiles.
"""

import json
import types

import humming
import torch
from humming.device import current_device
from humming.forward import may_process_input
from humming.kernel.humming import HummingKernel
from humming.layer import HummingLayer
from humming.schema import BaseInputSchema, BaseWeightSchema
from humming.transform import prepare_layer_config
from humming.tune import get_heuristics_config

from gemmtune_worker.backend import Backend, Candidate, Kernel
from gemmtune_worker.backends import humming_space as space
from gemmtune_worker.failure import last_line, unsupported

WEIGHTS = {"quant_method": "mxfp4"}
BF16 = {"quant_method": "humming", "dtype": "bfloat16"}
FP8 = {"quant_method": "humming", "dtype": "float8e4m3"}
FP8_BLOCKS = {**FP8, "group_size": 128}
# What each A is to Humming, and what K must be a multiple of.
INPUTS = {"bf16": (BF16, 32), "e4m3/row": (FP8, 64), "bf16/fp8_row": (FP8, 64), "e4m3/1x128": (FP8_BLOCKS, 128),
          "bf16/fp8_1x128": (FP8_BLOCKS, 128)}
HELD_BINADES = 11  # of scales below the largest one, where weights are expanded to E4M3
DEVICE_FACTS = [name for name, value in vars(type(current_device)).items() if isinstance(value, property)]


class HummingBackend(Backend):
    family = "humming"

    def __init__(self, device):
        super().__init__(device)
        self.listed = {}

    def version(self):
        return humming.__version__

    def why_not(self, problem):
        if self.device.kind != "cuda":
            return "Humming is for NVIDIA GPUs"
        if str(problem.a) not in INPUTS or (str(problem.w), problem.out) != ("e2m1/1x32", "bf16"):
            return f"Humming is asked for MXFP4 weights and bf16 outputs here, not for {problem.types()}"
        if not problem.packed:
            return "Humming multiplies packed weights only"
        if not problem.is_plain() or problem.batch > 1:
            return "one matrix of contiguous rows is multiplied here, without bias"
        of_k = INPUTS[str(problem.a)][1]
        if problem.n % 8 or problem.k % of_k:
            return f"Humming wants N that 8 and K that {of_k} divides for this A"
        try:
            self._configs(problem)
        except Exception as error:  # its heuristics assert what they can do
            return f"Humming has no configuration: {last_line(error)}"
        return ""

    def candidates(self, problem):
        return [Candidate(space.name_of(config), space.params_of(config), is_default=number == 0)
                for number, config in enumerate(self._configs(problem))]

    def prepare(self, problem, name):
        config = space.parse_name(name)
        if config is None:
            raise unsupported(f"no candidate '{name}' here")
        tuning, layer_config = json.dumps(config), self.layer_config(problem)
        self._compile(layer_config, tuning)
        if problem.a.multiplied() != problem.a:  # the kernels that quantise are compiled when they are first called
            some = torch.zeros((problem.m, problem.k), dtype=torch.bfloat16, device=self.device.arrays.device)
            may_process_input(layer_config, some)

        def launch(o):
            scale = None if o.a_scale is None else o.a_scale[0]
            o.packed(o.a[0], outputs=o.c[0], input_scale=scale, tuning_config=tuning)
        return Kernel(launch, pack=lambda o: self._pack(problem, o, tuning))

    def compile_job(self, problem, name):
        config = space.parse_name(name)
        if config is None:
            return None
        device = {fact: getattr(current_device, fact) for fact in DEVICE_FACTS}
        return compile_kernel, [json.loads(self.layer_config(problem).to_str()), config, device]

    def layer_config(self, problem):
        """Of ordinary weights: those with wide exponents may get another one when they are packed."""
        weights = BaseWeightSchema.from_config(WEIGHTS).to_humming_schema(torch.bfloat16)
        inputs = BaseInputSchema.from_config(INPUTS[str(problem.a)][0])
        return prepare_layer_config(weight_schema=weights, input_schema=inputs, device=self.device.index,
                                    **_shape(problem))

    def _configs(self, problem):
        if problem.text not in self.listed:
            layer = self.layer_config(problem)
            choose = lambda m, invariant: get_heuristics_config(layer, shape_m=m, use_batch_invariant=invariant,
                                                                device=self.device.index)
            self.listed = {problem.text: space.listed(layer, problem.m, choose)}
        return self.listed[problem.text]

    def _compile(self, layer_config, tuning):
        """Launches find it by the same texts."""
        HummingKernel.prepare_kernels(layer_config.to_str(), None, tuning, self.device.index)

    def _pack(self, problem, o, tuning):
        with torch.device(o.w.device):
            layer = HummingLayer(weight_config=dict(WEIGHTS), input_config=dict(INPUTS[str(problem.a)][0]),
                                 **_shape(problem))
        layer.load_from_tensors({"weight": o.w[0], "weight_scale": o.w_scale[0]})
        layer.transform()
        if str(problem.a) != "bf16":
            check_range(layer.humming_config, o)
        self._compile(layer.humming_config, tuning)
        return layer, sum(x.numel() * x.element_size() for x in layer.parameters())


def _shape(problem):
    """The narrowest tiles have 128 columns, or 64 for FP8: N is padded to whole ones."""
    return {"shape_n": problem.n, "shape_k": problem.k, "torch_dtype": torch.bfloat16,
            "pad_n_to_multiple": 128 if str(problem.a) == "bf16" else 64}


def check_range(layer_config, o):
    """Scales become exponents of E4M3, which reach 2^11 below the largest one of a matrix, or of a row where Humming
    sees that a matrix has more. It rounds values whose scales are smaller, and takes NaN for 2^128."""
    codes = o.w_scale[0].to(torch.int16)
    has_value = ((o.w[0].reshape(*codes.shape, -1) & 0x77) != 0).any(-1)
    by_row = getattr(layer_config.weight_scale_2_type, "value", "") == "channel"
    largest = codes.amax(-1, keepdim=True) if by_row else codes.amax()
    if bool((((codes < largest - HELD_BINADES) & has_value) | (codes == 255)).any()):
        raise unsupported(f"Humming keeps scales within 2^{HELD_BINADES} of the largest, and no NaN")


def compile_kernel(layer, config, device):
    """In a process of its own, which does not touch the device: what is compiled is in Humming's cache then. There is
    nothing to load it with."""
    current_device._value = types.SimpleNamespace(**device)
    HummingKernel.register_kernel = lambda self: None
    HummingKernel(**layer, **{key: value for key, value in config.items() if key != "num_sms"})


def make(device):
    return HummingBackend(device)
