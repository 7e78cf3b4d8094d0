"""The plugin for SGLang, entry point sglang.srt.plugins: hooks around its linear layers with 16-bit and with block-scaled
FP8 weights. Written for SGLang 0.5.23. SGLANG_PLUGINS leaves the plugin out."""
from ..library import Error
from ..nn import block_scaled
from . import tuned

UNQUANTIZED = "sglang.srt.layers.quantization.unquant.UnquantizedLinearMethod.apply"
BLOCK_DISPATCH = "sglang.srt.layers.quantization.fp8_utils.dispatch_w8a8_block_fp8_linear"


def unquantized(original, self, layer, x, bias=None):
    """Around UnquantizedLinearMethod.apply."""
    if tuned.why_not_here() is None and tuned.is_plain(x, layer.weight):
        return tuned.linear_or_torch(x, layer.weight, bias)
    return original(self, layer, x, bias)


def fits_blocks(input, weight, block_size, weight_scale, input_scale):
    return (input_scale is None and input.is_cuda and list(block_size) == [128, 128] and weight_scale.is_contiguous() and
            str(weight_scale.dtype) == "torch.float32" and all(size % 16 == 0 for size in weight.shape))


def block_dispatch(original, weight_block_size=None, act_scale_ue8m0=False, **kwargs):
    """Around dispatch_w8a8_block_fp8_linear, which returns the function that layers call. Where weights or activations
    are not such as we multiply, the server's own function is called: activations whose scales must be powers of two, for
    example."""
    theirs = original(weight_block_size, act_scale_ue8m0, **kwargs)
    if act_scale_ue8m0 or tuned.why_not_here() is not None:
        return theirs

    def linear(input, weight, block_size, weight_scale, input_scale=None, bias=None, **more):
        if not more and fits_blocks(input, weight, block_size, weight_scale, input_scale):
            try:
                flat = block_scaled(input.reshape(-1, input.shape[-1]), weight, weight_scale)
                out = flat.view(*input.shape[:-1], weight.shape[0])
                return out if bias is None else out + bias
            except Error:  # no kernel for it
                pass
        return theirs(input, weight, block_size, weight_scale, input_scale, bias, **more)

    linear.func = getattr(theirs, "func", theirs)  # by which layers tell how the server's function wants its weights
    return linear


def register():
    if not tuned.has_tables():
        return
    from sglang.srt.plugins.hook_registry import HookRegistry, HookType

    HookRegistry.register(UNQUANTIZED, unquantized, HookType.AROUND)
    HookRegistry.register(BLOCK_DISPATCH, block_dispatch, HookType.AROUND)
