#!/usr/bin/env python3
"""The plugins for vLLM and SGLang, without a GPU and without the servers: modules with the servers' names stand for them.

Where GEMMTUNE_SERVER_SOURCES names a folder with the unpacked wheels of vLLM and SGLang, the base classes and the hook
registry are the servers' own, and names, signatures and lists are compared with their sources.
"""
import ast
import dataclasses
import enum
import importlib.util
import os
import pathlib
import subprocess
import sys
import types
import typing
import unittest
import unittest.mock

try:
    import torch
except ImportError:
    print("skipped: torch is not installed")
    sys.exit(77)

import gemmtune
from gemmtune.plugins import sglang, tuned, vllm

SOURCES = pathlib.Path(os.environ.get("GEMMTUNE_SERVER_SOURCES", "/nowhere"))
VLLM, SGLANG = SOURCES / "vllm", SOURCES / "sglang"
LINEAR = "vllm.model_executor.kernels.linear"
QUANT_UTILS = "vllm.model_executor.layers.quantization.utils.quant_utils"
Platform = enum.Enum("PlatformEnum", "CPU CUDA ROCM")
E4M3 = torch.float8_e4m3fn


class Group(typing.NamedTuple):
    row: int
    col: int

    def is_per_tensor(self):
        return self == (-1, -1)

    def is_per_token(self):
        return self == (1, -1)

    def is_per_channel(self):
        return self == (-1, 1)


TENSOR, TOKEN, CHANNEL = Group(-1, -1), Group(1, -1), Group(-1, 1)


@dataclasses.dataclass(frozen=True)
class Scale:
    dtype: torch.dtype
    static: bool
    group_shape: Group


@dataclasses.dataclass(frozen=True)
class Key:
    dtype: torch.dtype
    scale: Scale


def key(group, static=False, dtype=E4M3, scale_type=torch.float32):
    return Key(dtype, Scale(scale_type, static, group))


MXFP4 = key(Group(1, 32), dtype=torch.uint8, scale_type=torch.uint8)


@dataclasses.dataclass
class Fp8Config:
    weight_quant_key: Key
    activation_quant_key: Key
    weight_shape: tuple
    input_dtype: torch.dtype = torch.bfloat16
    out_dtype: torch.dtype = torch.bfloat16


@dataclasses.dataclass
class Mxfp4Config:
    activation_quant_key: Key = None


class QuantFP8:
    """vLLM's, for tokens and tensors, by the package's own quantiser."""

    def __init__(self, static, group_shape, num_token_padding=None, **others):
        self.scaling = "tensor" if group_shape.is_per_tensor() else "row"

    def __call__(self, x, scale=None, scale_ub=None, **others):
        return gemmtune.quantize_fp8(x, self.scaling)


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    made.__path__ = []
    return made


class FakeBase:
    """Stands for vLLM's three base classes where its sources are not there."""

    def __init__(self, config, layer_param_names=None):
        self.config, self.names = config, layer_param_names

    @classmethod
    def can_implement(cls, config):
        return True, None


class FakeFp8(FakeBase):
    def apply_weights(self, layer, x, bias=None):
        values, scales = QuantFP8(False, self.config.activation_quant_key.scale.group_shape)(x)
        return self.apply_scaled_mm(A=values, B=layer.weight, out_dtype=self.config.out_dtype, As=scales,
                                    Bs=layer.weight_scale, bias=bias, output_shape=[*x.shape[:-1], layer.weight.shape[1]])


class FakeBlock(FakeBase):
    def apply_weights(self, layer, x, bias=None):
        out = self.apply_block_scaled_mm(A=x, B=layer.weight, As=x.new_empty(1), Bs=layer.weight_scale_inv)
        return out if bias is None else out + bias


def stubs():
    """The modules of vLLM that the plugin, and vLLM's files with the base classes, import."""
    class Unquantized:
        def apply(self, layer, x, bias=None):
            return "theirs"

    platform = types.SimpleNamespace(fp8_dtype=lambda: E4M3)
    names = {"vllm": {}, "vllm.envs": {"VLLM_BATCH_INVARIANT": False}, "vllm.model_executor": {},
             "vllm.platforms": {"PlatformEnum": Platform, "current_platform": platform},
             "vllm.model_executor.layers": {}, "vllm.model_executor.layers.linear": {"UnquantizedLinearMethod": Unquantized},
             "vllm.model_executor.layers.fusion": {}, "vllm.model_executor.layers.quantization": {},
             "vllm.model_executor.layers.fusion.quant_activation": {"QuantizedActivation": type("QuantizedActivation", (), {}),
                                                                    "as_quantized_activation": lambda x, key: None},
             "vllm.model_executor.layers.quantization.input_quant_fp8": {"QuantFP8": QuantFP8},
             "vllm.model_executor.layers.quantization.utils": {},
             QUANT_UTILS: {"QuantKey": Key, "kMxfp4Dynamic": MXFP4, "kMxfp4Static": MXFP4},
             "vllm.model_executor.layers.quantization.utils.fp8_utils": {
                 "process_fp8_weight_block_strategy": lambda weight, scale: (weight, scale)},
             "vllm.model_executor.utils": {"replace_parameter": lambda layer, name, new: setattr(layer, name, new)},
             "vllm.model_executor.kernels": {}, LINEAR: {f"_POSSIBLE_{kind}_KERNELS": {Platform.CUDA: ["theirs"], Platform.CPU: []}
                                                         for kind in ("FP8", "FP8_BLOCK", "MXFP4")}}
    made = {name: module(name, **members) for name, members in names.items()}
    made["vllm"].envs = made["vllm.envs"]
    made["vllm.model_executor.kernels"].linear = made[LINEAR]
    return made


BASES = {"base": (), "scaled_mm.ScaledMMLinearKernel": ("FP8ScaledMMLinearKernel",),
         "scaled_mm.BlockScaledMMLinearKernel": ("Fp8BlockScaledMMLinearKernel",), "mxfp4.base": ("MxFp4LinearKernel",)}


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def add_base_classes(linear, real):
    """vLLM's own, from its sources, or what stands for them."""
    if not real:
        linear.FP8ScaledMMLinearKernel, linear.Fp8BlockScaledMMLinearKernel, linear.MxFp4LinearKernel = FakeFp8, FakeBlock, FakeBase
        return
    for name, classes in BASES.items():
        parent = LINEAR + "".join(f".{part}" for part in name.split(".")[:-1])
        sys.modules.setdefault(parent, module(parent))
        loaded = load(f"{LINEAR}.{name}", VLLM / "model_executor/kernels/linear" / (name.replace(".", "/") + ".py"))
        for one in classes:
            setattr(linear, one, getattr(loaded, one))


class Layer:
    def __init__(self, **members):
        self.__dict__.update(members)


def draw(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


class InVllm(unittest.TestCase):
    REAL = False

    def setUp(self):
        self.modules = unittest.mock.patch.dict(sys.modules, stubs())
        self.modules.start()
        self.addCleanup(self.modules.stop)
        environment = unittest.mock.patch.dict(os.environ, {"GEMMTUNE_CONFIG_A8W8": "tuned.csv"})
        environment.start()
        self.addCleanup(environment.stop)
        gemmtune.open_runtime("cpu", tables="", say=lambda line: None)
        self.linear = sys.modules[LINEAR]
        add_base_classes(self.linear, self.REAL)
        vllm.kernels.cache_clear()
        on_a_gpu = unittest.mock.patch.multiple(tuned, why_not_here=lambda: None, device=lambda: torch.device("cpu"))
        on_a_gpu.start()
        self.addCleanup(on_a_gpu.stop)

    def close(self, got, expected, share=0.1):
        self.assertEqual(got.shape, expected.shape)
        self.assertLessEqual((got.float() - expected).abs().max().item(), share * expected.abs().max().item())

    def test_kernels_come_first_and_once(self):
        for _ in range(2):
            vllm.register()
        for kind, kernel in vllm.kernels().items():
            self.assertEqual(getattr(self.linear, f"_POSSIBLE_{kind}_KERNELS")[Platform.CUDA], [kernel, "theirs"])

    def test_without_tables_nothing_changes(self):
        with unittest.mock.patch.dict(os.environ, {"GEMMTUNE_CONFIG_A8W8": ""}):
            vllm.register()
        self.assertEqual(self.linear._POSSIBLE_FP8_KERNELS[Platform.CUDA], ["theirs"])

    def test_refuses_where_it_cannot_run(self):
        kernel = vllm.kernels()["FP8"]
        self.assertEqual(kernel.is_supported(90), (True, None))
        with unittest.mock.patch.object(tuned, "why_not_here", lambda: "there is no CUDA device"):
            self.assertEqual(kernel.is_supported(), (False, "there is no CUDA device"))

    def test_what_fp8_implements(self):
        def asks(activation, weight, shape=(32, 64)):
            return vllm.kernels()["FP8"].can_implement(Fp8Config(key(weight, True), key(activation), shape))

        self.assertEqual(asks(TOKEN, CHANNEL), (True, None))
        self.assertEqual(asks(TENSOR, TENSOR), (True, None))
        self.assertEqual(asks(TOKEN, TENSOR), (True, None))
        self.assertFalse(asks(TENSOR, CHANNEL)[0])
        self.assertEqual(asks(TOKEN, CHANNEL, None), (False, "the shape of the weights is not known"))
        gemmtune.open_runtime("cpu", tables="", fallback="none", say=lambda line: None)
        self.assertIn("no table has a row for it", asks(TOKEN, CHANNEL)[1])

    def test_broken_tables_are_logged(self):
        gemmtune.served._runtimes.clear()
        tuned.warn.cache_clear()
        with unittest.mock.patch.dict(os.environ, {"GEMMTUNE_CONFIG_A8W8": "/nowhere/tuned.csv"}):
            with self.assertLogs("gemmtune", "WARNING") as logged:
                self.assertIn("/nowhere/tuned.csv", tuned.why_not_run("16x32x64:e4m3/row:e4m3/row:bf16"))
        self.assertEqual(len(logged.output), 1)

    def test_fp8_products(self):
        x, w, bias = draw(5, 64), draw(32, 64), draw(32)
        for activation, weight in ((TOKEN, CHANNEL), (TENSOR, TENSOR), (TOKEN, TENSOR)):
            values, scales = gemmtune.quantize_fp8(w, "tensor" if weight == TENSOR else "row")
            config = Fp8Config(key(weight, True), key(activation), (32, 64), out_dtype=torch.float32)
            kernel = vllm.kernels()["FP8"](config, ["weight", "weight_scale", "input_scale", "input_scale_ub"])
            layer = Layer(weight=values.t(), weight_scale=scales)
            self.close(kernel.apply_weights(layer, x, bias), x @ w.T + bias)

    def test_block_scaled_products(self):
        block, weights = Group(1, 128), Group(128, 128)
        kernel = vllm.kernels()["FP8_BLOCK"]
        config = Fp8Config(key(weights, True), key(block), (256, 384))
        self.assertEqual(kernel.can_implement(config), (True, None))
        self.assertFalse(kernel.can_implement(Fp8Config(key(Group(64, 64), True), key(Group(1, 64)), (256, 384)))[0])
        self.assertFalse(kernel.can_implement(Fp8Config(key(weights, True, scale_type=torch.uint8), key(block), (256, 384)))[0])
        x, w, bias = draw(5, 384), draw(256, 384), draw(256)
        values, scales = gemmtune.quantize_fp8(w, "128x128")
        layer = Layer(weight=values, weight_scale_inv=scales, weight_scale=None)
        self.close(kernel(config).apply_weights(layer, x.bfloat16(), bias.bfloat16()), x @ w.T + bias)

    def test_mxfp4_products(self):
        kernel = vllm.kernels()["MXFP4"]
        self.assertEqual(kernel.can_implement(Mxfp4Config(MXFP4)), (True, None))
        self.assertFalse(kernel.can_implement(Mxfp4Config())[0])
        x, w = draw(2, 3, 64), draw(32, 64)
        values, scales = gemmtune.quantize_mxfp4(w)
        layer = torch.nn.Module()
        layer.weight, layer.weight_scale = (torch.nn.Parameter(one, requires_grad=False) for one in (values, scales))
        ready = kernel(Mxfp4Config(MXFP4))
        ready.process_weights_after_loading(layer)
        self.close(ready.apply_weights(layer, x), x @ w.T, 0.4)

    def test_unquantised_layers(self):
        vllm.register()
        vllm.register()
        method = sys.modules["vllm.model_executor.layers.linear"].UnquantizedLinearMethod
        layer = Layer(weight=draw(8, 32))
        self.assertEqual(method().apply(layer, draw(4, 32)), "theirs")  # not on a GPU
        with unittest.mock.patch.object(tuned, "is_plain", lambda x, weight: True):
            self.assertEqual(method().apply(layer, draw(4, 32)).shape, (4, 8))
        self.assertFalse(hasattr(method.apply.gemmtune_inner, "gemmtune_inner"))


@unittest.skipUnless((VLLM / "model_executor/kernels/linear").exists(), "GEMMTUNE_SERVER_SOURCES has no vLLM")
class InVllmsOwnClasses(InVllm):
    REAL = True

    def test_the_lists_are_where_the_plugin_looks(self):
        tree = ast.parse((VLLM / "model_executor/kernels/linear/__init__.py").read_text())
        assigned = {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
        imported = {alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
        self.assertLessEqual({f"_POSSIBLE_{kind}_KERNELS" for kind in vllm.kernels()}, assigned)
        self.assertLessEqual({name for names in BASES.values() for name in names}, imported)
        self.assertIn("kMxfp4Dynamic", (VLLM / "model_executor/layers/quantization/utils/quant_utils.py").read_text())
        self.assertIn("VLLM_BATCH_INVARIANT", (VLLM / "envs.py").read_text())

    def test_unquantised_layers_have_this_signature(self):
        self.assertEqual(arguments(VLLM / "model_executor/layers/linear.py", "UnquantizedLinearMethod", "apply"),
                         ["self", "layer", "x", "bias"])

    def test_the_entry_point_has_this_name(self):
        self.assertIn('DEFAULT_PLUGINS_GROUP = "vllm.general_plugins"', (VLLM / "plugins/__init__.py").read_text())


IN_THE_INSTALLED_VLLM = """
import sys, unittest.mock
import torch
try:
    import vllm.model_executor.kernels.linear as linear
except Exception as error:
    print(f"vLLM cannot be imported: {type(error).__name__}: {error}")
    sys.exit(77)
import gemmtune
from gemmtune.plugins import tuned, vllm as plugin
from vllm.model_executor.layers.linear import UnquantizedLinearMethod
from vllm.model_executor.layers.quantization.utils import quant_utils as keys
from vllm.platforms import PlatformEnum

gemmtune.open_runtime("cpu", tables="", say=lambda line: None)
plugin.register()
plugin.register()
ours = plugin.kernels()
for kind, kernel in ours.items():
    list_of_cuda = getattr(linear, f"_POSSIBLE_{kind}_KERNELS")[PlatformEnum.CUDA]
    assert list_of_cuda[0] is kernel and list_of_cuda.count(kernel) == 1 and len(list_of_cuda) > 1, list_of_cuda
assert not hasattr(UnquantizedLinearMethod.apply.gemmtune_inner, "gemmtune_inner")

def chosen(activation, weight, lists, shape=(256, 384)):
    config = linear.FP8ScaledMMLinearLayerConfig(weight, activation, shape, torch.bfloat16, torch.bfloat16)
    return linear.choose_scaled_mm_linear_kernel(config, lists, 90, quantization="fp8_w8a8")

on_cuda = unittest.mock.Mock(wraps=linear.current_platform, _enum=PlatformEnum.CUDA)
with unittest.mock.patch.object(linear, "current_platform", on_cuda), \\
        unittest.mock.patch.multiple(tuned, why_not_here=lambda: None, device=lambda: torch.device("cpu")):
    fp8, block = linear._POSSIBLE_FP8_KERNELS, linear._POSSIBLE_FP8_BLOCK_KERNELS
    assert chosen(keys.kFp8DynamicTokenSym, keys.kFp8StaticChannelSym, fp8) is ours["FP8"]
    assert chosen(keys.kFp8StaticTensorSym, keys.kFp8StaticTensorSym, fp8) is ours["FP8"]
    assert chosen(keys.kFp8Dynamic128Sym, keys.kFp8Static128BlockSym, block) is ours["FP8_BLOCK"]
    assert type(linear.init_mxfp4_linear_kernel(keys.kMxfp4Dynamic)) is ours["MXFP4"]
print("registered and chosen")
"""


class InTheInstalledVllm(unittest.TestCase):
    def test_its_own_choice_takes_the_kernels(self):
        environment = {**os.environ, "GEMMTUNE_CONFIG_A8W8": "tuned.csv", "VLLM_LOGGING_LEVEL": "ERROR"}
        result = subprocess.run([sys.executable, "-c", IN_THE_INSTALLED_VLLM], capture_output=True, text=True, env=environment)
        if result.returncode == 77:
            self.skipTest(result.stdout.splitlines()[-1])
        self.assertEqual((result.returncode, result.stdout.splitlines()[-1:]), (0, ["registered and chosen"]), result.stderr)


def arguments(path, *names):
    """Of a function of a file, or of a method of a class."""
    node = ast.parse(path.read_text())
    for name in names:
        node = next(child for child in node.body if getattr(child, "name", None) == name)
    return [argument.arg for argument in node.args.args]


class InSglang(unittest.TestCase):
    def setUp(self):
        on_a_gpu = unittest.mock.patch.object(tuned, "why_not_here", lambda: None)
        on_a_gpu.start()
        self.addCleanup(on_a_gpu.stop)
        gemmtune.open_runtime("cpu", tables="", say=lambda line: None)

    def test_layers_that_are_not_on_a_gpu_keep_their_path(self):
        original = unittest.mock.Mock(return_value="theirs")
        layer, x = Layer(weight=draw(8, 32)), draw(4, 32)
        self.assertEqual(sglang.unquantized(original, None, layer, x, None), "theirs")
        with unittest.mock.patch.object(tuned, "is_plain", lambda x, weight: True):
            self.assertEqual(sglang.unquantized(original, None, layer, x, None).shape, (4, 8))

    def test_block_scaled_layers(self):
        theirs = unittest.mock.Mock(return_value="theirs", spec=[])
        original = unittest.mock.Mock(return_value=theirs)
        linear = sglang.block_dispatch(original, weight_block_size=[128, 128])
        original.assert_called_once_with([128, 128], False)
        self.assertIs(linear.func, theirs)
        x, w, bias = draw(5, 384).bfloat16(), draw(256, 384), draw(256).bfloat16()
        values, scales = gemmtune.quantize_fp8(w, "128x128")
        call = {"input": x, "weight": values, "block_size": [128, 128], "weight_scale": scales, "input_scale": None, "bias": bias}
        self.assertEqual(linear(**call), "theirs")  # not on a GPU
        with unittest.mock.patch.object(sglang, "fits_blocks", lambda *_: True):
            got, expected = linear(**call), x.float() @ w.T + bias
            self.assertLessEqual((got - expected).abs().max(), 0.1 * expected.abs().max())
            self.assertEqual(linear(**call, weight_bf16=w), "theirs")
        self.assertIs(sglang.block_dispatch(original, None, True), theirs)

    @unittest.skipUnless((SGLANG / "srt/plugins").exists(), "GEMMTUNE_SERVER_SOURCES has no SGLang")
    def test_hooks_in_sglangs_own_registry(self):
        registry = load("hook_registry", SGLANG / "srt/plugins/hook_registry.py")
        names = {"sglang": module("sglang"), "sglang.srt": module("sglang.srt"), "sglang.srt.plugins": module("sglang.srt.plugins"),
                 "sglang.srt.plugins.hook_registry": registry}
        with unittest.mock.patch.dict(sys.modules, names), unittest.mock.patch.dict(os.environ, {"GEMMTUNE_CONFIG_A4W4": "t.csv"}):
            sglang.register()
        self.assertEqual(set(registry.HookRegistry._hooks), {sglang.UNQUANTIZED, sglang.BLOCK_DISPATCH})
        quantization = SGLANG / "srt/layers/quantization"
        self.assertEqual(arguments(quantization / "unquant.py", "UnquantizedLinearMethod", "apply"), ["self", "layer", "x", "bias"])
        self.assertEqual(arguments(quantization / "fp8_utils.py", "dispatch_w8a8_block_fp8_linear"),
                         ["weight_block_size", "act_scale_ue8m0"])
        self.assertEqual(arguments(quantization / "fp8_utils.py", "deepgemm_w8a8_block_fp8_linear_with_fallback")[:6],
                         ["input", "weight", "block_size", "weight_scale", "input_scale", "bias"])


class Tables(unittest.TestCase):
    def test_torch_multiplies_what_no_table_has(self):
        gemmtune.open_runtime("cpu", tables="", say=lambda line: None)
        before = gemmtune.served.runtime_of(("cpu", 0)).counters()["launches"]
        x, w, bias = draw(2, 3, 32), draw(8, 32), draw(8)
        self.assertTrue(torch.equal(tuned.linear_or_torch(x, w, bias), torch.nn.functional.linear(x, w, bias)))
        self.assertEqual(gemmtune.served.runtime_of(("cpu", 0)).counters()["launches"], before)

    def test_the_operator_is_sound(self):
        torch.library.opcheck(tuned.linear_or_torch, (draw(2, 3, 32), draw(8, 32), None),
                              test_utils=("test_schema", "test_faketensor"))

    def test_says_that_there_are_no_tables(self):
        clean = {name: value for name, value in os.environ.items() if "_CONFIG_" not in name}
        with unittest.mock.patch.dict(os.environ, clean, clear=True):
            self.assertIn("no tables: set GEMMTUNE_CONFIG_A16W16", tuned.why_not_here())


if __name__ == "__main__":
    unittest.main()
