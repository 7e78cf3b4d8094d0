"""One vocabulary for numpy's arrays and torch's tensors, so that operands and checks are written once.

Only what the two libraries call by different names is here. Operators, slices, reshape and view are theirs. Integers
are int64 or int32 and wrap around, as they do in both libraries.
"""

import math

import numpy

CHUNK_ON_HOST = 1 << 20  # elements that are worked on at once: temporaries stay in the cache
CHUNK_ON_GPU = 1 << 25


class NumpyArrays:
    """For a CPU without torch."""

    chunk = CHUNK_ON_HOST
    kinds = {"f64": numpy.float64, "f32": numpy.float32, "f16": numpy.float16, "i64": numpy.int64, "i32": numpy.int32,
             "i16": numpy.int16, "i8": numpy.int8, "u8": numpy.uint8, "bool": numpy.bool_}

    def arange(self, count):
        return numpy.arange(count, dtype=numpy.int64)

    def full(self, shape, value, kind):
        return numpy.full(shape, value, dtype=self.kinds[kind])

    def aligned_bytes(self, count):
        """Uninitialised, from an address that 256 divides."""
        raw = numpy.empty(count + 256, dtype=numpy.uint8)
        skipped = -raw.ctypes.data % 256
        return raw[skipped:skipped + count]

    def array(self, values, kind):
        return numpy.asarray(values, dtype=self.kinds[kind])

    def cast(self, x, kind):
        return x.astype(self.kinds[kind], copy=False)

    def bits_as(self, x, kind):
        """The same bytes as another type. Only the last dimension changes its size."""
        return x.view(self.kinds[kind])

    def strided(self, x, shape, strides):
        """Strides in elements, from the first element of x."""
        strides = [step * x.itemsize for step in strides]
        return numpy.lib.stride_tricks.as_strided(x, shape, strides)

    def bytes_of(self, x):
        return numpy.ascontiguousarray(x).reshape(-1).view(numpy.uint8)

    def contiguous(self, x):
        return numpy.ascontiguousarray(x)

    def pad(self, x, rows, columns):
        """Zeros below and on the right, up to this size."""
        return numpy.pad(x, ((0, rows - x.shape[0]), (0, columns - x.shape[1])))

    def max_over(self, x, axes):
        return x.max(axis=axes)

    def clip(self, x, low, high):
        return numpy.clip(x, low, high)

    def repeat(self, x, times, axis):
        return numpy.repeat(x, times, axis=axis)

    def norm(self, x):
        """Of rows of f64."""
        return numpy.sqrt(numpy.einsum("...i,...i->...", x, x))

    def transpose(self, x):
        return numpy.swapaxes(x, -1, -2)

    def erf(self, x):
        return numpy.vectorize(math.erf, otypes=[numpy.float64])(x)

    def numbers(self, scalars):
        """Scalars of this library as floats."""
        return [float(x) for x in scalars]

    def same(self, x, y):
        return bool((x == y).all())

    def host(self, x):
        return x

    def quiet(self):
        """Around arithmetic that may rightly overflow or make NaN."""
        return numpy.errstate(all="ignore")

    where, concatenate, stack = staticmethod(numpy.where), staticmethod(numpy.concatenate), staticmethod(numpy.stack)
    maximum, minimum, sqrt = staticmethod(numpy.maximum), staticmethod(numpy.minimum), staticmethod(numpy.sqrt)
    isnan, isinf, isfinite = staticmethod(numpy.isnan), staticmethod(numpy.isinf), staticmethod(numpy.isfinite)
    tanh, exp, matmul = staticmethod(numpy.tanh), staticmethod(numpy.exp), staticmethod(numpy.matmul)
    signbit, log2, floor, exp2 = (staticmethod(f) for f in (numpy.signbit, numpy.log2, numpy.floor, numpy.exp2))
