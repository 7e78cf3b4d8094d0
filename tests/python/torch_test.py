#!/usr/bin/env python3
"""The functions on tensors, on the CPU and, where there is one, on a GPU. Skipped without torch."""
import sys
import unittest

try:
    import torch
except ImportError:
    print("skipped: torch is not installed")
    sys.exit(0)

import gemmtune

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])


def draw(*shape, device, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))).to(device=device, dtype=dtype)


class OnTensors(unittest.TestCase):
    def close(self, got, expected, share):
        """Within a share of the expected output's size."""
        self.assertEqual(got.shape, expected.shape)
        error = (got.float() - expected.float()).abs().max().item()
        self.assertLessEqual(error, share * expected.float().abs().max().item())

    def each(self):
        for device in DEVICES:
            with self.subTest(device=device):
                yield device

    def test_linear(self):
        for device in self.each():
            for dtype in (torch.bfloat16, torch.float32):
                x, w, bias = (draw(2, 5, 64, device=device, dtype=dtype), draw(48, 64, device=device, dtype=dtype),
                              draw(48, device=device, dtype=dtype))
                self.close(gemmtune.linear(x, w, bias), torch.nn.functional.linear(x, w, bias), 1e-2)

    def test_views_with_gaps_between_rows(self):
        for device in self.each():
            x, w = draw(8, 128, device=device, dtype=torch.bfloat16)[:, :64], draw(32, 64, device=device, dtype=torch.bfloat16)
            self.close(gemmtune.gemm_a16w16(x, w), x @ w.T, 1e-2)

    def test_mxfp4(self):
        for device in self.each():
            a, w = draw(16, 256, device=device), draw(64, 256, device=device)
            (a4, a_scale), (w4, w_scale) = gemmtune.quantize_mxfp4(a), gemmtune.quantize_mxfp4(w)
            got = gemmtune.gemm_a4w4(a4, w4, a_scale, w_scale)
            self.close(got, dequantised(a4, a_scale) @ dequantised(w4, w_scale).T, 1e-2)
            self.close(got, a @ w.T, 0.3)
            w4 ^= 0x88  # every sign, in place
            self.close(gemmtune.gemm_a4w4(a4, w4, a_scale, w_scale), -got, 1e-2)

    def test_fp8(self):
        for device in self.each():
            a, w = draw(16, 256, device=device), draw(128, 256, device=device)
            for scaling in ("row", "tensor"):
                (aq, a_scale), (wq, w_scale) = gemmtune.quantize_fp8(a, scaling), gemmtune.quantize_fp8(w, scaling)
                self.close(gemmtune.gemm_a8w8(aq, wq, a_scale, w_scale), a @ w.T, 0.1)
            (aq, a_scale), (wq, w_scale) = gemmtune.quantize_fp8(a, "1x128"), gemmtune.quantize_fp8(w, "128x128")
            self.close(gemmtune.gemm_a8w8_blockscale(aq, wq, a_scale, w_scale), a @ w.T, 0.1)

    def test_refusals(self):
        x, w = draw(4, 32, device="cpu", dtype=torch.bfloat16), draw(8, 64, device="cpu", dtype=torch.bfloat16)
        with self.assertRaisesRegex(gemmtune.Error, r"expected \[m, k\] and \[n, k\]"):
            gemmtune.gemm_a16w16(x, w)
        with self.assertRaises(gemmtune.Error):
            gemmtune.gemm_a16w16(x.to(torch.int64), x.to(torch.int64))
        weight = draw(8, 32, device="cpu").requires_grad_()
        with self.assertRaisesRegex(Exception, "it has no gradients"):
            gemmtune.linear(draw(4, 32, device="cpu"), weight).sum().backward()

    def test_an_empty_batch(self):
        self.assertEqual(gemmtune.linear(draw(0, 32, device="cpu"), draw(8, 32, device="cpu")).shape, (0, 8))

    def test_patch(self):
        for device in self.each():
            model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 16))
            model = model.to(device).to(torch.bfloat16).eval()
            x = draw(8, 64, device=device, dtype=torch.bfloat16)
            for format, share in (("same", 0.02), ("fp8", 0.15), ("mxfp4", 0.5)):
                said = []
                with torch.no_grad():
                    before = model(x)
                    patched = gemmtune.patch(torch.nn.Sequential(*model), format, skip=("nothing",), say=said.append)
                    self.close(patched(x), before, share)
                self.assertEqual(said, [f"gemmtune: 2 layers replaced ({format}), 0 left"])
            self.assertIsInstance(model[0], torch.nn.Linear)

    def test_the_operator_is_sound(self):
        x, w = draw(4, 32, device="cpu"), draw(8, 32, device="cpu")
        torch.library.opcheck(torch.ops.gemmtune.multiply.default,
                              (x, w, None, None, None, "none", "none", torch.float32, False),
                              test_utils=("test_schema", "test_faketensor"))

    @unittest.skipUnless(torch.cuda.is_available(), "there is no GPU")
    def test_inside_a_cuda_graph(self):
        for dtype in (torch.bfloat16,):
            x, w = draw(16, 256, device="cuda", dtype=dtype), draw(128, 256, device="cuda", dtype=dtype)
            gemmtune.linear(x, w)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                y = gemmtune.linear(x, w)
            x.copy_(draw(16, 256, device="cuda", dtype=dtype) * 2)
            graph.replay()
            self.close(y, x @ w.T, 1e-2)


def dequantised(values, scales):
    table = torch.tensor([0, .5, 1, 1.5, 2, 3, 4, 6], device=values.device)
    codes = torch.stack((values & 15, values >> 4), -1).reshape(*values.shape[:-1], -1).long()
    signs = 1 - 2 * (codes >> 3).float()
    factors = torch.exp2(scales.float() - 127).repeat_interleave(32, -1)
    return table[codes & 7] * signs * factors


if __name__ == "__main__":
    unittest.main()
