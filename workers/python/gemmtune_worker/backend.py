"""What a backend is: one family of kernels. docs/python-workers.md walks through one.

A backend is a class with these members, and its module has a function `make(device)` that returns one. Everything else
(operands, checks, timing, the protocol) is done for it. A module that multiplies numpy's arrays sets
WITH_TORCH = False.
"""

import importlib
import importlib.util
import pathlib
import sys
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Candidate:
    """`params`: pairs of texts, all of which the name states."""

    name: str
    params: tuple = ()
    split_k: int = 1
    is_default: bool = False

    def message(self, family):
        return {"family": family, "name": self.name, "params": [list(pair) for pair in self.params],
                "split_k": self.split_k, "is_default": self.is_default}


class Kernel:
    """A candidate that is ready: `launch` is all that a call costs. For most backends, a function will do.

    `pack`, for problems with `:packed` only, is what is done once for each weight matrix. It gets the operands and
    returns two things: whatever launches read in place of the weights, which they find as `operands.packed`, and its
    size in bytes. It keeps no reference to the operands. It may raise unsupported(…) for weights that the candidate
    cannot multiply exactly.
    """

    def __init__(self, launch, workspace_bytes=0, pack=None):
        self.launch, self.workspace_bytes, self.pack = launch, workspace_bytes, pack

    def load(self, operands):
        """What launches get, and the bytes of packed weights."""
        if self.pack is None:
            return operands, 0
        packed, size = self.pack(operands)
        return replace(operands, w=None, packed=packed), size


class Backend:
    family = ""  # the tables' libtype

    def __init__(self, device):
        self.device = device

    def version(self):
        """Of the kernels or the library. Trials of different versions are not mixed."""
        raise NotImplementedError

    def why_not(self, problem):
        """Why the problem is not supported, for people, or ''."""
        raise NotImplementedError

    def candidates(self, problem):
        """In a fixed order, the default first. Only for problems that are supported."""
        raise NotImplementedError

    def prepare(self, problem, name):
        """The Kernel of a name. Raises CandidateFailed for names and parameters that do not fit."""
        raise NotImplementedError

    def compile_job(self, problem, name):
        """(function, arguments) that compiles the candidate in a process of its own, or None. The function is at the
        top level of a module, and the arguments can be written as JSON."""
        return None


def load_module(name):
    """A module by its name, or from a file that ends in .py. It is loaded once."""
    if not name.endswith(".py"):
        return importlib.import_module(name)
    path = pathlib.Path(name).resolve()
    if str(path) not in sys.modules:
        spec = importlib.util.spec_from_file_location(str(path), path)
        sys.modules[str(path)] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[str(path)])
    return sys.modules[str(path)]
