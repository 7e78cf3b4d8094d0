"""Takes samples of one attempt and remembers which launch comes next, so that operand sets are taken in turn."""


class Sampler:
    def __init__(self, attempt):
        self.attempt, self.next, self.witness = attempt, 0, None

    def take(self, count):
        """Times in microseconds. A failure ends the attempt; the times that are missing are then infinite."""
        attempt, times = self.attempt, []
        if attempt.alive:
            with attempt.step("kernel_s", "launch_failed"):
                times = attempt.device.timer.time_us(attempt.launches, self.next, count)
        if self.witness and times:
            self.witness.saw(self.next, count)
        self.next += count
        return times or [float("inf")] * count

    def go_on(self, launches):
        """What fails is found in the next turn."""
        with self.attempt.step("kernel_s", "launch_failed"):
            for i in range(launches):
                self.attempt.launches(self.next + i)
            self.attempt.device.synchronize()
        self.next += launches
