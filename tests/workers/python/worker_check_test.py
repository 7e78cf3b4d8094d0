"""gemmtune itself finds that the workers keep to the protocol."""

import os
import subprocess
import sys
import unittest


def check(*arguments, problem="33x40x64:f32:f32:f32"):
    command = [os.environ["TEST_GEMMTUNE"], "worker-check", "--problem", problem, sys.executable, "-m",
               "gemmtune_worker", *arguments, "--device", "cpu"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class WorkerCheckTest(unittest.TestCase):
    def test_numpy(self):
        done = check("numpy")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_backend_that_packs_weights(self):
        packing = os.path.join(os.path.dirname(os.path.abspath(__file__)), "packing_backend.py")
        done = check(packing, problem="33x40x64:f32:f32:f32:packed")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_torch(self):
        try:
            import torch  # noqa: F401
        except ImportError:
            self.skipTest("torch is missing (the package python3-torch)")
        for problem in ("33x40x64:bf16:bf16:bf16", "20x48x96:f32:f32:f32:bias"):
            done = check("torch", problem=problem)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
