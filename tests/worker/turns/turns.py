"""The example worker with one fault, or with none: turns.py EXAMPLE_WORKER MODE FAMILY [OTHER_ARGUMENTS…]

  honest            no fault
  protocol_1        speaks version 1 of the protocol
  cannot_start      says why instead of hello
  computes_nothing  says that all is well, in no time
  another_product   multiplies other operands than it is asked to
  raises            python_index fails with an exception
  dies_in_turn, hangs_in_turn, refuses_turn, wrong_in_turn
                    what python_index does when it is to take samples
  too_few_samples, impossible_samples
                    what is said of python_index's samples
  dies_at_settle    at python_index
  dies_idle         each time after python_index has taken samples
  postpones         holds one candidate at a time
  postpones_all     holds none
"""
import importlib.util
import os
import sys
import time

sys.dont_write_bytecode = True
EXAMPLE, MODE, FAMILY = sys.argv[1:4]
spec = importlib.util.spec_from_file_location("example_worker", EXAMPLE)
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)
example.FAMILY = FAMILY
VICTIM = "python_index"


def fine(load):
    elements = len(load.reference)
    return {"err_ratio": 0.0, "worst_error": 0.0, "worst_share_of_bound": 0.0, "unwritten": 0, "checked": elements,
            "guards_intact": True}, ""


class LazyAttempt(example.Attempt):
    def check(self, most_sets):
        if self.outcome == "ok":
            self.note(fine(self.load))

    def take_turn(self, warmup, count, judged):
        return [0.5 + 0.001 * i for i in range(count)]


class Worker(example.Worker):
    def send(self, **message):
        if message["type"] == "hello" and MODE == "protocol_1":
            message["protocol"] = 1
        if message["type"] == "hello" and MODE == "cannot_start":
            why = f"{FAMILY}: no module named {FAMILY}; pip install {FAMILY}"
            message = {"type": "error", "id": None, "message": why}
        super().send(**message)
        if message["type"] == "error" and MODE == "cannot_start":
            sys.exit(4)

    def answer(self, request):
        if MODE == "protocol_1" and request["type"] in ("hold", "sample", "settle", "release", "multiply"):
            raise ValueError(f"unknown request '{request['type']}'")
        super().answer(request)

    def sample(self, request):
        if request["candidate"]["name"] == VICTIM:
            if MODE == "dies_in_turn":
                os._exit(9)
            if MODE == "hangs_in_turn":
                time.sleep(1000)
            if MODE == "refuses_turn":
                raise ValueError("not now")
            if MODE == "wrong_in_turn":
                self.find_held(request["candidate"]).fail("wrong_result", "the witness saw it")
            if MODE == "too_few_samples":
                return self.send(type="samples", id=request["id"], samples_us=[1.0] * (request["count"] - 1))
            if MODE == "impossible_samples":
                return self.send(type="samples", id=request["id"], samples_us=[1e9] * request["count"])
        super().sample(request)
        if request["candidate"]["name"] == VICTIM and MODE == "dies_idle":
            os._exit(9)

    def settle(self, request):
        if MODE == "dies_at_settle":
            for candidate in request["candidates"]:
                if candidate["name"] == VICTIM:
                    self.send(type="started", id=request["id"], candidate=candidate)
                    os._exit(9)
        super().settle(request)

    def product(self, request):
        if MODE == "computes_nothing":
            width = 4 * example.Problem(request["problem"]).n
            return {"outcome": "ok", "rows": [example.base64.b64encode(bytes(width)).decode() for _ in request["rows"]]}
        if MODE == "another_product":
            request = request | {"seed": 0}
        return super().product(request)


class PostponingEvaluation(example.Evaluation):
    def hold(self):
        fitting = 0 if MODE == "postpones_all" else 1
        self.candidates, others = self.candidates[:fitting], self.candidates[fitting:]
        held = super().hold()
        for candidate in others:
            self.send("started", candidate)
            self.send("postponed", candidate)
        return held


def divide_by_zero(*_):
    return 1 // 0


if MODE == "computes_nothing":
    example.Attempt = LazyAttempt
if MODE == "raises":
    example.KERNELS[VICTIM] = divide_by_zero
if MODE in ("postpones", "postpones_all"):
    example.Evaluation = PostponingEvaluation
Worker().serve()
