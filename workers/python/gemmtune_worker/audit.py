"""The request `multiply`: rows of one product, as the kernel wrote them, for the supervisor to check."""

import base64

from gemmtune_worker.bench import Bench, DeviceLost
from gemmtune_worker.failure import as_failure


def multiply(worker, request):
    """Nothing here judges the product: that is what the supervisor is for."""
    policy = {"stage": "prove", "seed": request["seed"], "measure": {"cold_cache": False}, "verify": {}}
    bench = Bench(worker, {**request, "candidates": [request["candidate"]], "policy": policy})
    outcome = "compile_failed"
    try:
        kernel = bench.prepare(request["candidate"])
        workload = _filled(bench, request)
        loaded, _ = kernel.load(workload.operands[0])
        outcome = "launch_failed"
        rows = _launch(bench, (kernel, loaded), (workload, request["rows"]))
        bench.send(type="product", outcome="ok", rows=[base64.b64encode(row).decode() for row in rows])
    except Exception as error:  # the failure of a candidate, whatever a library calls it
        failure = as_failure(error, outcome)
        bench.send(type="product", outcome=failure.outcome, reason=failure.reason, rows=[])
        if failure.outcome == "launch_failed" and worker.device.is_lost():
            raise DeviceLost from error


def _filled(bench, request):
    workload = bench.worker.workloads.get(bench.problem, (request["recipe"], request["seed"]), {})
    workload.grow(1)
    workload.restore()
    return workload


def _launch(bench, kernel_loaded, workload_rows):
    (kernel, loaded), (workload, rows) = kernel_loaded, workload_rows
    problem, arrays = bench.problem, bench.worker.device.arrays
    kernel.launch(loaded)
    bench.device.synchronize()
    c = workload.c(0)
    found = [arrays.host(arrays.contiguous(c[row // problem.m, row % problem.m])).tobytes() for row in rows]
    workload.restore()
    return found
