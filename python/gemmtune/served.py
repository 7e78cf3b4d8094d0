"""The runtime that serves each device's tensors: opened once, by open_runtime() or when it is first needed."""
import os
import threading

import torch

from .library import Counters, Error, lib
from .runtime import Runtime

_runtimes = {}
reloading = []  # the runtimes whose tables change without a call of poll()
_forgetting = []  # what to call when plans may have changed
_lock = threading.Lock()

stream_of_index = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # not in builds for the CPU


def key_of(device):
    if device.type == "cpu":
        return ("cpu", 0)
    if device.type != "cuda":
        raise Error("no_device", f"tensors on {device} are not multiplied: expected cpu or cuda")
    return ("cuda", torch.cuda.current_device() if device.index is None else device.index)


def when_plans_change(forget):
    """Registers what forgets plans that were made from earlier tables."""
    _forgetting.append(forget)


def forget():
    """Makes plans anew when they are next needed."""
    for forget in _forgetting:
        forget()


def open_runtime(device=None, **options):
    """Opens a device's runtime with options of gemmtune.Runtime, in place of the one that was open. Without this call it
    is opened when it is first used, with what the environment says. poll() of the result reads changed tables."""
    key = key_of(torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu")))
    opened = Served(key, options)
    with _lock:
        _runtimes[key] = opened
        reloading[:] = [runtime for runtime in _runtimes.values() if runtime.reloads_by_itself]
    forget()
    return opened


class Served(Runtime):
    def __init__(self, key, options):
        super().__init__(device=f"{key[0]}:{key[1]}", **options)
        # The library reads the variable where the option says nothing.
        self.reloads_by_itself = options.get("reload_interval_ms", 0) > 0 or bool(os.environ.get("GEMMTUNE_RELOAD_INTERVAL"))
        self._counters = Counters()

    def poll(self):
        outcome = super().poll()
        if outcome == "reloaded":
            forget()
        return outcome

    def forget_reloaded(self):
        """Tables may have been reloaded by the runtime's own thread."""
        before = self._counters.reloads
        lib.gemmtune_runtime_count(self._handle, self._counters)
        if self._counters.reloads != before:
            forget()


def runtime_of(key):
    found = _runtimes.get(key)
    if found is None:
        with _lock:
            found = _runtimes.get(key) or _runtimes.setdefault(key, Served(key, {}))
    return found


def lookup(text, device="cpu"):
    """How a problem is multiplied on a device: gemmtune.Info of its plan."""
    return runtime_of(key_of(torch.device(device))).plan(text).info


def stream_of(device):
    return stream_of_index(device.index) if device.type == "cuda" else None
