#!/usr/bin/env python3
"""A whole worker in plain Python: nothing but the standard library, so that every step of PROTOCOL.md can be read.

    gemmtune worker-check python3 workers/example_worker.py

It multiplies f32 matrices in three ways, all slow, and keeps to every rule: operands by the recipe, poison and guards,
the error bound, every operand set judged, finalists in turns with those of other workers, adversarial operands, the
audit. Copy it and put your own kernels in.
"""

import array
import base64
import functools
import json
import math
import operator
import os
import platform
import random
import re
import statistics
import struct
import sys
import time

FAMILY = "pure_python"
VERSION = platform.python_version()
POISON = b"\xf5\xff\xf5\xff"
GUARD = bytes(range(256)) * 16

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
SCALE = float.fromhex("0x1.bb67aep-16")
TENSOR_A, TENSOR_W, TENSOR_BIAS = 1, 2, 3
BLOCK_STREAM, ROW_STREAM, GROUP_STREAM = 1 << 63, 1 << 62, 1 << 61
REACH = 30  # of the exponents of wide_rows, for f32


def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def bits(seed, tensor, index):
    return mix((mix((seed + tensor * GOLDEN) & MASK) + (index + 1) * GOLDEN) & MASK)


def value(seed, tensor, index):
    """Exact in double; whoever stores it as f32 rounds it as the recipe says."""
    b = bits(seed, tensor, index)
    return ((b & 0xFFFF) + (b >> 16 & 0xFFFF) + (b >> 32 & 0xFFFF) + (b >> 48) - 131070) * SCALE


def block_factor(recipe, seed, tensor, row, block, rows, blocks):
    drawn = bits(seed, tensor, BLOCK_STREAM + row * blocks + block)
    if recipe == "wide_exponents":
        return 2.0 ** (drawn % 25 - 12)
    group = row // 16
    zero_row = group * 16 + 16 <= rows and row % 16 == bits(seed, tensor, ROW_STREAM + group) % 16
    return 0.0 if zero_row or drawn % 4 == 0 else 1.0


def spoiled_elements(seed, tensor, rows, k):
    """Where nan_inf puts NaN and infinity into f32 operands, in this order."""
    some = -(-rows // 32)
    spoilt = [math.nan] * min(some, rows - 1) + [math.inf] * min(some, max(rows - 2, 0))
    for i, special in enumerate(spoilt):
        drawn = bits(seed, tensor, ROW_STREAM + i)
        yield (drawn & 0xFFFFFFFF) % rows * k + (drawn >> 32) % k, special


def draw(recipe, seed, tensor, rows, k):
    drawn = array.array("f", (value(seed, tensor, i) for i in range(rows * k)))
    if recipe == "one_sign":
        return array.array("f", map(abs, drawn))
    if recipe == "wide_rows" and tensor != TENSOR_BIAS:
        for row in range(rows):
            factor = 2.0 ** (bits(seed, tensor, GROUP_STREAM + row) % (2 * REACH + 1) - REACH)
            for i in range(row * k, row * k + k):
                drawn[i] *= factor
    if recipe == "nan_inf" and tensor != TENSOR_BIAS:
        for i, special in spoiled_elements(seed, tensor, rows, k):
            drawn[i] = special
    if recipe in ("wide_exponents", "zero_blocks") and tensor != TENSOR_BIAS:
        blocks = -(-k // 32)
        for row in range(rows):
            for block in range(blocks):
                factor = block_factor(recipe, seed, tensor, row, block, rows, blocks)
                for i in range(row * k + block * 32, row * k + min(block * 32 + 32, k)):
                    drawn[i] *= factor
    return drawn


class Problem:
    def __init__(self, text):
        sizes, *rest = text.split(":")
        match = re.fullmatch(r"(\d+)x(\d+)x(\d+)", sizes)
        if not match or len(rest) < 3:
            raise ValueError(f"'{text}' is not a problem")
        self.text = text
        self.m, self.n, self.k = map(int, match.groups())
        self.types = rest[:3]
        self.batch, self.bias, self.other_options = 1, False, []
        for option in rest[3:]:
            if option.startswith("batch="):
                self.batch = int(option[6:])
            elif option == "bias":
                self.bias = True
            elif option != "packed":
                self.other_options.append(option)

    def why_not(self):
        if self.types != ["f32", "f32", "f32"]:
            return "only f32 is multiplied here"
        if self.other_options:
            return f"'{':'.join(self.other_options)}' is not supported here"
        if self.batch * self.m * self.n * self.k > 1 << 22:
            return "more than 4 million products would take minutes"
        return ""


# A kernel reads a, w and bias (arrays of f32), and writes c (a memoryview of f32).
def rows_of(matrix, count, k):
    return [matrix[i * k:(i + 1) * k] for i in range(count)]


def dot_kernel(p, a, w, bias, c):
    """One dot product an element."""
    for b in range(p.batch):
        left = rows_of(a[b * p.m * p.k:], p.m, p.k)
        right = rows_of(w[b * p.n * p.k:], p.n, p.k)
        for m, row in enumerate(left):
            for n, column in enumerate(right):
                c[(b * p.m + m) * p.n + n] = sum(map(operator.mul, row, column)) + (bias[n] if bias else 0.0)


def index_kernel(p, a, w, bias, c):
    """By indices, as one would in C."""
    for row in range(p.batch * p.m):
        first = row // p.m * p.n
        for n in range(p.n):
            total = bias[n] if bias else 0.0
            for k in range(p.k):
                total += a[row * p.k + k] * w[(first + n) * p.k + k]
            c[row * p.n + n] = total


def split_kernel(p, a, w, bias, c, split_k):
    """K in pieces that are added up at the end."""
    bounds = [p.k * i // split_k for i in range(split_k + 1)]
    for row in range(p.batch * p.m):
        left = a[row * p.k:(row + 1) * p.k]
        for n in range(p.n):
            right = w[(row // p.m * p.n + n) * p.k:][:p.k]
            parts = [sum(map(operator.mul, left[i:j], right[i:j])) for i, j in zip(bounds, bounds[1:])]
            c[row * p.n + n] = sum(parts) + (bias[n] if bias else 0.0)


KERNELS = {"python_dot": dot_kernel, "python_index": index_kernel}


def candidates(problem):
    if problem.why_not():
        return []
    listed = [{"family": FAMILY, "name": name, "params": [["loop", name[7:]]]} for name in KERNELS]
    for split_k in (2, 4):
        params = [["loop", "split"], ["sk", str(split_k)]]
        listed.append({"family": FAMILY, "name": f"python_split_sk{split_k}", "params": params, "split_k": split_k})
    return listed


def prepare(problem, candidate):
    """The kernel of a name, or a reason. By the name alone: it may come from a table written long ago."""
    name = candidate["name"]
    why_not = problem.why_not()
    if candidate["family"] != FAMILY:
        why_not = f"no family '{candidate['family']}' here"
    split = re.fullmatch(r"python_split_sk([1-9]\d*)", name)
    if not why_not and name in KERNELS:
        return KERNELS[name], ""
    if not why_not and split:
        if int(split[1]) > problem.k:
            return None, f"K = {problem.k} cannot be split into {split[1]}"
        return functools.partial(split_kernel, split_k=int(split[1])), ""
    return None, why_not or f"no candidate '{name}' here"


def same_bits(operands, others):
    """Unlike ==, also where they hold NaN."""
    return all(x is None or x.tobytes() == y.tobytes() for x, y in zip(operands, others))


def exact_dot(row, column):
    try:
        return math.fsum(map(operator.mul, row, column))
    except ValueError:  # infinities of both signs
        return math.nan


class Workload:
    """The operands of a problem under one recipe, in as many copies (sets) as launches rotate over, with outputs."""

    def __init__(self, problem, recipe, seed, copies):
        p = self.problem = problem
        inputs = (draw(recipe, seed, TENSOR_A, p.batch * p.m, p.k), draw(recipe, seed, TENSOR_W, p.batch * p.n, p.k),
                  draw(recipe, seed, TENSOR_BIAS, 1, p.n) if p.bias else None)
        self.sets = [tuple(x and x[:] for x in inputs) for _ in range(copies)]
        self.pristine = inputs
        size = p.batch * p.m * p.n * 4
        self.outputs = [bytearray(GUARD + bytes(size) + GUARD) for _ in range(copies)]
        self.products, self.row_norms, self.column_norms = self.multiply_exactly()
        self.reference = self.with_bias(self.products)
        self.reference_of_negated = self.with_bias([-product for product in self.products])

    def multiply_exactly(self):
        p, (a, w, _) = self.problem, self.pristine
        left, right = rows_of(a, p.batch * p.m, p.k), rows_of(w, p.batch * p.n, p.k)
        products = [exact_dot(row, right[i // p.m * p.n + n]) for i, row in enumerate(left) for n in range(p.n)]
        return products, [math.hypot(*row) for row in left], [math.hypot(*row) for row in right]

    def with_bias(self, products):
        bias = self.pristine[2]
        return [product + bias[i % self.problem.n] for i, product in enumerate(products)] if bias else products

    def launch(self, kernel, index):
        index %= len(self.sets)
        body = memoryview(self.outputs[index])[len(GUARD):-len(GUARD)].cast("f")
        kernel(self.problem, *self.sets[index], body)

    def poison(self, index):
        self.outputs[index][:] = GUARD + POISON * len(self.reference) + GUARD

    def change_sign_of_a(self, index):
        a = self.sets[index][0]
        for i, x in enumerate(a):
            a[i] = -x

    def rows(self, index, numbers):
        width = 4 * self.problem.n
        return [bytes(self.outputs[index][len(GUARD) + row * width:][:width]) for row in numbers]

    def judge(self, index, verify, reference=None):
        """Accuracy of what a set's C holds, and why it is wrong or ''."""
        out, guard = self.outputs[index], len(GUARD)
        body = bytes(out[guard:-guard])
        unwritten = sum(body[i:i + 4] == POISON for i in range(0, len(body), 4))
        intact = out[:guard] == GUARD and out[-guard:] == GUARD
        found = struct.unpack(f"{len(self.reference)}f", body)
        return judge(self, found, reference or self.reference, (unwritten, intact), verify)

    def check(self, kernel, index, verify):
        """The same of a launch on poison, which must leave its inputs as they are."""
        self.poison(index)
        self.launch(kernel, index)
        accuracy, why = self.judge(index, verify)
        if not why and not same_bits(self.sets[index], self.pristine):
            why = "an input was overwritten"
        return accuracy, why


def distance(expected, found, bound):
    """Infinite for what is wrong in kind."""
    if math.isfinite(expected) and math.isfinite(found):
        return abs(expected - found)
    both_nan = math.isnan(expected) and math.isnan(found)
    overflows = math.isinf(found) and expected * found > 0 and abs(expected) >= 2.0 ** 128 - 2.0 ** 103 - bound
    return 0.0 if both_nan or found == expected or overflows else math.inf


def judge(load, out, reference, condition, verify):
    p, far, worst, worst_share, first = load.problem, 0, 0.0, 0.0, None
    unwritten, intact = condition
    for i, (expected, found) in enumerate(zip(reference, out)):
        row, n = divmod(i, p.n)
        norms = load.row_norms[row] * load.column_norms[row // p.m * p.n + n]
        bound = 2.0 ** -23 * max(abs(expected), 2.0 ** -126) + 4 * 2.0 ** -24 * (math.sqrt(p.k) * abs(expected) + norms)
        error = distance(expected, found, bound)
        share = error / bound if math.isfinite(error) else error
        far += error > verify["atol"] + (verify["rtol"] * abs(found) if math.isfinite(found) else 0.0)
        worst, worst_share = max(worst, error), max(worst_share, share)
        if share > 1 and first is None:
            first = f"element [{row}, {n}] is {found}, expected {expected}"
    ratio = far / len(out)
    accuracy = {"err_ratio": ratio, "worst_error": worst, "worst_share_of_bound": worst_share, "unwritten": unwritten,
                "checked": len(out), "guards_intact": intact}
    why = [f"{unwritten} elements were never written"] if unwritten else []
    why += [first] if first else []
    why += [f"error ratio {ratio}"] if ratio > verify["err_ratio_limit"] else []
    why += [] if intact else ["a guard was overwritten"]
    return accuracy, "; ".join(why)


def worse_of(one, other):
    """The worst of each number, over several checks."""
    if one is None:
        return other
    return {key: (min if key == "guards_intact" else max)(one[key], value) for key, value in other.items()}


def interval(samples):
    """95 % confidence interval of the median, by order statistics."""
    ordered, n = sorted(samples), len(samples)
    if n < 6:
        return ordered[0], ordered[-1]
    reach = 0.98 * math.sqrt(n)
    return ordered[max(0, math.floor(n / 2 - reach))], ordered[min(n - 1, math.ceil(n / 2 + reach))]


def enough(samples, measure):
    if len(samples) >= measure["max_samples"]:
        return True
    if not samples or len(samples) < measure["min_samples"]:
        return False
    low, high = interval(samples)
    is_narrow = (high - low) / 2 < measure["target_dispersion"] * statistics.median(samples)
    return is_narrow or sum(samples) >= measure["max_sampling_s"] * 1e6


def summarise(samples, turns):
    """What a reply says of the times. `turns`: how many samples each turn took."""
    middle, (low, high) = statistics.median(samples), interval(samples)
    return {"median_us": middle, "min_us": min(samples), "mean_us": sum(samples) / len(samples), "low_us": low,
            "high_us": high, "dispersion": 1.4826 * statistics.median([abs(x - middle) for x in samples]) / middle,
            "sample_count": len(samples), "samples_us": samples, "turns": turns}


class Attempt:
    """One candidate: its kernel, and what is known of it. `why` says what is wrong, and ends it."""

    def __init__(self, candidate, load, policy):
        self.candidate, self.load, self.policy = candidate, load, policy
        self.kernel, self.why = prepare(load.problem, candidate)
        self.outcome = "unsupported" if self.why else "ok"
        self.accuracy, self.next_launch = None, 0
        self.samples, self.turns = [], []
        if policy["measure"].get("cold_instructions"):
            self.fail("unsupported", "a CPU's instruction caches cannot be emptied from here")

    def fail(self, outcome, why):
        if self.outcome == "ok":
            self.outcome, self.why = outcome, why

    def note(self, checked):
        accuracy, why = checked
        self.accuracy = worse_of(self.accuracy, accuracy)
        if why:
            self.fail("wrong_result", why)

    def check(self, most_sets):
        """On sets that are drawn: a kernel that is right on some addresses only is wrong."""
        sets = range(len(self.load.sets))
        for index in random.sample(sets, min(most_sets, len(sets))):
            if self.outcome == "ok":
                self.note(self.load.check(self.kernel, index, self.policy["verify"]))

    def take_turn(self, warmup, count, judged):
        """Samples of one turn. What a judged turn leaves in one of its sets must fit operands that changed before."""
        load, first = self.load, self.next_launch + warmup
        witness = (first + random.randrange(count)) % len(load.sets)
        if judged:
            load.change_sign_of_a(witness)
        for launch in range(self.next_launch, first):
            load.launch(self.kernel, launch)
        samples = [self.time_us(launch) for launch in range(first, first + count)]
        self.next_launch = first + count
        if judged:
            self.note(load.judge(witness, self.policy["verify"], load.reference_of_negated))
            load.change_sign_of_a(witness)
        return samples

    def time_us(self, launch):
        start = time.perf_counter_ns()
        self.load.launch(self.kernel, launch)
        return max(time.perf_counter_ns() - start, 1) / 1000

    def sample(self):
        """One more turn, of one sample, for stages whose order is decided here."""
        first = not self.samples
        self.samples += self.take_turn(self.policy["measure"]["warmup"] if first else 0, 1, first)
        self.turns.append(1)

    def wants_samples(self):
        return self.outcome == "ok" and not enough(self.samples, self.policy["measure"])

    def evaluation(self, timed=True):
        answer = {"candidate": self.candidate, "stage": self.policy["stage"], "outcome": self.outcome,
                  "reason": self.why}
        if timed and self.samples and self.outcome == "ok":
            answer["timing"] = summarise(self.samples, self.turns)
        return answer | ({"accuracy": self.accuracy} if self.accuracy else {})


def last_level_cache_bytes():
    try:
        with open("/sys/devices/system/cpu/cpu0/cache/index3/size", encoding="ascii") as file:
            return int(file.read().strip().rstrip("K")) * 1024
    except (OSError, ValueError):
        return 0


SETS_BEFORE, SETS_AFTER = 8, 2  # that are checked before and after finalists are timed


def without_infinities(value):
    """JSON has no words for what is not a finite number."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: without_infinities(item) for key, item in value.items()}
    return [without_infinities(item) for item in value] if isinstance(value, list) else value


class Evaluation:
    """One evaluate or hold request."""

    def __init__(self, worker, request):
        self.worker, self.id, self.policy = worker, request["id"], request["policy"]
        self.problem, self.candidates = Problem(request["problem"]), request["candidates"]

    def send(self, kind, candidate, **members):
        self.worker.send(type=kind, id=self.id,
                         candidate={"family": candidate["family"], "name": candidate["name"]}, **members)

    def report(self, attempt, timed=True):
        self.worker.send(type="evaluation", id=self.id, evaluation=attempt.evaluation(timed))

    def workload(self, recipe="gaussian", seed_offset=0, copies=1):
        return self.worker.workload(self.problem, recipe, (self.policy["seed"] + seed_offset) & MASK, copies)

    def copies(self):
        p = self.problem
        size = 4 * p.batch * (p.m * p.k + p.n * p.k + p.m * p.n) + 4 * p.n
        return min(1 + 2 * last_level_cache_bytes() // size, 256) if self.policy["measure"]["cold_cache"] else 1

    def begun(self, candidate, sets):
        self.send("started", candidate)
        attempt = Attempt(candidate, self.workload(copies=self.copies()), self.policy)
        attempt.check(sets)
        return attempt

    def screen(self):
        for candidate in self.candidates:
            attempt = self.begun(candidate, 1)
            while attempt.wants_samples():
                attempt.sample()
            self.report(attempt)

    def confirm(self):
        attempts = [self.begun(candidate, SETS_BEFORE) for candidate in self.candidates]
        while wanting := [attempt for attempt in attempts if attempt.wants_samples()]:
            for attempt in wanting:
                self.send("started", attempt.candidate)
                attempt.sample()
        for attempt in attempts:
            self.send("started", attempt.candidate)
            attempt.check(SETS_AFTER)
            self.report(attempt)

    def prove(self):
        ordeals = [("one_sign", 0), ("wide_exponents", 0), ("zero_blocks", 0), ("wide_rows", 0), ("nan_inf", 0),
                   ("gaussian", 1)]
        for candidate in self.candidates:
            self.send("started", candidate)
            for recipe, seed_offset in ordeals:
                attempt = Attempt(candidate, self.workload(recipe, seed_offset), self.policy)
                attempt.check(1)
                if attempt.outcome != "ok":
                    attempt.why = f"{recipe}: {attempt.why}"
                    break
            self.report(attempt, timed=False)

    def hold(self):
        """Returns the attempts that are ready, by family and name."""
        held = {}
        for candidate in self.candidates:
            attempt = self.begun(candidate, SETS_BEFORE)
            if attempt.outcome == "ok":
                held[candidate["family"], candidate["name"]] = attempt
                self.send("held", candidate)
            else:
                self.report(attempt, timed=False)
        return held


class Worker:
    def __init__(self):
        # Stdout is the protocol's: what anything prints from here on goes to stderr.
        self.replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        self.workloads = {}
        self.held = {}

    def send(self, **message):
        self.replies.write(json.dumps(without_infinities(message), allow_nan=False) + "\n")
        self.replies.flush()

    def workload(self, problem, recipe, seed, copies):
        key = (problem.text, recipe, seed, copies)
        if key not in self.workloads:
            if any(one[0] != problem.text for one in self.workloads):
                self.workloads.clear()
            self.workloads[key] = Workload(problem, recipe, seed, copies)
        return self.workloads[key]

    def greet(self):
        device = {"kind": "cpu", "index": 0, "name": platform.processor() or "CPU", "arch": platform.machine(),
                  "cu_num": len(os.sched_getaffinity(0)), "last_level_cache_bytes": last_level_cache_bytes(),
                  "libraries": {"python": VERSION}}
        self.send(type="hello", protocol=2, name="example", version="1", device=device)

    def answer(self, request):
        kind = request["type"]
        if kind == "supports":
            problem = Problem(request["problem"])
            family = {"family": FAMILY, "version": VERSION, "why_not": problem.why_not(),
                      "candidate_count": len(candidates(problem))}
            self.send(type="supports", id=request["id"], families=[family])
        elif kind == "candidates":
            self.send(type="candidates", id=request["id"], candidates=candidates(Problem(request["problem"])))
        elif kind in ("evaluate", "hold"):
            self.held = {}
            evaluation = Evaluation(self, request)
            if kind == "hold":
                self.held = evaluation.hold()
            else:
                {"screen": evaluation.screen, "confirm": evaluation.confirm,
                 "prove": evaluation.prove}[request["policy"]["stage"]]()
            self.send(type="done", id=request["id"])
        elif kind == "sample":
            self.sample(request)
        elif kind == "settle":
            self.settle(request)
        elif kind == "release":
            self.held = {}
            self.send(type="done", id=request["id"])
        elif kind == "multiply":
            self.held = {}
            self.send(type="product", id=request["id"], **self.product(request))
        else:
            raise ValueError(f"unknown request '{kind}'")

    def find_held(self, candidate):
        key = candidate["family"], candidate["name"]
        if key not in self.held:
            raise ValueError(f"{candidate['name']} is not held")
        return self.held[key]

    def sample(self, request):
        attempt = self.find_held(request["candidate"])
        samples = attempt.take_turn(request["warmup"], request["count"], request["judge"])
        if attempt.outcome == "ok":
            return self.send(type="samples", id=request["id"], samples_us=samples)
        del self.held[attempt.candidate["family"], attempt.candidate["name"]]
        return self.send(type="evaluation", id=request["id"], evaluation=attempt.evaluation(timed=False))

    def settle(self, request):
        for candidate in request["candidates"]:
            attempt = self.find_held(candidate)
            self.send(type="started", id=request["id"], candidate=candidate)
            attempt.check(SETS_AFTER)
            self.send(type="evaluation", id=request["id"], evaluation=attempt.evaluation(timed=False))
        self.send(type="done", id=request["id"])

    def product(self, request):
        """Rows of C as the kernel left them on poison."""
        problem = Problem(request["problem"])
        kernel, why_not = prepare(problem, request["candidate"])
        if kernel is None:
            return {"outcome": "unsupported", "reason": why_not}
        load = self.workload(problem, request["recipe"], request["seed"], 1)
        load.poison(0)
        load.launch(kernel, 0)
        rows = [base64.b64encode(row).decode() for row in load.rows(0, request["rows"])]
        return {"outcome": "ok", "rows": rows}

    def serve(self):
        self.greet()
        for line in sys.stdin:
            request = {}
            try:
                request = json.loads(line)
                if request["type"] == "bye":
                    return
                self.answer(request)
            except Exception as error:  # a bad request is answered, and the worker lives on
                known = request.get("id") if isinstance(request, dict) else None
                self.send(type="error", id=known, message=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    Worker().serve()
