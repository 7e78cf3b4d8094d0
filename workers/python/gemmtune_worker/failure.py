"""Failures of a candidate, which are data and not errors."""


class CandidateFailed(Exception):
    """A backend raises it when it knows the outcome: `unsupported`, `compile_failed`, `launch_failed`."""

    def __init__(self, outcome, reason):
        super().__init__(reason)
        self.outcome, self.reason = outcome, reason


def unsupported(reason):
    return CandidateFailed("unsupported", reason)


# With these words torch begins the lines that follow a device's error.
ADVICE = ("CUDA kernel errors might", "HIP kernel errors might", "For debugging consider", "Compile with", "Search for")


def last_line(error):
    """The exception's name and the last line of its text that has words and is not torch's advice on debugging.
    Compilers wrap what happened several times: the innermost exception says it."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines() if any(c.isalnum() for c in line)]
    lines = [line for line in lines if not line.startswith(ADVICE)] or lines
    name = type(error).__name__
    return f"{name}: {lines[-1]}" if lines else name


def as_failure(error, outcome):
    """What a candidate ends with after an exception in a step that would end in `outcome`."""
    if isinstance(error, CandidateFailed):
        return error
    return CandidateFailed(outcome, last_line(error))
