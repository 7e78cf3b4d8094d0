"""The worker's side of the line: requests from stdin, replies to what was stdout."""

import json
import math
import os
import sys


class Channel:
    """From now on, what anything else prints goes to stderr, and nothing else reads stdin."""

    def __init__(self):
        sys.stdout.flush()
        self.replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        self.requests = os.fdopen(os.dup(0), "rb")
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)

    def send(self, **message):
        self.replies.write(json.dumps(without_infinities(message), allow_nan=False) + "\n")
        self.replies.flush()

    def lines(self):
        yield from self.requests


def without_infinities(value):
    """Numbers that JSON lacks become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: without_infinities(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_infinities(one) for one in value]
    return value
