"""The three stages of an evaluation: see "Stages" in workers/PROTOCOL.md. `bench` gives workloads and kernels, and
hears what happens: `started(candidate)` and `report(attempt)`."""

from gemmtune_worker.attempt import Attempt
from gemmtune_worker.failure import CandidateFailed, unsupported
from gemmtune_worker.recipes import ordeals
from gemmtune_worker.sampler import Sampler
from gemmtune_worker.sampling import TOO_SLOW, Series, run_uncounted, sample_alone, sample_in_turns, turn
from gemmtune_worker.statistics import summarise
from gemmtune_worker.witness import Witness

SETS_BEFORE = 8
SETS_AFTER = 2
SETTLING_S = 0.04  # for each launch of the warm-up, on a GPU
JUDGED_LATER = 0.25  # of the later turns of a finalist


def screen(bench):
    best_us = float("inf")
    for candidate in bench.candidates:
        attempt = open_attempt(bench, candidate)
        if attempt.alive:
            _screen_prepared(bench, attempt, best_us)
        if attempt.alive and attempt.timing:
            best_us = min(best_us, attempt.timing["median_us"])
        bench.report(attempt)


def open_attempt(bench, candidate):
    """Started and prepared, or failed."""
    bench.started(candidate)
    attempt = Attempt(bench.device, candidate, bench.policy["stage"])
    if bench.policy["measure"].get("cold_instructions"):
        attempt.fail(unsupported("instruction caches cannot be emptied from here"))
    else:
        attempt.prepare(lambda: bench.prepare(candidate))
    return attempt


def _screen_prepared(bench, attempt, best_us):
    workload = bench.timed_workload(attempt)
    if attempt.load(workload, bench.count_sets) and attempt.check(workload, [0]) and attempt.check_memory(workload):
        _time_alone(bench, attempt, (workload, TOO_SLOW * best_us))
    attempt.check_memory(workload)
    if not attempt.alive:
        attempt.timing = None


def _time_alone(bench, attempt, workload_limit):
    (workload, too_slow_us), measure = workload_limit, bench.policy["measure"]
    attempt.equip(workload)
    sampler = Sampler(attempt)
    sampler.witness = Witness(attempt, workload)
    sampler.witness.prepare(measure["warmup"], max(measure["min_samples"], 1))
    series = sample_alone(sampler.take, measure, too_slow_us)
    judged = sampler.witness.conclude()
    if attempt.alive and not judged:
        attempt.check(workload, _drawn_sets(workload, attempt, 1))
    if attempt.alive:
        attempt.timing = summarise(series.samples, series.turns)


def confirm(bench):
    attempts = []
    for candidate in bench.candidates:
        attempt = open_attempt(bench, candidate)
        if check_finalist(bench, attempt):
            attempts.append(attempt)
    if attempts:
        _time_in_turns(bench, attempts)
    for attempt in attempts:
        bench.started(attempt.candidate)
        check_again(bench.timed_workload(attempt), attempt)
        bench.report(attempt)


def check_finalist(bench, attempt):
    """Whether it is timed: it is right, or merely inaccurate. Others are reported."""
    if attempt.alive:
        workload = bench.timed_workload(attempt)
        if attempt.load(workload, bench.count_sets):
            attempt.check(workload, _drawn_sets(workload, attempt, SETS_BEFORE))
        attempt.check_memory(workload)
    if attempt.is_merely_inaccurate():
        attempt.reopen()
    if not attempt.alive:
        bench.report(attempt)
        return False
    attempt.equip(workload)
    return True


def check_again(workload, attempt):
    """After the timing: two sets, and changes at the same addresses, which must be seen."""
    if attempt.alive and not attempt.flaw:
        sets = _drawn_sets(workload, attempt, SETS_AFTER)
        attempt.check(workload, sets)
        _check_changed(workload, attempt, sets[0])
        attempt.check_memory(workload)
    if not attempt.alive:
        attempt.timing = None


def _drawn_sets(workload, attempt, most):
    count = len(attempt.sets(workload))
    return workload.random.sample(range(count), min(most, count))


def _check_changed(workload, attempt, index):
    """The sign of A changes in place, then that of weights that are not packed, without poison in between."""
    for name in ("a", "a") if attempt.packs else ("a", "w", "a", "w"):
        if not attempt.alive:
            break
        with attempt.step("kernel_s", "launch_failed"):
            workload.negate(name, index)
            attempt.kernel.launch(attempt.sets(workload)[index])
            attempt.device.synchronize()
        if attempt.alive:
            attempt.judge(workload, index, f"after the sign of {name} changed in place: ")
    if not attempt.alive and not attempt.device.is_lost():
        workload.restore()


def _time_in_turns(bench, attempts):
    measure = bench.policy["measure"]
    samplers = [Sampler(attempt) for attempt in attempts]
    all_series = [Series(sampler.take, measure) for sampler in samplers]
    workload = bench.timed_workload(attempts[0])
    on_gpu = bench.device.kind != "cpu"
    if on_gpu:
        run_uncounted([sampler.take for sampler in samplers], SETTLING_S * measure["warmup"])

    def take_turn(i):
        bench.started(attempts[i].candidate)
        is_judged = not all_series[i].samples or workload.random.random() < JUDGED_LATER
        timed_turn(workload, samplers[i], (lambda: turn(all_series[i], on_gpu), measure["warmup"] if is_judged else None))
        return attempts[i].alive

    sample_in_turns(all_series, take_turn)
    for attempt, series in zip(attempts, all_series):
        if attempt.alive:
            attempt.timing = summarise(series.samples, series.turns)


def timed_turn(workload, sampler, take_judged):
    """`take` samples; if `warmup` is a number, one set is judged of the four launches after that many."""
    (take, warmup), attempt = take_judged, sampler.attempt
    if warmup is not None and not attempt.flaw:
        sampler.witness = Witness(attempt, workload)
        sampler.witness.prepare(sampler.next + warmup, 4)
    take()
    if sampler.witness:
        sampler.witness.conclude()
        sampler.witness = None
    attempt.check_memory(workload)


def prove(bench):
    attempts = [open_attempt(bench, candidate) for candidate in bench.candidates]
    for recipe, after in ordeals(bench.problem):
        for attempt in attempts:
            if attempt.alive:
                bench.started(attempt.candidate)
                _undergo(bench, attempt, (recipe, after))
    for attempt in attempts:
        if attempt.alive and len(attempt.declined) == len(ordeals(bench.problem)):
            attempt.fail(unsupported("; ".join(attempt.declined)))  # it has proved nothing
        bench.report(attempt)


def _undergo(bench, attempt, ordeal):
    workload = bench.workload(*ordeal, attempt)
    if attempt.load(workload, lambda _: 1):
        attempt.check(workload, [0])
        if ordeal[0] == "gaussian":
            _check_changed(workload, attempt, 0)
            _stress(workload, attempt)
    else:
        attempt.decline(ordeal[0])
    attempt.loaded = None
    attempt.check_memory(workload)
    if not attempt.alive:
        attempt.failure = CandidateFailed(attempt.failure.outcome, f"{ordeal[0]}: {attempt.failure.reason}")


def _stress(workload, attempt, launches=64):
    """Many launches, back to back: the last output must be right, too."""
    if not attempt.alive:
        return
    with attempt.step("kernel_s", "launch_failed"):
        workload.poison(0)
        for _ in range(launches):
            attempt.kernel.launch(attempt.sets(workload)[0])
        attempt.device.synchronize()
    if attempt.alive:
        attempt.judge(workload, 0, f"after {launches} launches back to back: ")
