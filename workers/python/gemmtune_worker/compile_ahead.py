"""Compiles candidates in processes of their own while others are measured, so that a compiler that crashes or hangs
costs one candidate, and that all cores compile.

The parent starts one server, which imports the compiler once and forks a child for each job. It ends when its stdin is
closed, so nothing is left when the worker is killed. What is compiled reaches the worker through the compiler's own
cache on disk.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time

from gemmtune_worker.backend import load_module
from gemmtune_worker.failure import last_line

LONGEST_S = 120.0


class Job:
    def __init__(self, server, number):
        self.server, self.number = server, number

    def wait(self):
        """'' when it is compiled, else why not."""
        return self.server.result(self.number)


class CompileAhead:
    """The worker's side. One server for each backend's module."""

    def __init__(self):
        self.servers, self.jobs = {}, {}

    def start(self, job):
        """`job`: a function and its arguments. The same job is compiled once."""
        function, arguments = job
        key = (function.__module__, function.__name__, json.dumps(arguments))
        if key not in self.jobs:
            if function.__module__ not in self.servers:
                self.servers[function.__module__] = _Server(function.__module__)
            self.jobs[key] = self.servers[function.__module__].start(function.__name__, arguments)
        return self.jobs[key]

    def close(self):
        for server in self.servers.values():
            server.close()


class _Server:
    def __init__(self, module):
        command = [sys.executable, "-m", "gemmtune_worker.compile_ahead", module]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.results, self.count = {}, 0

    def start(self, function, arguments):
        self.count += 1
        line = json.dumps({"number": self.count, "function": function, "arguments": arguments}) + "\n"
        try:
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # result() says so
        return Job(self, self.count)

    def result(self, number):
        while number not in self.results:
            line = self.process.stdout.readline()
            if not line:  # then the candidate is compiled in the worker itself
                self.results[number] = ""
                break
            found = json.loads(line)
            self.results[found["number"]] = found["why"]
        return self.results[number]

    def close(self):
        self.process.kill()
        self.process.wait()


class _Pool:
    """The server's side: children, each with one job."""

    def __init__(self, module, replies):
        self.module, self.replies, self.waiting, self.running = load_module(module), replies, [], {}
        self.most = max(len(os.sched_getaffinity(0)) - 1, 1)

    def start_some(self):
        while self.waiting and len(self.running) < self.most:
            self._fork(self.waiting.pop(0))

    def _fork(self, job):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            self._compile(job, write)
        os.close(write)
        self.running[read] = (child, job["number"], time.monotonic())

    def _compile(self, job, write):
        signal.alarm(int(LONGEST_S))  # ends the child
        why = ""
        try:
            getattr(self.module, job["function"])(*job["arguments"])
        except BaseException as error:  # it ends here, whatever it is
            why = last_line(error)
        os.write(write, why.encode()[:4000] or b"\0")
        os._exit(0)

    def finish(self, read):
        child, number, _ = self.running.pop(read)
        said = os.read(read, 4096)
        os.close(read)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            killed = os.WTERMSIG(status)
            late = killed == signal.SIGALRM
            why = f"compiling took longer than {LONGEST_S:.0f} s" if late else f"the compiler died of signal {killed}"
        else:
            why = said.rstrip(b"\0").decode(errors="replace")
        self.replies.write(json.dumps({"number": number, "why": why}) + "\n")
        self.replies.flush()


def serve(module):
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    pool, pending = _Pool(module, replies), b""
    while True:
        ready, _, _ = select.select([0, *pool.running], [], [])
        if 0 in ready:
            read = os.read(0, 1 << 16)
            if not read:
                for child, _, _ in pool.running.values():
                    os.kill(child, signal.SIGKILL)
                return
            *lines, pending = (pending + read).split(b"\n")
            pool.waiting += [json.loads(line) for line in lines]
        for descriptor in set(ready) - {0}:
            pool.finish(descriptor)
        pool.start_some()


if __name__ == "__main__":
    serve(sys.argv[1])
