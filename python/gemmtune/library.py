"""The C interface of libgemmtune (include/gemmtune/runtime.h) by ctypes: its structs, its functions, its enumerators.

Programs use gemmtune.Runtime (runtime.py), which is made of these.
"""
import ctypes
import os
import pathlib
from ctypes import POINTER, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p

STATUS = ("ok", "invalid_argument", "bad_input", "system_error", "internal_error", "no_device", "unsupported", "not_ready",
          "misaligned", "workspace_too_small", "wrong_packing", "wrong_device", "launch_failed")
MATCH = ("exact", "padded_fine", "padded_coarse", "nearest", "fallback")
RELOAD = ("unchanged", "reloaded", "failed")

Say = ctypes.CFUNCTYPE(None, c_char_p, c_void_p)


class Message(ctypes.Structure):
    _fields_ = [("text", c_char * 1024)]


class Sized(ctypes.Structure):
    """A struct that begins with its size."""

    def __init__(self, **values):
        super().__init__(struct_size=ctypes.sizeof(type(self)), **values)


class Problem(Sized):
    _fields_ = [("struct_size", c_size_t), ("m", c_int64), ("n", c_int64), ("k", c_int64), ("batch", c_int64),
                ("a_type", c_int), ("a_scaling", c_int), ("w_type", c_int), ("w_scaling", c_int), ("out_type", c_int),
                ("has_bias", c_int), ("is_packed", c_int), ("a_major", c_int), ("w_major", c_int), ("activation", c_int),
                ("has_residual", c_int), ("lda", c_int64), ("ldw", c_int64), ("ldc", c_int64), ("stride_a", c_int64),
                ("stride_w", c_int64), ("stride_c", c_int64)]


class RuntimeOptions(Sized):
    _fields_ = [("struct_size", c_size_t), ("tables", c_char_p), ("device", c_char_p), ("workspace_limit_bytes", c_int64),
                ("nearest_factor", c_int64), ("reload_interval_ms", c_int64), ("fallback", c_int), ("compile", c_int),
                ("stale", c_int), ("say", Say), ("context", c_void_p)]


class PlanInfo(Sized):
    _fields_ = [("struct_size", c_size_t), ("match", c_int), ("tuned_m", c_int64), ("libtype", c_char_p),
                ("kernel_name", c_char_p), ("source", c_char_p), ("line", c_int64), ("expected_us", c_double),
                ("notes", c_char_p), ("workspace_bytes", c_size_t), ("packed_bytes", c_size_t), ("packed_layout", c_uint64),
                ("alignment", c_size_t), ("scale_alignment", c_size_t)]


class Operands(Sized):
    _fields_ = [("struct_size", c_size_t), ("a", c_void_p), ("a_scale", c_void_p), ("w", c_void_p), ("w_scale", c_void_p),
                ("bias", c_void_p), ("residual", c_void_p), ("c", c_void_p), ("packed_w", c_void_p),
                ("packed_layout", c_uint64), ("workspace", c_void_p), ("workspace_bytes", c_size_t)]


class Quantisation(Sized):
    _fields_ = [("struct_size", c_size_t), ("from_type", c_int), ("to_type", c_int), ("scaling", c_int), ("rows", c_int64),
                ("k", c_int64), ("leading_dimension", c_int64)]


class Counters(Sized):
    _fields_ = [("struct_size", c_size_t)] + [(name, c_uint64) for name in (
        "exact", "padded", "nearest", "fallback", "missed", "declined", "launches", "launches_tuned", "refused", "reloads")]


FUNCTIONS = {
    "gemmtune_version": (c_char_p, []),
    "gemmtune_parse_problem": (c_int, [c_char_p, POINTER(Problem), POINTER(Message)]),
    "gemmtune_runtime_open": (c_int, [POINTER(RuntimeOptions), POINTER(c_void_p), POINTER(Message)]),
    "gemmtune_runtime_close": (None, [c_void_p]),
    "gemmtune_runtime_device": (c_char_p, [c_void_p]),
    "gemmtune_plan_problem_packed": (c_int, [c_void_p, POINTER(Problem), c_uint64, POINTER(c_void_p), POINTER(Message)]),
    "gemmtune_plan_release": (None, [c_void_p]),
    "gemmtune_plan_get_info": (c_int, [c_void_p, POINTER(PlanInfo)]),
    "gemmtune_pack_weights": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, POINTER(Message)]),
    "gemmtune_launch": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),  # addresses of structs: that is faster
    "gemmtune_prewarm": (c_int, [c_void_p, POINTER(Problem), c_size_t, POINTER(c_size_t), POINTER(Message)]),
    "gemmtune_runtime_poll": (c_int, [c_void_p]),
    "gemmtune_quantise": (c_int, [c_void_p] * 7),
    "gemmtune_runtime_count": (c_int, [c_void_p, POINTER(Counters)]),
    "gemmtune_runtime_summary": (c_size_t, [c_void_p, c_char_p, c_size_t]),
}


class Error(RuntimeError):
    """A call that failed. `status` is one of library.STATUS."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def places():
    """Where the library is looked for, first place first."""
    if "GEMMTUNE_LIBRARY" in os.environ:
        return [os.environ["GEMMTUNE_LIBRARY"]]
    inside = pathlib.Path(__file__).parent / "lib"
    return [str(path) for path in sorted(inside.glob("libgemmtune.so*"))] + ["libgemmtune.so.0", "libgemmtune.so"]


def load():
    failures = []
    for place in places():
        try:
            library = ctypes.CDLL(place)
        except OSError as error:
            failures.append(str(error))
            continue
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        return library
    raise ImportError("libgemmtune is not there; GEMMTUNE_LIBRARY may name it: " + "; ".join(failures))


lib = load()


def check(status, message):
    if status != 0:
        raise Error(STATUS[status], message.text.decode(errors="replace"))
