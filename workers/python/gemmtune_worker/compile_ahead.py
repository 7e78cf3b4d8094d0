"""Compiles candidates in processes of their own while others are measured, so that a compiler that crashes or hangs
costs one candidate, and that all cores compile.

The parent starts one server, which imports the compiler once and forks a child for each job. It ends when its stdin is
closed, so nothing is left when the worker is killed. What is compiled reaches the worker through the compiler's own
cache on disk.

Jobs that a request waits for go first. Cores that are left over compile what the supervisor expects to ask for next.
"""

import json
import os
import select
import signal
import subprocess
import sys

from gemmtune_worker.backend import load_module
from gemmtune_worker.cores import compile_processes
from gemmtune_worker.failure import last_line

LONGEST_S = 120.0
PATIENCE = 5  # the nice value of what is compiled although nothing waits for it


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
        found = self._job(job)
        found.server.tell(want=found.number)
        return found

    def expect(self, jobs):
        """These are compiled in this order when nothing else is to be, in place of those that were expected before."""
        found = [self._job(job) for job in jobs]
        for server in self.servers.values():
            server.tell(expect=[one.number for one in found if one.server is server])

    def _job(self, job):
        function, arguments = job
        key = (function.__module__, function.__name__, json.dumps(arguments))
        if key not in self.jobs:
            if function.__module__ not in self.servers:
                self.servers[function.__module__] = _Server(function.__module__)
            self.jobs[key] = self.servers[function.__module__].add(function.__name__, arguments)
        return self.jobs[key]

    def close(self):
        for server in self.servers.values():
            server.close()


class _Server:
    def __init__(self, module):
        command = [sys.executable, "-m", "gemmtune_worker.compile_ahead", module]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.results, self.count, self.pending = {}, 0, b""

    def add(self, function, arguments):
        self.count += 1
        self.tell(number=self.count, function=function, arguments=arguments)
        return Job(self, self.count)

    def tell(self, **message):
        """Takes what the server has to say before, so that neither waits for the other."""
        while select.select([self.process.stdout], [], [], 0)[0] and self._hear():
            pass
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
        except BrokenPipeError:
            pass  # result() says so

    def result(self, number):
        while number not in self.results:
            if not self._hear():  # then the candidate is compiled in the worker itself
                self.results[number] = ""
        return self.results[number]

    def _hear(self):
        """False at the end."""
        read = self.process.stdout.read(1 << 16)
        *lines, self.pending = (self.pending + read).split(b"\n")
        self.results.update((found["number"], found["why"]) for found in map(json.loads, lines))
        return bool(read)

    def close(self):
        """At the end of its stdin the server ends its children, and then itself."""
        self.process.stdin.close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class _Pool:
    """The server's side: children, each with one job."""

    def __init__(self, module, replies):
        self.module, self.replies = load_module(module), replies
        self.jobs, self.wanted, self.expected, self.running = {}, [], [], {}
        self.most = compile_processes()
        self.is_warm = False

    def hear(self, message):
        """A job, or the number of one that is waited for, or the numbers of those that are expected."""
        if "function" in message:
            self.jobs[message["number"]] = message
        elif "want" in message:
            self.wanted.append(message["want"])
        else:
            self.expected = message["expect"]

    def start_some(self):
        """Some processes are kept free of what is only expected, so that what is waited for starts at once."""
        for queue, priority, most in ((self.wanted, 0, self.most), (self.expected, PATIENCE, self.most * 3 // 4 or 1)):
            while queue and len(self.running) < most:
                job = self.jobs.pop(queue.pop(0), None)
                if job:  # it was not started before
                    self._fork(job, priority)

    def _warm_up(self, job):
        """What every first compilation loads and hashes is then there for all children."""
        prepare = getattr(self.module, "before_compiling", None)
        if prepare and not self.is_warm:
            try:
                prepare(*job["arguments"])
            except Exception as error:  # then each child is as slow as the first one
                print(f"before compiling: {last_line(error)}", file=sys.stderr)
        self.is_warm = True

    def _fork(self, job, priority):
        self._warm_up(job)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            os.nice(priority)
            self._compile(job, write)
        os.close(write)
        self.running[read] = (child, job["number"])

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
        child, number = self.running.pop(read)
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
                for child, _ in pool.running.values():
                    os.kill(child, signal.SIGKILL)
                return
            *lines, pending = (pending + read).split(b"\n")
            for line in lines:
                pool.hear(json.loads(line))
        for descriptor in set(ready) - {0}:
            pool.finish(descriptor)
        pool.start_some()


if __name__ == "__main__":
    serve(sys.argv[1])
