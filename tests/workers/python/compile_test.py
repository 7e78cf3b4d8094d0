"""Kernels are compiled for GPUs that are not here, where Triton is installed."""

import importlib.util
import unittest
from dataclasses import asdict

from gemmtune_worker.backends import triton_space as space
from gemmtune_worker.compile_ahead import CompileAhead

H100, MI300, MI350 = ["cuda", 90, 32], ["hip", "gfx942", 64], ["hip", "gfx950", 64]
AMD = {"wpe": 2, "kp": 2, "mi": 16}
TRITON = (("64x7168x2048:bf16:bf16:bf16", {"bm": 64, "bn": 128, "bk": 64, "k": 4}, H100),
          ("1x7168x2048:f16:f16:f32:tn:batch=3", {"bm": 16, "bn": 64, "bk": 128, "cg": 1}, H100),
          ("4096x4096x7168:bf16:bf16:bf16", {"bm": 128, "bn": 256, "bk": 64, "w": 8, "p": 1, "t": 1}, H100),
          ("4096x4096x7168:e4m3/row:e4m3/tensor:bf16", {"bm": 128, "bn": 128, "bk": 128}, H100),
          ("33x100x72:int8/row:int8/tensor:bf16:bias", {"bm": 32, "bn": 64, "bk": 64, "s": 2}, H100),
          ("64x4096x7168:e4m3/1x128:e4m3/128x128:bf16", {"bm": 64, "bn": 256, "bk": 128, "t": 1, "w": 8}, H100),
          ("16x8192x8192:e2m1/1x32:e2m1/1x32:bf16", {"bm": 16, "bn": 128, "bk": 256, "k": 2}, H100),
          ("64x7168x2048:bf16:bf16:bf16", {"bm": 64, "bn": 128, "bk": 64, "k": 2, **AMD}, MI300),
          ("64x4096x7168:e4m3fnuz/1x128:e4m3fnuz/128x128:bf16", {"bm": 64, "bn": 128, "bk": 128, **AMD}, MI300),
          ("16x8192x8192:e2m1/1x32:e2m1/1x32:bf16", {"bm": 16, "bn": 128, "bk": 256, "s": 2, **AMD}, MI350))
GLUON = (("64x7168x2048:bf16:bf16:bf16", (64, 64, 64, 1, 4, 4)),
         ("4096x4096x7168:f16:f16:f32", (128, 256, 64, 8, 8, 4)),
         ("4096x4096x7168:e4m3/row:e4m3/row:bf16", (128, 128, 128, 8, 8, 4)),
         ("512x512x1024:e4m3/tensor:e4m3/tensor:bf16", (64, 64, 128, 8, 4, 4)),
         ("16x8192x8192:e2m1/1x32:e2m1/1x32:bf16", (64, 64, 128, 1, 4, 4)))


@unittest.skipUnless(importlib.util.find_spec("triton"), "Triton is missing (pip install torch triton)")
class CompileTest(unittest.TestCase):
    def compiled(self, function, jobs):
        ahead = CompileAhead()
        self.addCleanup(ahead.close)
        for job, arguments in [(ahead.start((function, arguments)), arguments) for arguments in jobs]:
            self.assertEqual(job.wait(), "", arguments)

    def test_triton(self):
        from gemmtune_worker.backends.triton_backend import compile_candidate
        self.compiled(compile_candidate,
                      [[text, asdict(space.Params(**params)), 132, target] for text, params, target in TRITON])

    def test_gluon(self):
        from gemmtune_worker.backends.gluon_backend import Params, compile_candidate
        self.compiled(compile_candidate, [[text, asdict(Params(*values))] for text, values in GLUON])

    def test_what_cannot_be_compiled_says_why(self):
        from gemmtune_worker.backends.triton_backend import compile_candidate
        ahead = CompileAhead()
        self.addCleanup(ahead.close)
        job = ahead.start((compile_candidate, [TRITON[0][0], asdict(space.Params(64, 48, 64)), 132, H100]))
        self.assertIn("power of 2", job.wait())


if __name__ == "__main__":
    unittest.main()
