#!/usr/bin/env python3
"""A worker that keeps to the protocol, but for the one way in which it does not.

    evil.py MODE [PID_FILE]

It times nothing: candidate cI takes 10 + I microseconds. Most modes do their evil when candidate c2 runs. Its process id, and
those of its children, are appended to PID_FILE, so that a test can see that none is left.
"""

import json
import os
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]
PID_FILE = sys.argv[2] if len(sys.argv) > 2 else None
ESCAPE = "\x1b[31m\x00\n"
times_asked = 0


def note_pid(pid):
    if PID_FILE:
        with open(PID_FILE, "a", encoding="ascii") as file:
            file.write(f"{pid}\n")


def raw(data):
    os.write(1, data)


def send(**message):
    raw(json.dumps(message).encode() + b"\n")


def die(code):
    os._exit(code)


def sleep_for_ever():
    while True:
        time.sleep(1000)


def first_time(what):
    """False for all workers that are started after one of them was asked this."""
    path = f"{PID_FILE}.{what}"
    if os.path.exists(path):
        return False
    open(path, "w", encoding="ascii").close()
    return True


def hello(protocol=1):
    device = {"kind": "cpu", "index": 0, "name": "an invented CPU", "arch": "none", "cu_num": 1}
    if MODE == "another_device" and not first_time("greeted"):
        device["name"] = "another CPU" + ESCAPE
    if MODE == "unprintable":
        device |= {"name": "CPU" + ESCAPE, "driver": ESCAPE + "1", "libraries": {"lib" + ESCAPE: "2" + ESCAPE}}
    more = {"compiles_ahead": True} if MODE == "die_of_expect" else {}
    send(type="hello", protocol=protocol, name="evil", version="1", device=device, **more)


def candidate(name):
    return {"family": "evil", "name": name}


def evaluation(name, request):
    stage = request["policy"]["stage"]
    if not name[1:].isdigit() and MODE != "always_ok":
        return {"candidate": candidate(name), "stage": stage, "outcome": "unsupported", "reason": "no such candidate"}
    us = 10.0 + int(name[1:]) if name[1:].isdigit() else 10.0
    samples = [us - 1, us] * 4 + [us + 0.5] * 4
    timing = {"median_us": us, "min_us": us - 1, "mean_us": sum(samples) / 12, "low_us": us - 0.5, "high_us": us + 0.5,
              "dispersion": 1.4826 * 0.5 / us, "sample_count": 12}
    if MODE != "forget_samples":
        timing["samples_us"] = samples
    m, n = request["problem"].split(":")[0].split("x")[:2]
    accuracy = {"err_ratio": 0.0, "worst_error": 0.0, "worst_share_of_bound": 0.0, "unwritten": 0,
                "checked": int(m) * int(n), "guards_intact": True}
    made = {"candidate": candidate(name), "stage": stage, "outcome": "ok", "reason": "", "timing": timing,
            "accuracy": accuracy}
    if name == "c2" and MODE in LIES:
        part, field, value = LIES[MODE]
        made[part][field] = value
    if name == "c2" and MODE == "unprintable":
        made |= {"outcome": "wrong_result", "reason": "first line" + ESCAPE + "second line"}
    return made


# What is said of c2, when all candidates have run.
LIES = {
    "all_elements_wrong": ("accuracy", "err_ratio", 1.0),
    "negative_share": ("accuracy", "worst_share_of_bound", -1.0),
    "no_time_at_all": ("timing", "median_us", 1e-300),
    "samples_of_another": ("timing", "samples_us", [99.0] * 12),
    "one_huge_sample": ("timing", "samples_us", [1e308] * 12),
    "huge_workspace": ("timing", "workspace_bytes", 2**63 - 1),
}


def segfault(_request):
    print("about to fault", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)


def killed_once(_request):
    """Somebody else kills the worker, but only the first one."""
    if first_time("died"):
        os.kill(os.getpid(), signal.SIGKILL)


def killed_always(_request):
    os.kill(os.getpid(), signal.SIGKILL)


def killed_by_a_launcher(_request):
    if first_time("died"):
        die(128 + signal.SIGTERM)


def abort_in_a_library(_request):
    print("terminate called after throwing an instance of 'std::runtime_error'", file=sys.stderr, flush=True)
    os.abort()


def leave_a_child_behind(_request):
    note_pid(subprocess.Popen(["sleep", "1000"]).pid)
    die(9)


def hang(_request):
    sleep_for_ever()


def hang_deaf_to_sigterm(_request):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sleep_for_ever()


def slow(_request):
    time.sleep(0.4)


def answer_twice(request):
    answer(request, "c2")


def garbage(_request):
    raw(b"Warning: kernel cache is cold, this may take a while\n")


def binary_garbage(_request):
    raw(b"\xff\xfe\x00\x80\n")


def deep_json(_request):
    raw(b"[" * 1000000 + b"\n")


def close_stdout(_request):
    os.close(1)
    sleep_for_ever()


def fill_stderr(_request):
    for _ in range(64):
        os.write(2, b"e" * 65536)


def endless_line(_request):
    while True:
        raw(b"x" * 65536)


def wrong_id(request):
    send(type="evaluation", id=request["id"] + 1, evaluation=evaluation("c2", request))


def other_candidate(request):
    answer(request, "c99")


def allocate(_request):
    hoard = []
    while True:
        hoard.append(bytearray(1 << 24))


def half_a_line(_request):
    raw(b'{"type": "evaluation", "id"')
    die(3)


def done_early(request):
    send(type="done", id=request["id"])


def implausible(request):
    nonsense = evaluation("c2", request)
    nonsense["timing"]["median_us"] = None
    send(type="evaluation", id=request["id"], evaluation=nonsense)


def malformed(request):
    nonsense = evaluation("c2", request)
    nonsense["timing"]["median_us"] = "fast"
    send(type="evaluation", id=request["id"], evaluation=nonsense)


def unknown_reply(request):
    send(type="progress", id=request["id"])


def start_for_ever(request):
    while True:
        start(request, "c2")
        time.sleep(0.01)


def refuse(request):
    send(type="error", id=request["id"], message="out of registers")
    return "over"


WHEN_C2_RUNS = {
    name: globals()[name]
    for name in ("segfault", "killed_once", "killed_always", "killed_by_a_launcher", "abort_in_a_library",
                 "leave_a_child_behind", "hang", "hang_deaf_to_sigterm", "slow",
                 "garbage", "binary_garbage", "deep_json", "close_stdout", "fill_stderr", "endless_line", "wrong_id",
                 "other_candidate", "allocate", "half_a_line", "done_early", "implausible", "malformed",
                 "unknown_reply", "start_for_ever", "refuse")
}


def start(request, name):
    if MODE == "never_started":
        return
    send(type="started", id=request["id"], candidate=candidate(name))


def answer(request, name):
    send(type="evaluation", id=request["id"], evaluation=evaluation(name, request))


def evil(request, name):
    return WHEN_C2_RUNS[MODE](request) if name == "c2" and MODE in WHEN_C2_RUNS else None


def screen(request, names):
    for name in names:
        if MODE == "die_before_saying_what_runs" and name == "c2":
            die(5)
        start(request, name)
        if evil(request, name) == "over":
            return
        answer(request, name)
        if MODE == "answer_twice" and name == "c2":
            answer(request, name)
    if MODE == "die_before_done":
        die(6)
    send(type="done", id=request["id"])
    if MODE == "speak_unasked":
        send(type="started", id=request["id"], candidate=candidate("c0"))


def confirm(request, names):
    """Interleaved: everyone runs in turn, and the answers come together at the end."""
    for turn in range(2):
        for name in names:
            start(request, name)
            if turn == 1 and evil(request, name) == "over":
                return
    for name in names:
        answer(request, name)
    send(type="done", id=request["id"])


def evaluate(request):
    if MODE == "refuse_all":
        send(type="error", id=request["id"], message="no memory for the operands")
        return
    if MODE in ("flaky", "another_device") and first_time("died"):
        die(4)
    names = [one["name"] for one in request["candidates"]]
    (confirm if request["policy"]["stage"] == "confirm" else screen)(request, names)


def reply(request):
    kind = request["type"]
    if kind == "supports":
        if MODE == "die_when_asked":
            die(8)
        if MODE == "silent_when_asked":
            sleep_for_ever()
        families = [{"family": "evil", "version": "1", "why_not": "", "candidate_count": 6}]
        if MODE == "unprintable":
            families.append({"family": "other" + ESCAPE, "version": ESCAPE + "2", "why_not": "K" + ESCAPE})
        send(type="supports", id=request["id"], families=families)
    elif kind == "candidates":
        global times_asked
        times_asked += 1
        count = 5 if MODE == "forgetful" and times_asked > 1 else 200_000 if MODE == "many" else 6
        names = ["c0", "c0"] if MODE == "name_twice" else [f"c{i}" for i in range(count)]
        if MODE == "unprintable":
            names[3] += ESCAPE
        send(type="candidates", id=request["id"], candidates=[candidate(name) for name in names])
    elif kind == "evaluate":
        evaluate(request)
    elif kind == "expect" and MODE == "die_of_expect":
        die(13)
    elif MODE == "die_of_unknown_request":
        die(10)
    else:
        send(type="error", id=request["id"], message=f"unknown request {kind}")


def leave():
    if MODE == "last_words":
        raw(b"So long!\n")
    if MODE == "bad_exit":
        die(12)


def handle(line):
    """False when it was the last."""
    request = {}
    try:
        request = json.loads(line)
        if MODE == "choke_on_unknown_field" and "a_field_of_the_future" in request:
            raise ValueError("what is that?")
        if request["type"] == "bye":
            leave()
            return False
        reply(request)
    except (ValueError, KeyError) as error:
        if MODE == "die_of_malformed_line":
            die(11)
        send(type="error", id=request.get("id"), message=str(error))
    return True


def main():
    note_pid(os.getpid())
    if MODE == "crash_at_once":
        print("no such device", file=sys.stderr, flush=True)
        die(7)
    if MODE == "cannot_start":
        send(type="error", id=None, message="no cuda:7 here")
        die(4)
    if MODE == "never_hello":
        sleep_for_ever()
    if MODE == "garbage_for_hello":
        raw(b"Welcome!\n")
    hello(protocol=99 if MODE == "wrong_version" else 1)
    if MODE == "exit_after_hello":
        die(0)
    for line in sys.stdin:
        if not handle(line):
            return
    if MODE == "outlive":
        sleep_for_ever()


main()
