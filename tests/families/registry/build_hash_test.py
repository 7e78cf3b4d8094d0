#!/usr/bin/env python3
"""The hash that trials of a family depend on: build_hash_test.py CMAKE SCRIPT."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPT, CMAKE = (sys.argv.pop() for _ in range(2))


class BuildHash(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name)

    def hash(self, files, flags="g++ 12.2.0 -O3", folder="one"):
        """Of files with these names and texts, in the order in which they are given."""
        paths = []
        for name, text in files.items():
            paths.append(self.root / folder / name)
            paths[-1].parent.mkdir(parents=True, exist_ok=True)
            paths[-1].write_text(text)
        output = self.root / "toy_build.cpp"
        subprocess.run([CMAKE, "-DFILES=" + ";".join(map(str, paths)), "-DFLAGS=" + flags, "-DNAME=toy", f"-DOUTPUT={output}",
                        "-P", SCRIPT], check=True)
        return re.search(r'toy_build\(\) \{ return "([0-9a-f]{8})"; \}', output.read_text()).group(1)

    def test_an_edit_changes_it(self):
        before = self.hash({"toy.cpp": "launch(1);", "toy.h": "x"})
        self.assertNotEqual(before, self.hash({"toy.cpp": "launch(2);", "toy.h": "x"}))
        self.assertNotEqual(before, self.hash({"toy.cpp": "launch(1);", "toy.h": "y"}))
        self.assertNotEqual(before, self.hash({"toy.cpp": "launch(1);"}))

    def test_flags_change_it(self):
        self.assertNotEqual(self.hash({"toy.cpp": "x"}), self.hash({"toy.cpp": "x"}, flags="g++ 12.2.0 -O1"))

    def test_folder_and_order_do_not(self):
        before = self.hash({"a.cpp": "x", "b.cpp": "y"})
        self.assertEqual(before, self.hash({"b.cpp": "y", "a.cpp": "x"}, folder="another clone"))


if __name__ == "__main__":
    unittest.main()
