#!/usr/bin/env python3
"""Makes the wheel from what the build folder already has, and uses it in a virtual environment of its own.

usage: wheel_test.py BUILD SANITIZERS

Everything but the compilation is as in `pip wheel ./python`. The build backend comes from PyPI; without it the test is
skipped.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
SANITIZERS, BUILD = sys.argv.pop(), sys.argv.pop()
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GEMMTUNE_"))}

MULTIPLY = """
import ctypes, gemmtune
plan = gemmtune.Runtime("", "cpu", say=print).plan("2x3x4:f32:f32:f32")
a, w, c = ((ctypes.c_float * n)(*[1] * n) for n in (8, 12, 6))
memory = ctypes.create_string_buffer(plan.info.workspace_bytes + 256)
at = ctypes.addressof(memory) + -ctypes.addressof(memory) % 256
plan.launch(a=ctypes.addressof(a), w=ctypes.addressof(w), c=ctypes.addressof(c), workspace=at,
            workspace_bytes=plan.info.workspace_bytes)
print(gemmtune.__file__, list(c))
"""


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, env=CLEAN)


def must(*command):
    result = run(*command)
    assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"
    return result.stdout


def make_wheel(folder):
    """The wheel, or None and why the build backend could not be had."""
    python = folder / "tools" / "bin" / "python"
    must(sys.executable, "-m", "venv", folder / "tools")
    needs = re.search(r'requires = \["(.*)"\]', (ROOT / "python" / "pyproject.toml").read_text()).group(1)
    got = run(python, "-m", "pip", "install", "-q", needs)
    if got.returncode != 0:
        return None, got.stderr
    must(python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, ROOT / "python",
         f"--config-settings=cmake.source-dir={ROOT / 'tests' / 'python' / 'built_tree'}", f"--config-settings=build-dir={folder / 'build'}",
         f"--config-settings=cmake.define.GEMMTUNE_BUILT={BUILD}")
    return next(folder.glob("*.whl")), ""


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name)
        cls.wheel, why = make_wheel(cls.folder)
        if cls.wheel is None:
            print(f"skipped: the build backend could not be installed: {why}")
            sys.exit(SKIPPED)
        cls.bin = cls.folder / "user" / "bin"
        must(sys.executable, "-m", "venv", cls.folder / "user")
        must(cls.bin / "python", "-m", "pip", "install", "-q", "--no-index", cls.wheel)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def test_one_wheel_serves_every_python(self):
        self.assertRegex(self.wheel.name, r"^gemmtune-\d+\.\d+\.\d+-py3-none-linux_\w+\.whl$")

    def test_its_version_is_the_librarys(self):
        version = re.search(r"project\(gemmtune VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertIn(f"gemmtune-{version}-", self.wheel.name)

    def test_it_has_the_library_the_program_and_the_workers_once(self):
        names = set(zipfile.ZipFile(self.wheel).namelist())
        self.assertEqual({name for name in names if name.startswith("gemmtune/lib/libgemmtune.so")}, {"gemmtune/lib/libgemmtune.so.0"})
        sources = {f"gemmtune/{path.relative_to(ROOT / 'python' / 'gemmtune')}"
                   for path in (ROOT / "python" / "gemmtune").rglob("*.py")}
        self.assertLessEqual(sources | {"gemmtune/bin/gemmtune", "gemmtune/share/gemmtune/workers/workers.toml"}, names)
        self.assertFalse([name for name in names if name.endswith((".h", ".pc", ".cmake", ".pyc"))])

    def test_servers_find_their_plugins(self):
        groups = must(self.bin / "python", "-c", "from importlib.metadata import distribution\n"
                      "print(sorted((e.group, e.value) for e in distribution('gemmtune').entry_points))")
        self.assertIn("('vllm.general_plugins', 'gemmtune.plugins.vllm:register')", groups)
        self.assertIn("('sglang.srt.plugins', 'gemmtune.plugins.sglang:register')", groups)
        for server in ("vllm", "sglang"):
            self.assertTrue((ROOT / "python" / "gemmtune" / "plugins" / f"{server}.py").exists())

    @unittest.skipIf(SANITIZERS, "a library with sanitizers cannot be loaded into Python")
    def test_its_program_is_a_command(self):
        self.assertRegex(must(self.bin / "gemmtune", "--version"), r"\d+\.\d+\.\d+")

    @unittest.skipIf(SANITIZERS, "a library with sanitizers cannot be loaded into Python")
    def test_it_multiplies_where_it_is_installed(self):
        place, numbers = must(self.bin / "python", "-c", MULTIPLY).splitlines()[-1].split(" ", 1)
        self.assertTrue(place.startswith(str(self.folder / "user")), place)
        self.assertEqual(numbers, str([4.0] * 6))


if __name__ == "__main__":
    unittest.main()
