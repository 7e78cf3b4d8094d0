"""Operands and quantised values equal those of gemmtune bit for bit, drawn by numpy and by torch."""

import os
import random
import subprocess
import unittest

import numpy
from gemmtune_worker.arrays import NumpyArrays
from gemmtune_worker.counter import Counter, remainder
from gemmtune_worker.operands import Plain
from gemmtune_worker.problem import Side, parse_problem
from gemmtune_worker.quantise import quantise_rows
from gemmtune_worker.real import RealRows
from gemmtune_worker.recipes import RECIPES

TYPES = ("bf16:bf16:f16:bias", "f32:tf32:f32", "f16:f16:f16:residual", "e4m3/tensor:e4m3/row:bf16:batch=2",
         "e4m3fnuz:e4m3fnuz:bf16", "int8/row:int8/tensor:bf16", "int8/tensor:int8/tensor:bf16",
         "e4m3/1x128:e4m3/128x128:bf16", "bf16:int8/128x128:f32:batch=3", "e2m1/1x32:e2m1/1x32:bf16:batch=2",
         "bf16:bf16:bf16:lda=300:ldw=320:ldc=150:bias:residual", "f16:bf16:f32:tn:batch=2:stride_a=100000:silu",
         "bf16/fp8_row:e2m1/1x32:bf16:packed", "f16/fp8_row:e4m3/tensor:f16", "f32/fp8_1x128:e4m3/128x128:bf16:batch=2")
SEEDS = (0, 1, 2, 2 ** 64 - 1)
SIDES = ("bf16", "f16", "tf32", "e4m3", "e4m3fnuz", "int8", "e4m3/row", "int8/1x128", "e4m3/128x128", "e4m3/tensor",
         "e2m1/1x32")
IN_CALL = ("bf16/fp8_row", "f16/fp8_row", "f32/fp8_row", "bf16/fp8_1x128", "f16/fp8_1x128", "f32/fp8_1x128")


def libraries():
    found = [NumpyArrays()]
    try:
        from gemmtune_worker.torch_arrays import TorchArrays
        found.append(TorchArrays("cpu"))
    except ImportError:
        print("torch is missing: its operands are not compared")
    return found


class Gemmtune:
    """What gemmtune itself draws."""

    def __init__(self):
        self.process = subprocess.Popen([os.environ["TEST_DUMP_OPERANDS"]], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return dict(pair.split(":") for pair in self.process.stdout.readline().split())

    def close(self):
        self.process.communicate()


class OperandsTest(unittest.TestCase):
    def setUp(self):
        self.gemmtune = Gemmtune()
        self.addCleanup(self.gemmtune.close)

    def test_draws_the_numbers_of_the_protocol(self):
        self.assertEqual(Counter(0, "a").number(0), 0xA706DD2F4D197E6F)
        self.assertEqual(Counter(42, "a").number(1 << 63), 0xF54ABB1228262896)
        self.assertEqual(Counter(2 ** 64 - 1, "w").number(123456789), 0xD3C873789106BCC8)
        for arrays in libraries():
            value = Counter(2 ** 64 - 1, "w").gaussian(arrays, arrays.arange(1) + 123456789)
            self.assertEqual(float(value[0]), float.fromhex("0x1.022f0ep+0"))

    def test_takes_remainders_of_unsigned_numbers(self):
        drawn = Counter(3, "a").bits(NumpyArrays().arange(1000))
        for divisor in (3, 25, 61, 2 ** 31 - 1):
            expected = [(int(one) % 2 ** 64) % divisor for one in drawn]
            self.assertEqual(remainder(drawn, divisor).tolist(), expected)

    def test_every_recipe_equals_gemmtunes(self):
        compared = 0
        for types in TYPES:
            problem = f"37x140x280:{types}"
            for recipe in RECIPES:
                for seed in SEEDS:
                    expected = self.gemmtune.ask("draw", problem, recipe, seed)
                    for arrays in libraries():
                        drawn = Plain(arrays, parse_problem(problem), recipe, seed).stored()
                        found = {name: bytes(arrays.host(x)).hex() for name, x in drawn.items()}
                        self.assertEqual(found, expected, f"draw {problem} {recipe} {seed} by {type(arrays).__name__}")
                        compared += 1
        self.assertGreater(compared, 300)

    def test_chunks_do_not_change_what_is_drawn(self):
        arrays = NumpyArrays()
        for types in ("e4m3/tensor:e4m3/128x128:bf16", "e2m1/1x32:e2m1/1x32:bf16"):
            problem = parse_problem(f"37x300x96:{types}")
            whole = Plain(arrays, problem, "wide_rows", 5).stored()
            arrays.chunk = 1000
            parts = Plain(arrays, problem, "wide_rows", 5).stored()
            arrays.chunk = NumpyArrays.chunk
            self.assertTrue(all(whole[name].tobytes() == parts[name].tobytes() for name in whole))

    def test_quantises_hard_values_as_gemmtune_does(self):
        for text in SIDES:
            kind, _, scaling = text.partition("/")
            for bits in (hard_bits(scaling, seed) for seed in range(6)):
                expected = self.gemmtune.ask("quantise", text, 4, 256, *(f"{one:x}" for one in bits))
                for arrays in libraries():
                    signed = numpy.array(bits, dtype=numpy.uint32).view(numpy.int32)
                    x = arrays.bits_as(arrays.array(signed, "i32"), "f32")
                    with arrays.quiet():
                        values, scales = quantise_rows(arrays, Side(kind, scaling), x.reshape(4, 256))
                    found = {"values": bytes(arrays.host(arrays.bytes_of(values))).hex()}
                    found |= {} if scales is None else {"scales": bytes(arrays.host(arrays.bytes_of(scales))).hex()}
                    self.assertEqual(found, expected, f"{text} by {type(arrays).__name__}")

    def test_what_a_call_quantises_is_multiplied_as_gemmtune_does(self):
        """Codes times scales, rounded to f32 once; of a group with a NaN or an infinity, NaN."""
        for text in IN_CALL:
            side = Side(*text.split("/"))
            for bits in [hard_bits("row", seed) for seed in range(6)] + [hard_bits("", 6)]:
                answer = self.gemmtune.ask("multiplied", text, 4, 256, *(f"{one:x}" for one in bits))
                expected = numpy.frombuffer(bytes.fromhex(answer["real"]), dtype="<f4").reshape(4, 256)
                for arrays in libraries():
                    signed = numpy.array(bits, dtype=numpy.uint32).view(numpy.int32)
                    x = arrays.bits_as(arrays.array(signed, "i32"), "f32")
                    with arrays.quiet():
                        stored, _ = quantise_rows(arrays, side, x.reshape(4, 256))
                        found = arrays.host(arrays.cast(RealRows(arrays, side, stored, None).rows(slice(None)), "f32"))
                    numpy.testing.assert_array_equal(found, expected, f"{text} by {type(arrays).__name__}")


def hard_bits(scaling, seed):
    """4 x 256 floats: all exponents without scales, where NaN and infinity have rules of their own; with scales finite
    ones, groups of zeros, and magnitudes halfway between two stored numbers."""
    drawn = random.Random(seed)
    if not scaling:
        halves = [0x3F800000 + (drawn.getrandbits(8) << 16) + drawn.choice((0, 1, 0x8000)) for _ in range(1024)]
        return [drawn.getrandbits(32) if i % 4 else half for i, half in enumerate(halves)]
    exponent = (40 if seed % 2 else 100) if scaling == "1x32" else drawn.randrange(60, 180)
    mantissas = (0, 0x400000, 0x600000)
    bits = [(drawn.getrandbits(1) << 31) | (exponent + drawn.randrange(20)) << 23 | drawn.choice(mantissas)
            for _ in range(1024)]
    return [0] * 256 + bits[256:] if seed % 3 == 0 else bits


if __name__ == "__main__":
    unittest.main()
