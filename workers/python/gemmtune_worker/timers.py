"""How long a launch takes on a device: see "Timing" in workers/PROTOCOL.md and docs/measuring.md.

A timer's `time_us(launches, first, count)` gives `count` times in microseconds. `launches(i)` launches on operand set
number i modulo `launches.period`.
"""

import time

SHORTEST_SINGLE_US = 500.0
GRAPH_US = 400.0  # so long that the two microseconds around a graph do not matter
LONGEST_GRAPH = 64
LONGEST_ROUND = 256
MOST_QUEUED = 8
DELAY_CYCLES = 200_000  # about 100 us: the host queues in that time what is to be timed
SHORT_ON_CPU_US = 2.0
CPU_BATCH_US = 20.0


class Launches:
    """A kernel on each of some operand sets, and the graphs that a GPU's timer made of it."""

    def __init__(self, kernel, operands):
        self.kernel, self.operands, self.period = kernel, operands, len(operands)
        self.graphs = {}

    def __call__(self, index):
        self.kernel.launch(self.operands[index % self.period])


class CpuTimer:
    def __init__(self, clock_ns=time.perf_counter_ns):
        self.clock_ns = clock_ns

    def time_us(self, launches, first, count):
        at_once, times = 1, []
        while len(times) < count:
            start = self.clock_ns()
            for i in range(at_once):
                launches(first + i)
            us = max(self.clock_ns() - start, 1) / 1000 / at_once
            first += at_once
            if at_once == 1 and us < SHORT_ON_CPU_US:
                at_once = max(int(CPU_BATCH_US / us), 2)  # and this time is not counted
            else:
                times.append(us)
        return times


def graph_size(launch_us, period):
    """How many launches make a graph: whole rounds over the sets, so that each replay finds them equally cold."""
    size = min(max(round(GRAPH_US / max(launch_us, 1.0)), 2), LONGEST_GRAPH)
    return -(-size // period) * period if period <= LONGEST_ROUND else size


class GpuTimer:
    def __init__(self, torch):
        self.cuda = torch.cuda
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(MOST_QUEUED + 1)]

    def time_us(self, launches, first, count):
        times = self._queued(launches, first, 1)
        if count > 1 and times[0] < SHORTEST_SINGLE_US:
            return self._replayed(launches, first, (count, times[0]))
        return times + self._queued(launches, first + 1, count - 1)

    def _queued(self, launch, first, count):
        """Behind a delay, so that the host's time for launching is not counted."""
        times = []
        while len(times) < count:
            queued, done = min(count - len(times), MOST_QUEUED), len(times)
            self.cuda._sleep(DELAY_CYCLES)
            self.events[0].record()
            for i in range(queued):
                launch(first + done + i)
                self.events[i + 1].record()
            self.events[queued].synchronize()
            times += [self.events[i].elapsed_time(self.events[i + 1]) * 1000 for i in range(queued)]
        return [max(us, 0.001) for us in times]

    def _replayed(self, launches, first, count_us):
        count, launch_us = count_us
        size = graph_size(launch_us, launches.period)
        graph = self._graph(launches, first, size)
        if graph is None:
            return self._queued(launches, first, count)
        return [us / size for us in self._queued(lambda _: graph.replay(), 0, count)]

    def _graph(self, launches, first, size):
        """None for a kernel that cannot be captured. Graphs are kept with the launches."""
        key = (first % launches.period, size)
        if key not in launches.graphs:
            alike = size >= launches.period  # a graph of whole rounds may begin with any set
            found = [graph for (_, length), graph in launches.graphs.items() if alike and length == size]
            launches.graphs[key] = found[0] if found else self._capture(launches, first, size)
        return launches.graphs[key]

    def _capture(self, launches, first, size):
        graph = self.cuda.CUDAGraph()
        self.cuda.synchronize()
        graph.capture_begin()
        try:
            for i in range(first, first + size):
                launches(i)
        except Exception:  # whatever a backend raises when it cannot be captured
            _end_quietly(graph)
            return None
        return graph if _end_quietly(graph) else None


def _end_quietly(graph):
    try:
        graph.capture_end()
        graph.replay()
        return True
    except RuntimeError:
        return False
