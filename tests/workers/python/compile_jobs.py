"""Stands for a compiler, for the tests of compile_ahead.py."""

import os
import time


def compile_kernel(how):
    if how == "badly":
        raise RuntimeError("while compiling") from ValueError("line 1\nline 2 is wrong\n    ^")
    if how == "crash":
        os.abort()
    if how.startswith("log "):
        _, path, what = how.split(" ", 2)
        with open(path, "a", encoding="utf-8") as file:
            file.write(what + "\n")
        time.sleep(0.05)
    if how == "forever":
        time.sleep(1000)
