"""When there are enough samples, and in which order finalists take them: see "Timing" in workers/PROTOCOL.md.

The rules see samples and never a clock: a timer is given, and tests give one that invents times.
"""

import time

from gemmtune_worker.statistics import interval, median

TOO_SLOW = 4.0  # times the best median of a screening: such candidates need not be known well
GIVE_UP_EARLY = 2.0  # before there are min_samples
CONTENDS = 1.02  # of the fastest median
LARGEST_BLOCK = 8
SMALLEST_TURN = 4
LONGEST_BLOCK_US = 20_000.0
LOAD_US = 10_000.0  # a GPU at its power limit is faster after a rest: a turn of long launches begins with so much load
SHORTEST_WITH_LOAD_US = 50.0
LEAST_SAMPLE_US = 400.0  # of several short launches


def enough(samples, turns, measure, too_slow_us=float("inf")):
    if len(samples) >= measure["max_samples"]:
        return True
    if not samples:
        return False
    if len(samples) < measure["min_samples"]:
        return min(samples) > GIVE_UP_EARLY * too_slow_us
    if sum(samples) >= measure["max_sampling_s"] * 1e6 or min(samples) > too_slow_us:
        return True
    if len(turns) < 2:
        return False
    low, high = interval(samples, turns)
    return (high - low) / 2 < measure["target_dispersion"] * median(samples)


class Series:
    """The samples of one candidate. `take(count)` gives that many times in microseconds."""

    def __init__(self, take, measure):
        self.take, self.measure, self.samples, self.turns, self.last_us = take, measure, [], [], 0.0

    def warm_up(self, launches):
        if launches > 0:
            self.last_us = self.take(launches)[-1]

    def take_turn(self, smallest):
        times = self.take(self._block(smallest))
        self.samples += times
        self.turns.append(len(times))
        self.last_us = times[-1]

    def done(self, too_slow_us=float("inf")):
        return enough(self.samples, self.turns, self.measure, too_slow_us)

    def _block(self, smallest):
        """The first two blocks make up min_samples, because an interval needs two turns; long launches go singly."""
        least, most = self.measure["min_samples"], self.measure["max_samples"]
        fitting = min(LARGEST_BLOCK, int(LONGEST_BLOCK_US / max(self.last_us, 1.0)))
        wanted, missing = fitting, least - len(self.samples)
        if LONGEST_BLOCK_US / max(self.last_us, 1.0) >= least:
            smallest = max(smallest, 2)  # short launches are replayed from graphs of several
            if not self.samples:
                wanted = (least + 1) // 2
            elif missing > 0:
                wanted = missing
        return min(max(wanted, smallest, 1), most - len(self.samples))


def sample_alone(take, measure, too_slow_us):
    series = Series(take, measure)
    series.warm_up(measure["warmup"])
    while not series.done(too_slow_us):
        series.take_turn(1)
    return series


def sample_in_turns(all_series, take_turn):
    """Each takes a turn, in alternating order, until all have enough. `take_turn(i)` takes the samples of number i, by
    `turn`; it returns False when that candidate failed, which ends its part."""
    alive, forth = list(range(len(all_series))), True
    while wanted := _wanted(all_series, alive):
        for i in wanted if forth else reversed(wanted):
            if not take_turn(i):
                alive.remove(i)
        forth = not forth


def run_uncounted(takes, for_s, clock=time.monotonic):
    """All of them in turn, until a GPU's clock has settled."""
    start, i = clock(), 0
    while takes and clock() - start < for_s:
        takes[i % len(takes)](LARGEST_BLOCK)
        i += 1


def turn(series, under_load=False):
    """`under_load`: on a GPU, whose clock depends on the load of the last milliseconds."""
    warmup = series.measure["warmup"]
    if not series.samples:
        series.warm_up(warmup)
    has_load = warmup > 0 and under_load and series.last_us >= SHORTEST_WITH_LOAD_US
    load = int(LOAD_US / max(series.last_us, LEAST_SAMPLE_US)) if has_load else 0
    series.warm_up(max(load, min(warmup, 1)) if series.samples else load)
    series.take_turn(SMALLEST_TURN)


def _wanted(all_series, alive):
    """Those that are not done; and while one of the fastest is not, all of the fastest."""
    medians = {i: median(all_series[i].samples) if all_series[i].samples else 0.0 for i in alive}
    near = {i for i in alive if medians[i] <= CONTENDS * min(medians.values())}
    undecided = any(not all_series[i].done() for i in near)
    return [i for i in alive if len(all_series[i].samples) < all_series[i].measure["max_samples"]
            and (not all_series[i].done() or (undecided and i in near))]
