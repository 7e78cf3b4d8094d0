"""The operands of a problem under one recipe, in as many sets as timing rotates over, and the judgement of what a
kernel makes of them."""

import random
from dataclasses import dataclass

from gemmtune_worker.arena import Arena
from gemmtune_worker.formats import STORED_KIND
from gemmtune_worker.judge import Judge, poison_element
from gemmtune_worker.operands import Plain, strided
from gemmtune_worker.quantise import scale_kind, scale_shape

MOST_SETS = 128
MOST_BYTES = 4 << 30
SIGN_BYTES = {"f32": (0, 0, 0, 128), "tf32": (0, 0, 0, 128), "bf16": (0, 128), "f16": (0, 128), "e4m3": (128,),
              "e2m1": (136,)}


@dataclass
class Operands:
    """What a kernel gets: typed tensors. a: [batch, M, K], w: [batch, N, K], c and residual: [batch, M, N], bias: [N];
    scales as the protocol shapes them, with the batch first. Two elements of e2m1 share a byte: [batch, rows, K/2].
    Launches of a kernel that packs its weights find them in `packed`, and no `w`."""

    a: object = None
    a_scale: object = None
    w: object = None
    w_scale: object = None
    bias: object = None
    residual: object = None
    c: object = None
    packed: object = None


def operand_bytes(problem):
    """Of one set, scales left out, which are small."""
    c = problem.stored_c().bytes()
    return problem.stored_a().bytes() + problem.stored_w().bytes() + c * (2 if problem.residual else 1)


def rotation_count(problem, device, cold_cache, packed_bytes=0):
    """As many sets as take twice the last-level cache. Launches of a kernel that packs read packed weights in place of
    the weights, which stay in memory beside them. It has no more sets than others, whose operands it shares."""
    if not cold_cache:
        return 1
    each = operand_bytes(problem)
    shared = _sets_of(device, each, each)
    if not packed_bytes:
        return shared
    read = each - problem.stored_w().bytes() + packed_bytes
    return min(shared, _sets_of(device, read, each + packed_bytes))


def _sets_of(device, read_bytes, kept_bytes):
    """Of which a launch reads so many bytes and each keeps so many in memory."""
    room = min(MOST_BYTES, device.memory_bytes // 8 if device.memory_bytes else MOST_BYTES)
    wanted = -(-2 * (device.last_level_cache_bytes or 32 << 20) // read_bytes)
    return max(min(wanted, room // kept_bytes, MOST_SETS), 1)


class Workload:
    def __init__(self, device, problem, recipe_seed, verify):
        self.device, self.arrays, self.problem = device, device.arrays, problem
        recipe, seed = recipe_seed
        self.random = random.Random(f"{problem.text} {recipe} {seed}")
        self.plain = Plain(self.arrays, problem, recipe, seed)
        self.verify, self.judges, self.stage = verify, {}, None
        c = problem.stored_c()
        row_bytes = c.leading * (4 if problem.out == "f32" else 2)
        self.arena = Arena(self.arrays, self.plain.stored(), c.bytes(), row_bytes)
        self.operands, self.signs, self.poisons = [], [], []

    def grow(self, count):
        count = max(count, 1)
        if count > self.arena.count():
            self.arena.resize(count)
            self.operands = [self._operands(index) for index in range(count)]
            self.signs, self.poisons = [1.0] * count, [0] * count
            self.poison()

    def enter(self, stage):
        """Rows that are compared where not all are: others in each stage, so that none can be known before."""
        if stage != self.stage and any(judge.samples for judge in self.judges.values()):
            self.judges = {}
        self.stage = stage
        return self

    def expect(self):
        """Computes what set 0 is compared with, where that is not done."""
        self._judge(0)

    def _judge(self, index):
        """The first set is compared in other rows than the others, unless all rows are compared."""
        which = 0 if index == 0 or (0 in self.judges and not self.judges[0].samples) else 1
        if which not in self.judges:
            self.judges[which] = Judge(self.plain, self.verify, self.random.random())
        return self.judges[which]

    def restore(self):
        """After a kernel damaged what it should not have written."""
        self.arena.restore()
        self.signs = [1.0] * len(self.signs)
        self.poison()

    def poison(self, index=None):
        pattern = 0x7FC0 + self.random.randrange(1, 63) + self.random.choice((0, 0x8000))
        self.arena.fill_c(pattern, index)
        for at in range(len(self.poisons)) if index is None else [index]:
            self.poisons[at] = pattern

    def negate(self, name, index):
        """Changes the sign of A or of the weights in place."""
        self.signs[index] = -self.signs[index]
        kind = (self.problem.a if name == "a" else self.problem.w).type
        stored = self.arena.tensor(index, name)
        if kind == "int8":
            typed = self.arrays.bits_as(stored, "i8")
            typed[...] = -typed
        elif kind == "e4m3fnuz":  # zero has no sign
            stored[...] = self.arrays.where((stored & 127) == 0, stored, stored ^ 128)
        else:
            self._flip(stored, SIGN_BYTES[kind])

    def _flip(self, stored, sign_bytes):
        mask = int.from_bytes(bytes(sign_bytes) * (4 // len(sign_bytes)), "little", signed=True)
        words = stored.shape[0] // 4 * 4
        whole = self.arrays.bits_as(stored[:words], "i32")
        whole[...] = whole ^ mask
        for at, byte in enumerate((sign_bytes * 4)[:stored.shape[0] - words]):
            stored[words + at] ^= byte

    def c(self, index):
        """[batch, M, N] of stored elements."""
        typed = self.arrays.bits_as(self.arena.tensor(index, "c"), STORED_KIND[self.problem.out])
        return strided(self.arrays, typed, self.problem.stored_c())

    def verdict(self, index):
        """Of what set `index` holds now. Guards and inputs are `check_memory`'s."""
        found = self._judge(index).verdict(self.c(index), self.poisons[index], self.signs[index])
        if self.problem.stored_c().has_gaps() and not self._gaps_intact(index):
            found.why = f"{found.why}. gaps between the rows of C were overwritten".removeprefix(". ")
            found.merely_inaccurate = False
        return found

    def _gaps_intact(self, index):
        """Every element that is not C's still holds the poison."""
        copy = self.arrays.bits_as(self.arena.tensor(index, "c"), "i16") + 0
        kind = "i32" if self.problem.out == "f32" else "i16"
        elements = self.arrays.bits_as(copy, kind)
        pattern = poison_element(self.problem.out, self.poisons[index])
        strided(self.arrays, elements, self.problem.stored_c())[...] = pattern
        return bool((elements == pattern).all())

    def _operands(self, index):
        p, view = self.problem, self._view
        found = Operands(a=self._matrix(index, "a"), w=self._matrix(index, "w"), c=self._matrix(index, "c"))
        if p.residual:
            found.residual = self._matrix(index, "residual")
        if p.bias:
            found.bias = view(self.arena.tensor(index, "bias"), p.out)
        for name, side, rows in (("a_scale", p.a, p.m), ("w_scale", p.w, p.n)):
            if side.has_scales():
                shape = (p.batch,) + scale_shape(side, rows, p.k)
                scales = self.arrays.bits_as(self.arena.tensor(index, name), scale_kind(side))
                setattr(found, name, scales.reshape(shape))
        return found

    def _view(self, stored, kind):
        return self.device.typed(self.arrays.bits_as(stored, STORED_KIND[kind]), kind)

    def _matrix(self, index, name):
        p = self.problem
        matrix = {"a": p.stored_a, "w": p.stored_w}.get(name, p.stored_c)()
        stored = self.arena.tensor(index, name)
        if matrix.type == "e2m1":
            return stored.reshape(matrix.batch, matrix.rows, matrix.columns // 2)
        found = strided(self.arrays, self._view(stored, matrix.type), matrix)
        turned = (name == "a" and p.layout[0] == "t") or (name == "w" and p.layout[1] == "n")
        return self.arrays.transpose(found) if turned else found
