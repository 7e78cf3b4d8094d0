"""What the stages work with: the candidates and the policy of one request, operands that are kept from one request to
the next, and kernels that are compiled ahead."""

from gemmtune_worker.failure import CandidateFailed, unsupported
from gemmtune_worker.workload import Workload, rotation_count

KEPT = 2  # workloads of one problem: what is timed, and one recipe of a proof


class WorkloadCache:
    def __init__(self, device):
        self.device, self.kept = device, {}

    def get(self, problem, recipe_seed, verify):
        key = (problem.text, recipe_seed, tuple(sorted(verify.items())))
        if key not in self.kept:
            self.kept = {old: one for old, one in self.kept.items() if old[0] == problem.text}
            while len(self.kept) >= KEPT:
                del self.kept[next(iter(self.kept))]
            self.kept[key] = Workload(self.device, problem, recipe_seed, verify)
        self.kept[key] = self.kept.pop(key)  # the last one is the one that was used last
        return self.kept[key]


class Bench:
    def __init__(self, worker, request):
        self.worker, self.device, self.id = worker, worker.device, request["id"]
        self.problem, self.policy = worker.problem(request["problem"]), request["policy"]
        self.candidates = request["candidates"]
        self.jobs = worker.compile_ahead(self.problem, self.candidates)

    def send(self, **message):
        self.worker.channel.send(id=self.id, **message)

    def started(self, candidate):
        self.send(type="started", candidate={"family": candidate["family"], "name": candidate["name"]})

    def report(self, attempt):
        self.send(type="evaluation", evaluation=attempt.evaluation())
        if attempt.failure and attempt.failure.outcome == "launch_failed" and self.device.is_lost():
            raise DeviceLost

    def prepare(self, candidate):
        backend = self.worker.backend(candidate["family"])
        why_not = self.problem.why_unknown() or backend.why_not(self.problem)
        if why_not:
            raise unsupported(why_not)
        job = self.jobs.get(candidate["name"])
        if job and (why := job.wait()):
            raise CandidateFailed("compile_failed", why)
        kernel = backend.prepare(self.problem, candidate["name"])
        if kernel.pack is not None and not self.problem.packed:
            raise unsupported("it packs weights, which is for problems with ':packed'")
        return kernel

    def workload(self, recipe, after, attempt):
        """Filled for one launch."""
        seed = (self.policy["seed"] + after) % (1 << 64)
        with attempt.spending("operands_s"):
            found = self.worker.workloads.get(self.problem, (recipe, seed), self.policy["verify"])
            found.enter(self.policy["stage"])
            found.grow(1)
        with attempt.spending("reference_s"):
            found.expect()
        return found

    def timed_workload(self, attempt):
        """Filled for the rotation."""
        found = self.workload("gaussian", 0, attempt)
        with attempt.spending("operands_s"):
            found.grow(self.count_sets())
        return found

    def count_sets(self, packed_bytes=0):
        return rotation_count(self.problem, self.device, self.policy["measure"]["cold_cache"], packed_bytes)


class DeviceLost(Exception):
    """A kernel's fault made the device unusable for this process: it answers and ends."""
