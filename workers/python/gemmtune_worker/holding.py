"""Stage `confirm` in steps, where the supervisor takes turns among several workers: see `hold` in PROTOCOL.md."""

from gemmtune_worker.sampler import Sampler
from gemmtune_worker.stages import check_again, check_finalist, open_attempt, timed_turn


class Holding:
    """The candidates of one `hold` request, until they are released."""

    def __init__(self, bench):
        self.bench, self.samplers = bench, {}

    def hold(self):
        for candidate in self.bench.candidates:
            attempt = open_attempt(self.bench, candidate)
            if not check_finalist(self.bench, attempt):
                continue
            self.samplers[candidate["family"], candidate["name"]] = Sampler(attempt)
            flaw = {"flaw": attempt.flaw} if attempt.flaw else {}
            self.bench.send(type="held", candidate=attempt.candidate, **attempt.memory(), **flaw)

    def find(self, candidate):
        sampler = self.samplers.get((candidate["family"], candidate["name"]))
        if sampler is None:
            raise ValueError(f"'{candidate['name']}' is not held")
        return sampler

    def sample(self, request):
        sampler, times = self.find(request["candidate"]), []
        attempt = sampler.attempt

        def take():
            if request["warmup"]:
                sampler.take(request["warmup"])
            times.extend(sampler.take(request["count"]))

        warmup = request["warmup"] if request["judge"] else None
        timed_turn(self.bench.timed_workload(attempt), sampler, (take, warmup))
        if attempt.alive:
            self.bench.send(type="samples", samples_us=times)
            sampler.go_on(request.get("after", 0))
            return
        del self.samplers[attempt.candidate["family"], attempt.candidate["name"]]
        self.bench.report(attempt)

    def settle(self, candidates):
        for candidate in candidates:
            attempt = self.find(candidate).attempt
            self.bench.started(attempt.candidate)
            check_again(self.bench.timed_workload(attempt), attempt)
            self.bench.report(attempt)
