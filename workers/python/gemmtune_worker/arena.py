"""The memory of a problem's operand sets: one row of bytes for each set, with guards between the tensors.

All sets hold the same operands. One more row, which no kernel is given, holds the image that they are compared with.
"""

from dataclasses import dataclass

GUARD = 4096
MOST_GUARD = 1 << 20
PATTERN = bytes(range(256))


@dataclass(frozen=True)
class Place:
    start: int
    size: int

    @property
    def stop(self):
        return self.start + self.size


def padded(size):
    return (size + 255) // 256 * 256


class Arena:
    """`stored`: the bytes of each input tensor. C comes last in a row."""

    def __init__(self, arrays, stored, c_bytes, row_of_c_bytes):
        self.arrays = arrays
        self.guard = padded(min(max(row_of_c_bytes, GUARD), MOST_GUARD))
        self.places, end = {}, 0
        for name, x in stored.items():
            self.places[name] = Place(end + GUARD, int(x.shape[0]))
            end = padded(self.places[name].stop)
        self.places["c"] = Place(end + self.guard, c_bytes)
        self.row_bytes = padded(self.places["c"].stop) + self.guard
        self.image = arrays.aligned_bytes(self.row_bytes)
        pattern = arrays.array(list(PATTERN), "u8")
        self.image.reshape(-1, 256)[...] = pattern
        for name, x in stored.items():
            place = self.places[name]
            self.image[place.start:place.stop] = x
        self.sets = self._rows(0)

    def _rows(self, count):
        return self.arrays.aligned_bytes(count * self.row_bytes).reshape(count, self.row_bytes)

    def count(self):
        return self.sets.shape[0]

    def resize(self, count):
        """To at least this many sets. All are filled anew."""
        if count > self.count():
            self.sets = None  # before more is allocated
            self.sets = self._rows(count)
            self.restore()

    def restore(self):
        self.sets[...] = self.image

    def tensor(self, index, name):
        place = self.places[name]
        return self.sets[index, place.start:place.stop]

    def pristine(self, name):
        place = self.places[name]
        return self.image[place.start:place.stop]

    def fill_c(self, pattern, index=None):
        """With 16 bits over and over, in one set or in all."""
        place = self.places["c"]
        rows = self.sets if index is None else self.sets[index:index + 1]
        low, high = pattern & 0xFF, pattern >> 8
        rows[:, place.start:place.stop:2] = low
        rows[:, place.start + 1:place.stop:2] = high

    def damage(self):
        """What was written outside of C: '', or the name of a tensor or of a guard."""
        c = self.places["c"]
        begin, end = c.start // 8 * 8, padded(c.stop)
        words = lambda x: self.arrays.bits_as(x, "i64")
        if (self.arrays.same(words(self.sets[:, :begin]), words(self.image[:begin])) and
                self.arrays.same(words(self.sets[:, end:]), words(self.image[end:])) and
                self.arrays.same(self.sets[:, c.stop:end], self.image[c.stop:end])):
            return ""
        return self._name_of_damage()

    def _name_of_damage(self):
        first = self.row_bytes
        for row in range(self.count()):
            changed = self.sets[row] != self.image
            changed[self.places["c"].start:self.places["c"].stop] = False
            where = self.arrays.host(changed).nonzero()[0]
            first = min(first, int(where[0])) if len(where) else first
        for name, place in self.places.items():
            if place.start <= first < place.stop:
                return f"the operand {name} was overwritten, from its byte {first - place.start} on"
            if first < place.start:
                return f"{place.start - first} bytes before {name}, a guard was overwritten"
        return f"{first - self.places['c'].stop + 1} bytes after the end of C, a guard was overwritten"
