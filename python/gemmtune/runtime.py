"""Plans and launches on addresses, without torch. gemmtune.torch_ops works on tensors."""
import ctypes
import dataclasses

from .library import (MATCH, RELOAD, Counters, Error, Message, Operands, PlanInfo, Problem, RuntimeOptions, Say, check, lib)

FALLBACK = {"default": 0, "none": 1}
COMPILE = {"plan": 0, "prewarm": 1}
STALE = {"decline": 0, "run": 1}


def parse_problem(text):
    """A problem such as "64x4096x4096:bf16:bf16:bf16" (docs/concepts.md). Raises Error that names the column."""
    problem, message = Problem(), Message()
    check(lib.gemmtune_parse_problem(text.encode(), problem, message), message)
    return problem


@dataclasses.dataclass(frozen=True)
class Info:
    """How a plan's kernel was chosen, and what its launches need."""

    match: str
    tuned_m: int
    libtype: str
    kernel_name: str
    source: str
    line: int
    expected_us: float
    notes: str
    workspace_bytes: int
    packed_bytes: int
    packed_layout: int
    alignment: int
    scale_alignment: int


def info_of(handle):
    raw = PlanInfo()
    lib.gemmtune_plan_get_info(handle, raw)
    values = {field.name: getattr(raw, field.name) for field in dataclasses.fields(Info)}
    texts = {name: value.decode() for name, value in values.items() if isinstance(value, bytes)}
    return Info(**{**values, **texts, "match": MATCH[raw.match]})


class Plan:
    """A kernel that is ready for one problem."""

    def __init__(self, handle):
        self.handle = handle
        self.info = info_of(handle)

    def __del__(self):
        if getattr(self, "handle", None):
            lib.gemmtune_plan_release(self.handle)

    def pack_weights(self, w, w_scale, packed, stream=None):
        """Writes info.packed_bytes bytes to the address `packed`. Waits for the stream."""
        message = Message()
        check(lib.gemmtune_pack_weights(self.handle, w, w_scale, packed, stream, message), message)

    def launch(self, stream=None, **addresses):
        """Enqueues one multiplication. Addresses are named as the members of gemmtune_operands."""
        self.launch_operands(Operands(**addresses), stream)

    def launch_operands(self, operands, stream=None):
        at = ctypes.addressof(operands)
        if lib.gemmtune_launch(self.handle, at, stream, None) != 0:
            message = Message()
            check(lib.gemmtune_launch(self.handle, at, stream, ctypes.addressof(message)), message)


class Runtime:
    """Serves one device. Any number of threads may use it.

    tables: "a.csv:b.csv"; None: GEMMTUNE_CONFIG_… device: "cpu", "cuda:1"; None: the first GPU, or else the CPU.
    fallback: "default" or "none". compile: "plan" or "prewarm". stale: "decline" or "run" (docs/runtime.md).
    say: receives messages, on any thread; None: stderr.
    """

    def __init__(self, tables=None, device=None, *, workspace_limit_bytes=0, nearest_factor=0, reload_interval_ms=0,
                 fallback="default", compile="plan", stale="decline", say=None):
        self._say = Say(lambda line, _: say(line.decode(errors="replace"))) if say else Say()
        options = RuntimeOptions(tables=None if tables is None else str(tables).encode(),
                                 device=None if device is None else device.encode(),
                                 workspace_limit_bytes=workspace_limit_bytes, nearest_factor=nearest_factor,
                                 reload_interval_ms=reload_interval_ms, fallback=FALLBACK[fallback],
                                 compile=COMPILE[compile], stale=STALE[stale], say=self._say)
        self._handle, message = ctypes.c_void_p(), Message()
        check(lib.gemmtune_runtime_open(options, self._handle, message), message)

    def close(self):
        """Plans that are still held stay valid."""
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            lib.gemmtune_runtime_close(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    @property
    def device(self):
        return lib.gemmtune_runtime_device(self._handle).decode()

    def plan(self, problem, packed_layout=0):
        """`problem` is a text or what parse_problem() returns. With a packed_layout, only kernels that read it are taken."""
        given = parse_problem(problem) if isinstance(problem, str) else problem
        handle, message = ctypes.c_void_p(), Message()
        check(lib.gemmtune_plan_problem_packed(self._handle, given, packed_layout, handle, message), message)
        return Plan(handle)

    def prewarm(self, problems):
        """Compiles ahead. Returns how many problems are ready, and "" or the first failure."""
        given = [parse_problem(one) if isinstance(one, str) else one for one in problems]
        ready, message = ctypes.c_size_t(), Message()
        status = lib.gemmtune_prewarm(self._handle, (Problem * len(given))(*given), len(given), ready, message)
        return ready.value, message.text.decode(errors="replace") if status else ""

    def poll(self):
        """Reads changed tables now: "unchanged", "reloaded" or "failed"."""
        return RELOAD[lib.gemmtune_runtime_poll(self._handle)]

    def counters(self):
        raw = Counters()
        lib.gemmtune_runtime_count(self._handle, raw)
        return {name: getattr(raw, name) for name, _ in Counters._fields_[1:]}

    def summary(self):
        size = lib.gemmtune_runtime_summary(self._handle, None, 0) + 1
        text = ctypes.create_string_buffer(size)
        lib.gemmtune_runtime_summary(self._handle, text, size)
        return text.value.decode()


__all__ = ["Error", "Info", "Plan", "Runtime", "parse_problem"]
