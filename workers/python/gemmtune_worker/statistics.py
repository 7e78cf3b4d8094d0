"""Robust statistics of samples, as gemmtune computes them (docs/measuring.md). Pure functions.

`turns` holds the number of samples of each turn: samples of one turn were taken one right after the other.
"""

import math

TURN_DEVIATION = 0.025  # of the time of a single turn, which its own samples cannot show
TWO_SIDED = 1.959964  # standard deviations that hold 95 % of normal noise
FEW = (1.0, 1.0, 12.71, 4.32, 1.66, 1.11)  # how far the range of so few samples is widened


def at_rank(ordered, position):
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def median(samples):
    ordered = sorted(samples)
    return at_rank(ordered, (len(ordered) - 1) / 2)


def dispersion(samples):
    middle = median(samples)
    return 1.4826 * median([abs(x - middle) for x in samples]) / middle


def independent_count(samples, turns):
    """How many samples that know nothing of each other would tell as much of the median."""
    if len(turns) < 2:
        return min(len(samples), 1)
    middle, at, of_turns, of_samples = median(samples), 0, 0.0, 0.0
    for size in turns:
        sides = [(x > middle) - (x < middle) for x in samples[at:at + size]]
        of_turns += sum(sides) ** 2
        of_samples += sum(abs(side) for side in sides)
        at += size
    if not of_samples:
        return len(samples)
    alike = of_turns / of_samples * len(turns) / (len(turns) - 1)
    return min(max(len(samples) / alike if alike else len(samples), len(turns)), len(samples))


def _left_out(count):
    """How many samples at each end a 95 % interval leaves out."""
    def chance(i):
        return math.exp(math.lgamma(count + 1) - math.lgamma(i + 1) - math.lgamma(count - i + 1) - count * math.log(2))
    misses, left = 2 * chance(0), 0
    while 2 * (left + 1) < count:
        misses += 2 * chance(left + 1)
        if misses > 0.05:
            break
        left += 1
    return left


def _order_statistics(ordered, count):
    last = len(ordered) - 1
    outside = 0.0 if count < 2 else _left_out(count) * last / (count - 1)
    middle, wider = at_rank(ordered, last / 2), FEW[count] if count < len(FEW) else 1.0
    return tuple(middle + (at_rank(ordered, at) - middle) * wider for at in (outside, last - outside))


def interval(samples, turns):
    """95 % confidence interval of the median."""
    ordered = sorted(samples)
    if len(turns) >= 2:
        return _order_statistics(ordered, math.floor(independent_count(samples, turns) + 0.5))
    middle = at_rank(ordered, (len(ordered) - 1) / 2)
    low, high = _order_statistics(ordered, len(ordered))
    off = TWO_SIDED * TURN_DEVIATION * middle
    return middle - math.hypot(middle - low, off), middle + math.hypot(high - middle, off)


def summarise(samples, turns):
    """The protocol's `timing`."""
    low, high = interval(samples, turns)
    return {"samples_us": samples, "sample_count": len(samples), "turns": turns, "median_us": median(samples),
            "min_us": min(samples), "mean_us": sum(samples) / len(samples), "low_us": low, "high_us": high,
            "dispersion": dispersion(samples)}
