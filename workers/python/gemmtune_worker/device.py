"""The device that a worker runs on: what it is called, its arrays, and its timer."""

import os
import platform
import re

from gemmtune_worker.arrays import NumpyArrays
from gemmtune_worker.timers import CpuTimer, GpuTimer


class NoDevice(Exception):
    """Why a worker cannot start, in one line."""


class CpuDevice:
    """With torch where it is installed, since its backends need its tensors; else with numpy."""

    kind, index = "cpu", 0

    def __init__(self, torch=None):
        self.torch = torch
        self.arrays = _torch_arrays("cpu") if torch else NumpyArrays()
        self.timer = CpuTimer()
        self.last_level_cache_bytes = _last_level_cache_bytes()
        self.memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        self.cu_num = len(os.sched_getaffinity(0))
        self.arch = platform.machine().replace("_", "-")
        self.name = _cpu_name()
        self.driver = f"{platform.system()} {platform.release()}"

    def typed(self, x, kind):
        """Stored elements as the library's own type, for kernels. numpy has no bf16 and no FP8: they stay integers."""
        if not self.torch:
            return x.view("float16") if kind == "f16" else x
        return as_torch_type(self.torch, x, kind)

    def synchronize(self):
        """A launch ends before it returns."""

    def return_memory(self):
        """Freed memory goes back to the system by itself."""

    def is_lost(self):
        return False


class GpuDevice:
    """Of CUDA or of HIP, both of which torch calls cuda."""

    def __init__(self, torch, index):
        self.torch, self.index = torch, index
        self.kind = "hip" if torch.version.hip else "cuda"
        torch.cuda.set_device(index)
        torch.cuda.set_stream(torch.cuda.Stream())  # the default stream cannot be captured into a graph
        found = torch.cuda.get_device_properties(index)
        self.name, self.cu_num, self.memory_bytes = found.name, found.multi_processor_count, found.total_memory
        self.last_level_cache_bytes = getattr(found, "L2_cache_size", 0)
        self.arch = found.gcnArchName.partition(":")[0] if self.kind == "hip" else f"sm{found.major}{found.minor}"
        self.driver = torch.version.hip or torch.version.cuda or ""
        self.arrays = _torch_arrays(f"cuda:{index}")
        self.timer = GpuTimer(torch)

    def typed(self, x, kind):
        return as_torch_type(self.torch, x, kind)

    def synchronize(self):
        self.torch.cuda.synchronize()

    def return_memory(self):
        """What is free goes back to the card, where other workers may need it: torch would keep it."""
        self.torch.cuda.empty_cache()

    def is_lost(self):
        """After a fault such as an illegal address nothing works any more in this process."""
        try:
            self.torch.cuda.synchronize()
        except RuntimeError:
            return True
        return False


def as_torch_type(torch, x, kind):
    names = {"bf16": "bfloat16", "f16": "float16", "e4m3": "float8_e4m3fn", "e4m3fnuz": "float8_e4m3fnuz"}
    wanted = getattr(torch, names.get(kind, ""), None)
    return x if wanted is None else x.view(wanted)


def open_device(text, with_torch=True):
    """"cpu", "cuda:1" or "hip:0". Raises NoDevice. Importing torch takes seconds, which backends of numpy can save."""
    match = re.fullmatch(r"(cpu|cuda|hip)(?::(\d+))?", text)
    if not match:
        raise NoDevice(f"'{text}' is not a device: expected cpu, cuda:0 or hip:0")
    kind, index = match[1], int(match[2] or 0)
    torch = _torch_or_none() if with_torch else None
    if kind == "cpu":
        if index:
            raise NoDevice(f"no {text} here: a machine has one cpu")
        return CpuDevice(torch)
    if torch is None:
        raise NoDevice(f"{text} needs torch; pip install torch")
    if not torch.cuda.is_available() or index >= torch.cuda.device_count():
        raise NoDevice(f"no {text} here")
    device = GpuDevice(torch, index)
    if device.kind != kind:
        raise NoDevice(f"no {text} here: this torch is for {device.kind}")
    return device


def hello_device(device, libraries):
    return {"kind": device.kind, "index": device.index, "name": device.name, "arch": device.arch,
            "cu_num": device.cu_num, "last_level_cache_bytes": device.last_level_cache_bytes,
            "memory_bytes": device.memory_bytes, "driver": device.driver, "libraries": libraries}


def _torch_or_none():
    try:
        import torch
    except ImportError:
        return None
    return torch


def _torch_arrays(device):
    from gemmtune_worker.torch_arrays import TorchArrays
    return TorchArrays(device)


def _cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), "CPU")
    except OSError:
        return platform.processor() or "CPU"


def _last_level_cache_bytes():
    try:
        with open("/sys/devices/system/cpu/cpu0/cache/index3/size", encoding="ascii") as file:
            return int(file.read().strip().rstrip("K")) * 1024
    except (OSError, ValueError):
        return 0
