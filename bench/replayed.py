"""Device times of calls that CUDA graphs replay."""
import statistics

import torch

ROUNDS = 15


def graph_of(calls):
    """A graph of the calls, after each was called once: that packs weights and makes plans."""
    for call in calls:
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in calls:
            call()
    return graph


def replayed_us(graphs, calls_of_a_graph, replays=5):
    """Medians of the device's time for a call, of several graphs replayed in turn."""
    times = [[] for _ in graphs]
    for _ in range(ROUNDS):
        for graph, own in zip(graphs, times):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            graph.replay()
            start.record()
            for _ in range(replays):
                graph.replay()
            end.record()
            end.synchronize()
            own.append(start.elapsed_time(end) * 1e3 / replays / calls_of_a_graph)
    return [statistics.median(own) for own in times]
