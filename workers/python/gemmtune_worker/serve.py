"""Answers the supervisor's requests: see workers/PROTOCOL.md."""

import json

from gemmtune_worker import __version__, stages
from gemmtune_worker.audit import multiply
from gemmtune_worker.bench import Bench, DeviceLost, WorkloadCache
from gemmtune_worker.compile_ahead import CompileAhead
from gemmtune_worker.device import hello_device
from gemmtune_worker.failure import last_line, unsupported
from gemmtune_worker.holding import Holding
from gemmtune_worker.problem import parse_problem

STAGES = {"screen": stages.screen, "confirm": stages.confirm, "prove": stages.prove}


class Worker:
    def __init__(self, channel, device, backends):
        self.channel, self.device = channel, device
        self.backends = {backend.family: backend for backend in backends}
        self.workloads, self.compiler = WorkloadCache(device), CompileAhead()
        self.holding = None

    def serve(self):
        versions = {family: backend.version() for family, backend in self.backends.items()}
        self.channel.send(type="hello", protocol=2, name=f"gemmtune_worker {' '.join(self.backends)}",
                          version=__version__, device=hello_device(self.device, versions), compiles_ahead=True)
        try:
            for line in self.channel.lines():
                if not self._answer_line(line):
                    return
        except DeviceLost:
            return
        finally:
            self.compiler.close()

    def _answer_line(self, line):
        """False for `bye`. A bad request is answered, and the worker goes on."""
        request = None
        try:
            request = json.loads(line)
            if request["type"] == "bye":
                return False
            self._answer(request)
        except DeviceLost:
            raise
        except Exception as error:
            known = request.get("id") if isinstance(request, dict) else None
            self.channel.send(type="error", id=known, message=last_line(error))
        return True

    def _answer(self, request):
        answer = {"supports": self._supports, "candidates": self._candidates, "evaluate": self._evaluate,
                  "hold": self._hold, "sample": self._sample, "settle": self._settle, "release": self._release,
                  "multiply": self._multiply, "expect": self._expect}.get(request["type"])
        if answer is None:
            raise ValueError(f"unknown request '{request['type']}'")
        answer(request)

    def _done(self, request):
        self.device.return_memory()
        self.channel.send(type="done", id=request["id"])

    def _supports(self, request):
        problem = self.problem(request["problem"])
        families = []
        for family, backend in self.backends.items():
            why_not = problem.why_unknown() or backend.why_not(problem)
            count = 0 if why_not else len(backend.candidates(problem))
            families.append({"family": family, "version": backend.version(), "why_not": why_not,
                             "candidate_count": count})
        self.channel.send(type="supports", id=request["id"], families=families)

    def _candidates(self, request):
        problem, listed = self.problem(request["problem"]), []
        for family, backend in self.backends.items():
            if not (problem.why_unknown() or backend.why_not(problem)):
                listed += [candidate.message(family) for candidate in backend.candidates(problem)]
        self.channel.send(type="candidates", id=request["id"], candidates=listed)

    def _evaluate(self, request):
        self.holding = None
        STAGES[request["policy"]["stage"]](Bench(self, request))
        self._done(request)

    def _hold(self, request):
        self.holding = Holding(Bench(self, request))
        self.holding.hold()
        self._done(request)

    def _sample(self, request):
        self._held(request).sample(request)

    def _settle(self, request):
        self._held(request).settle(request["candidates"])
        self._done(request)

    def _held(self, request):
        if self.holding is None:
            raise ValueError("nothing is held")
        self.holding.bench.id = request["id"]
        return self.holding

    def _release(self, request):
        self.holding = None
        self._done(request)

    def _multiply(self, request):
        self.holding = None
        multiply(self, request)
        self.device.return_memory()

    def _expect(self, request):
        """Compiles them on cores that nothing else needs, and goes on at once."""
        problem = self.problem(request["problem"])
        jobs = [self._compile_job(problem, candidate) for candidate in request["candidates"]]
        self.compiler.expect([job for job in jobs if job])
        self._done(request)

    def problem(self, text):
        return parse_problem(text)

    def backend(self, family):
        if family not in self.backends:
            raise unsupported(f"no family '{family}' here")
        return self.backends[family]

    def compile_ahead(self, problem, candidates):
        """The jobs by name, all of them started, of candidates that are not compiled yet."""
        jobs = {candidate["name"]: self._compile_job(problem, candidate) for candidate in candidates}
        return {name: self.compiler.start(job) for name, job in jobs.items() if job}

    def _compile_job(self, problem, candidate):
        backend = self.backends.get(candidate["family"])
        if backend is None or problem.why_unknown() or backend.why_not(problem):
            return None
        return backend.compile_job(problem, candidate["name"])
