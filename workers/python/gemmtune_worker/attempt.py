"""One candidate on its way through a stage: what was found so far, and whether it goes on."""

import time
from contextlib import contextmanager

from gemmtune_worker.failure import CandidateFailed, as_failure
from gemmtune_worker.judge import Verdict
from gemmtune_worker.timers import Launches

COSTS = ("kernel_s", "prepare_s", "operands_s", "reference_s", "verify_s")


class Attempt:
    def __init__(self, device, candidate, stage):
        self.device, self.stage = device, stage
        self.candidate = {"family": candidate["family"], "name": candidate["name"]}
        self.kernel, self.launches, self.failure, self.flaw = None, None, None, ""
        self.loaded, self.packed_bytes, self.pack_us = None, 0, 0.0
        self.verdict, self.timing = Verdict(), None
        self.declined = []
        self.cost = dict.fromkeys(COSTS, 0.0)

    @property
    def alive(self):
        return self.failure is None

    @contextmanager
    def spending(self, cost):
        start = time.perf_counter()
        try:
            yield
        finally:
            self.cost[cost] += time.perf_counter() - start

    @contextmanager
    def step(self, cost, outcome):
        """What goes wrong inside ends the attempt with this outcome, unless the failure knows a better one."""
        with self.spending(cost):
            try:
                yield
            except Exception as error:  # the failure of a candidate, whatever a library calls it
                self.fail(as_failure(error, outcome))

    def fail(self, failure):
        self.failure = self.failure or failure

    def prepare(self, prepare):
        with self.step("prepare_s", "compile_failed"):
            self.kernel = prepare()
            self.device.synchronize()
        return self.alive

    @property
    def packs(self):
        return self.kernel.pack is not None

    def load(self, workload, count_sets):
        """Packs the weights of each set that launches take in turn, if the kernel packs. `count_sets(packed_bytes)`:
        how many sets that are. Kernels that do not pack take all sets as they are."""
        if self.alive and self.packs:
            with self.step("prepare_s", "compile_failed"):
                self.loaded = [self._pack_first(workload.operands[0])]
                others = workload.operands[1:count_sets(self.packed_bytes)]
                self.loaded += [self.kernel.load(operands)[0] for operands in others]
                self.device.synchronize()
        return self.alive

    def _pack_first(self, operands):
        """Timed when it is done for the second time: the first call of a library compiles."""
        if not self.packed_bytes:
            self.kernel.load(operands)
            self.device.synchronize()
        start = time.perf_counter()
        loaded, self.packed_bytes = self.kernel.load(operands)
        self.device.synchronize()
        self.pack_us = self.pack_us or (time.perf_counter() - start) * 1e6
        return loaded

    def sets(self, workload):
        """What launches get, set by set."""
        return self.loaded if self.packs else workload.operands

    def check(self, workload, sets):
        """Launches on each of these sets, over poison, and judges what is there."""
        for index in sets:
            if self.alive:
                self._check_one(workload, index)
        return self.alive

    def _check_one(self, workload, index):
        with self.step("kernel_s", "launch_failed"):
            workload.poison(index)
            self.kernel.launch(self.sets(workload)[index])
            self.device.synchronize()
        if self.alive:
            self.judge(workload, index)

    def judge(self, workload, index, when=""):
        """What the set holds now, without another launch."""
        with self.step("verify_s", "launch_failed"):
            self.take(workload.verdict(index), when)

    def check_memory(self, workload):
        """Guards and operands of all sets. What is broken is repaired, for the candidates that follow."""
        if self.failure and self.failure.outcome == "launch_failed" and self.device.is_lost():
            return False
        with self.step("verify_s", "launch_failed"):
            self.device.synchronize()
            damage = workload.arena.damage()
            if damage:
                workload.restore()
                found = Verdict(checked=self.verdict.checked, guards_intact=False, why=damage, merely_inaccurate=False)
                self.take(found)
        return self.alive

    def take(self, verdict, when=""):
        self.verdict = self.verdict.worse(verdict)
        if verdict.why:
            self.fail(CandidateFailed("wrong_result", when + verdict.why))

    def is_merely_inaccurate(self):
        return not self.alive and self.failure.outcome == "wrong_result" and self.verdict.merely_inaccurate

    def reopen(self):
        """Forgets the failure, which becomes a flaw: the candidate is timed all the same."""
        self.flaw, self.failure = self.failure.reason, None

    def decline(self, recipe):
        """A kernel that declines to pack such weights is not wrong: it goes on."""
        if self.failure.outcome == "unsupported":
            self.declined.append(f"{recipe}: {self.failure.reason}")
            self.failure = None

    def _remark(self):
        return f"declined {'; '.join(self.declined)}" if self.declined else ""

    def equip(self, workload):
        """The operand sets are timed in rotation."""
        self.launches = Launches(self.kernel, self.sets(workload))

    def memory(self):
        """What is told of it beside the times."""
        return {"workspace_bytes": self.kernel.workspace_bytes, "packed_bytes": self.packed_bytes,
                "pack_us": self.pack_us}

    def evaluation(self):
        if self.flaw:
            self.fail(CandidateFailed("wrong_result", self.flaw))
        answer = {"candidate": self.candidate, "stage": self.stage, "cost": self.cost,
                  "outcome": "ok" if self.alive else self.failure.outcome,
                  "reason": self._remark() if self.alive else self.failure.reason}
        if self.verdict.checked:
            answer["accuracy"] = self.verdict.message()
        if self.timing and (self.alive or self.flaw):
            answer["timing"] = {**self.timing, **self.memory()}
        return answer
