"""How many cores this process may use: those of its affinity, within the limit of its container. A worker can be told
to compile on fewer, where several workers share the cores."""

import math
import os
import pathlib

VARIABLE = "GEMMTUNE_COMPILERS"


def usable_cores(folder="/sys/fs/cgroup"):
    """At least 1."""
    cores = len(os.sched_getaffinity(0))
    limit = _cgroup_limit(pathlib.Path(folder))
    return max(min(cores, math.ceil(limit) if limit else cores), 1)


def compile_processes(environment=os.environ):
    """What the supervisor says in GEMMTUNE_COMPILERS; else all cores but one, which the worker itself needs."""
    told = environment.get(VARIABLE, "")
    return max(int(told), 1) if told.isdigit() else max(usable_cores() - 1, 1)


def _cgroup_limit(folder):
    """Cores that the container's quota is worth, or None."""
    try:
        quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
        return None if quota == "max" else int(quota) / int(period)
    except (OSError, ValueError):
        return _older_limit(folder)


def _older_limit(folder):
    try:
        quota, period = (int((folder / "cpu" / name).read_text(encoding="ascii"))
                         for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us"))
        return quota / period if quota > 0 else None
    except (OSError, ValueError):
        return None
