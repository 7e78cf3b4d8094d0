"""The plugin for vLLM, entry point vllm.general_plugins: linear kernels for FP8, block-scaled FP8 and MXFP4 at the head of
vLLM's lists, and 16-bit products of tuned shapes. Written for vLLM 0.33.

vLLM calls register() in every process, perhaps more than once. VLLM_PLUGINS leaves the plugin out,
VLLM_DISABLED_KERNELS=GemmtuneFp8,GemmtuneFp8Block,GemmtuneMxfp4 single kernels.
"""
import functools

import torch

from .. import torch_ops
from ..bound import NAMES
from ..nn import block_scaled
from ..quantise import quantize_mxfp4
from . import tuned

TOKENS = 16  # of the problem that a layer is tried with


def answer(why):
    """vLLM's (whether, why not)."""
    return why is None, why


def is_served(config, a_scaling, w_scaling):
    """Why no kernel runs a layer of this shape with scales like these, or None."""
    if config.weight_shape is None:
        return "the shape of the weights is not known"
    n, k = config.weight_shape
    out = NAMES.get(config.out_dtype or config.input_dtype)
    return tuned.why_not_run(f"{TOKENS}x{n}x{k}:e4m3/{a_scaling}:e4m3/{w_scaling}:{out}")


def fp8_reason(config):
    """Why a layer is not multiplied, or None. Scales must be of whole tensors, or of tokens and channels."""
    activation, weight = (key.scale.group_shape for key in (config.activation_quant_key, config.weight_quant_key))
    if activation.is_per_tensor() and weight.is_per_tensor():
        return is_served(config, "tensor", "tensor")
    if activation.is_per_token() and (weight.is_per_channel() or weight.is_per_tensor() or weight.is_per_token()):
        return is_served(config, "row", "row")
    return f"activations with {activation} and weights with {weight}"


def block_reason(config):
    activation, weight = (tuple(key.scale.group_shape) for key in (config.activation_quant_key, config.weight_quant_key))
    if (activation, weight) != ((1, 128), (128, 128)):
        return f"blocks of {activation} and {weight}: expected (1, 128) and (128, 128)"
    if config.weight_quant_key.scale.dtype != torch.float32:
        return f"scales of {config.weight_quant_key.scale.dtype}"
    return is_served(config, "1x128", "128x128")


def scaled_mm(a, w, out_type, a_scale, w_scale, bias):
    """A [m, k] times W [n, k] transposed. One scale of the weights stands for each channel where tokens have theirs."""
    if w_scale.numel() == 1 and a_scale.numel() > 1:
        w_scale = w_scale.reshape(1).expand(w.shape[0]).contiguous()
    return torch_ops.gemm_a8w8(a, w, a_scale, w_scale, bias, out_type)


def mxfp4(x, weight, weight_scale, bias):
    flat = x.reshape(-1, x.shape[-1])
    values, scales = quantize_mxfp4(flat)
    out = torch_ops.gemm_a4w4(values, weight, scales, weight_scale, bias, x.dtype)
    return out.view(*x.shape[:-1], weight.shape[0])


@functools.lru_cache(maxsize=1)
def kernels():
    """The kernel classes, by vLLM's name of their kind. Made once, because they derive from classes of vLLM."""
    from vllm.model_executor.kernels.linear import FP8ScaledMMLinearKernel, MxFp4LinearKernel
    from vllm.model_executor.kernels.linear import Fp8BlockScaledMMLinearKernel
    from vllm.model_executor.layers.quantization.utils.quant_utils import kMxfp4Dynamic

    class GemmtuneFp8(FP8ScaledMMLinearKernel):
        @classmethod
        def is_supported(cls, compute_capability=None):
            return answer(tuned.why_not_here())

        @classmethod
        def can_implement(cls, c):
            return answer(fp8_reason(c))

        def apply_scaled_mm(self, *, A, B, out_dtype, As, Bs, bias, output_shape):
            return scaled_mm(A, B.t(), out_dtype, As, Bs, bias).view(*output_shape)

    class GemmtuneFp8Block(Fp8BlockScaledMMLinearKernel):
        apply_input_quant = False  # activations are quantised here, with room for the rows that the library wants

        @classmethod
        def is_supported(cls, compute_capability=None):
            return answer(tuned.why_not_here())

        @classmethod
        def can_implement(cls, config):
            return answer(super().can_implement(config)[1] or block_reason(config))

        def apply_block_scaled_mm(self, A, B, As, Bs):
            return block_scaled(A, B, Bs)

    class GemmtuneMxfp4(MxFp4LinearKernel):
        @classmethod
        def is_supported(cls, compute_capability=None):
            return answer(tuned.why_not_here())

        @classmethod
        def can_implement(cls, config):
            key = config.activation_quant_key
            return answer(None if key == kMxfp4Dynamic else f"activations of {key}: expected MXFP4")

        def process_weights_after_loading(self, layer):
            for name in ("weight", "weight_scale"):
                plain = getattr(layer, name).data.view(torch.uint8).contiguous()
                setattr(layer, name, torch.nn.Parameter(plain, requires_grad=False))

        def apply_weights(self, layer, x, bias=None):
            return mxfp4(x, layer.weight, layer.weight_scale, bias)

    return {"FP8": GemmtuneFp8, "FP8_BLOCK": GemmtuneFp8Block, "MXFP4": GemmtuneMxfp4}


def put_first(kernels_of_platform, kernel):
    if kernel not in kernels_of_platform:
        kernels_of_platform.insert(0, kernel)


def wrap_unquantized(method):
    """Lets layers with 16-bit weights run the tables' kernels for the shapes that the tables have."""
    inner = method.apply
    if hasattr(inner, "gemmtune_inner"):
        return

    @functools.wraps(inner)
    def apply(self, layer, x, bias=None):
        if tuned.why_not_here() is None and tuned.is_plain(x, layer.weight):
            return tuned.linear_or_torch(x, layer.weight, bias)
        return inner(self, layer, x, bias)

    apply.gemmtune_inner = inner
    method.apply = apply


def register():
    """Puts the kernels at index 0 of vLLM's lists for CUDA: register_linear_kernel() would append them, with the lowest
    priority."""
    if not tuned.has_tables():
        return
    from vllm import envs
    from vllm.model_executor.kernels import linear as registry
    from vllm.model_executor.layers.linear import UnquantizedLinearMethod
    from vllm.platforms import PlatformEnum

    for kind, kernel in kernels().items():
        put_first(getattr(registry, f"_POSSIBLE_{kind}_KERNELS").setdefault(PlatformEnum.CUDA, []), kernel)
    if not envs.VLLM_BATCH_INVARIANT:
        wrap_unquantized(UnquantizedLinearMethod)
