"""Judges what timed launches leave: before a turn the sign of A changes in place in one of the operand sets that the
turn uses, so that another output is right there; after it, that output is judged without another launch."""


class Witness:
    def __init__(self, attempt, workload):
        self.attempt, self.workload, self.set, self.launched = attempt, workload, None, False

    def prepare(self, first, count):
        """One of the launches number first to first + count - 1 will show."""
        random, workload = self.workload.random, self.workload
        self.set = (first + random.randrange(max(count, 1))) % self.attempt.launches.period
        with self.attempt.step("verify_s", "launch_failed"):
            workload.negate("a", self.set)
            if workload.problem.stored_c().has_gaps() or random.random() < 0.5:
                workload.poison(self.set)

    def saw(self, first, count):
        period = self.attempt.launches.period
        self.launched = self.launched or (self.set - first) % period < count

    def conclude(self):
        """Whether the output was judged: not if the turn ended before its launch came."""
        if self.set is None:
            return False
        judged = self.launched and self.attempt.alive
        if judged:
            self.attempt.judge(self.workload, self.set, "after timed launches: ")
        if not (self.attempt.failure and self.attempt.device.is_lost()):
            self.workload.negate("a", self.set)
        self.set = None
        return judged
