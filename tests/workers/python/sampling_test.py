"""When there are enough samples, in which order they are taken, and what is said of them: with invented times."""

import unittest

from gemmtune_worker.sampling import Series, enough, run_uncounted, sample_alone, sample_in_turns, turn
from gemmtune_worker.statistics import independent_count, interval, median, summarise
from gemmtune_worker.timers import CpuTimer, graph_size

MEASURE = {"warmup": 2, "min_samples": 4, "max_samples": 40, "max_sampling_s": 1.0, "target_dispersion": 0.01}


class Clock:
    """Advances by what is said, in nanoseconds."""

    def __init__(self, step_ns):
        self.now, self.step_ns = 0, step_ns

    def __call__(self):
        return self.now

    def launch(self, _):
        self.now += self.step_ns


class SamplingTest(unittest.TestCase):
    def test_one_turn_is_never_enough_by_its_own_agreement(self):
        self.assertFalse(enough([10.0] * 20, [20], MEASURE))
        self.assertFalse(enough([10.0] * 20, [20], {**MEASURE, "target_dispersion": 0.5}))
        self.assertTrue(enough([10.0] * 20, [10, 10], MEASURE))

    def test_most_samples_and_most_time_end_it(self):
        self.assertTrue(enough([10.0, 20.0] * 20, [40], MEASURE))
        self.assertTrue(enough([3e5] * 4, [4], MEASURE))
        self.assertFalse(enough([3e5] * 3, [3], MEASURE))

    def test_what_is_far_too_slow_is_given_up(self):
        self.assertTrue(enough([50.0] * 4, [4], MEASURE, too_slow_us=40))
        self.assertFalse(enough([50.0], [1], MEASURE, too_slow_us=40))
        self.assertTrue(enough([90.0], [1], MEASURE, too_slow_us=40))

    def test_short_launches_are_screened_in_two_turns_of_min_samples(self):
        blocks = []

        def take(count):
            blocks.append(count)
            return [10.0] * count
        series = sample_alone(take, MEASURE, float("inf"))
        self.assertEqual(blocks, [2, 2, 2])
        self.assertEqual((series.samples, series.turns), ([10.0] * 4, [2, 2]))

    def test_a_turn_of_long_launches_begins_with_load_where_the_clock_depends_on_it(self):
        for us, under_load, later in ((1000.0, True, 10), (100.0, True, 25), (10.0, True, 1), (1000.0, False, 1)):
            taken = []
            series = Series(lambda count: taken.append(count) or [us] * count, {**MEASURE, "warmup": 5})
            turn(series, under_load)
            before = len(taken)
            turn(series, under_load)
            self.assertEqual(sum(taken[before:-1]), later, (us, under_load))

    def test_finalists_take_turns_in_alternating_order(self):
        order = []
        all_series = [Series(lambda count: [10.0 + count % 2] * count, MEASURE) for _ in range(3)]

        def take_turn(i):
            order.append(i)
            turn(all_series[i])
            return True
        sample_in_turns(all_series, take_turn)
        self.assertEqual(order[:6], [0, 1, 2, 2, 1, 0])
        self.assertTrue(all(len(series.turns) >= 2 for series in all_series))

    def test_a_clock_settles_before_finalists_are_timed(self):
        taken, clock = [], Clock(0)

        def take(i):
            def run(count):
                taken.append((i, count))
                clock.now += 10
            return run
        run_uncounted([take(0), take(1)], 35, clock)
        self.assertEqual(taken, [(0, 8), (1, 8), (0, 8), (1, 8)])
        run_uncounted([], 1, clock)

    def test_a_finalist_that_fails_takes_no_more_turns(self):
        turns = [0, 0]
        all_series = [Series(lambda count: [10.0] * count, MEASURE) for _ in range(2)]

        def take_turn(i):
            turns[i] += 1
            turn(all_series[i])
            return i == 0
        sample_in_turns(all_series, take_turn)
        self.assertEqual(turns[1], 1)
        self.assertGreater(turns[0], 1)

    def test_intervals_are_gemmtunes(self):
        """The numbers are what gemmtune/measure/statistics.cpp gives."""
        low, high = interval([10.0] * 8, [8])
        self.assertAlmostEqual(low, 10 - 1.959964 * 0.25, places=6)
        self.assertAlmostEqual(high, 10 + 1.959964 * 0.25, places=6)
        ten = [float(x) for x in range(1, 11)]
        self.assertEqual(interval(ten, [1] * 10), (2.0, 9.0))  # P(B(10, 1/2) <= 1) = 1.07 %
        low, high = interval([10.0, 11.0], [1, 1])
        self.assertAlmostEqual(high - 10.5, 12.71 * 0.5)
        self.assertAlmostEqual(10.5 - low, 12.71 * 0.5)

    def test_samples_of_a_turn_that_are_alike_count_less(self):
        alike = [10.0] * 4 + [11.0] * 4 + [10.0] * 4 + [11.0] * 4
        self.assertEqual(independent_count(alike, [4] * 4), 4)
        mixed = [10.0, 11.0] * 8
        self.assertEqual(independent_count(mixed, [4] * 4), 16)

    def test_the_summary_is_of_the_samples(self):
        found = summarise([3.0, 1.0, 2.0, 4.0], [2, 2])
        self.assertEqual((found["median_us"], found["min_us"], found["mean_us"]), (2.5, 1.0, 2.5))
        self.assertAlmostEqual(found["dispersion"], 1.4826 * 1.0 / 2.5)
        self.assertEqual(median([5.0, 1.0, 9.0]), 5.0)

    def test_the_clock_is_read_around_each_launch(self):
        clock = Clock(5_000)
        self.assertEqual(CpuTimer(clock).time_us(clock.launch, 0, 3), [5.0, 5.0, 5.0])
        self.assertEqual(clock.now, 15_000)

    def test_very_short_launches_are_timed_many_at_once(self):
        clock = Clock(500)
        self.assertEqual(CpuTimer(clock).time_us(clock.launch, 0, 2), [0.5, 0.5])
        self.assertEqual(clock.now, 500 + 2 * 40 * 500)

    def test_graphs_hold_whole_rounds_over_the_operand_sets(self):
        self.assertEqual(graph_size(10.0, 1), 40)
        self.assertEqual(graph_size(10.0, 7), 42)
        self.assertEqual(graph_size(1.0, 128), 128)
        self.assertEqual(graph_size(1000.0, 1), 2)


if __name__ == "__main__":
    unittest.main()
