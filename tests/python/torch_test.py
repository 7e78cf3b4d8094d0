#!/usr/bin/env python3
"""The functions on tensors, on the CPU and, where there is one, on a GPU. Skipped without torch."""
import concurrent.futures
import pathlib
import sys
import tempfile
import time
import unittest
import unittest.mock

try:
    import torch
except ImportError:
    print("skipped: torch is not installed")
    sys.exit(77)

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

    def test_views_whose_rows_are_not_equally_far_apart(self):
        for device in self.each():
            x, w = draw(4, 6, 64, device=device).transpose(0, 1), draw(8, 64, device=device)
            for _ in range(2):
                self.close(gemmtune.linear(x, w), torch.nn.functional.linear(x, w), 1e-2)

    def test_threads_do_not_share_operands(self):
        for device in self.each():
            w = draw(48, 512, device=device)
            inputs = [draw(6, 512, device=device) * (i + 1) for i in range(8)]
            expected = [gemmtune.linear(x, w) for x in inputs]
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                for _ in range(20):
                    for got, one in zip(pool.map(lambda x: gemmtune.linear(x, w), inputs), expected):
                        self.assertTrue(torch.equal(got, one))

    def test_scales_of_changed_weights(self):
        for device in self.each():
            (a4, a_scale), (w4, w_scale) = (gemmtune.quantize_mxfp4(draw(*shape, device=device)) for shape in ((4, 64), (32, 64)))
            before = gemmtune.gemm_a4w4(a4, w4, a_scale, w_scale)
            self.close(gemmtune.gemm_a4w4(a4, w4, a_scale, w_scale + 1), 2 * before, 1e-2)
            w_scale += 2
            self.close(gemmtune.gemm_a4w4(a4, w4, a_scale, w_scale), 4 * before, 1e-2)

    def test_in_inference_mode(self):
        for device in self.each():
            with torch.inference_mode():
                a, w = draw(4, 64, device=device), draw(32, 64, device=device)
                (a4, a_scale), (w4, w_scale) = gemmtune.quantize_mxfp4(a), gemmtune.quantize_mxfp4(w)
                for _ in range(2):
                    self.close(gemmtune.gemm_a4w4(a4, w4, a_scale, w_scale), a @ w.T, 0.3)

    def test_one_token_has_a_scale_of_its_row(self):
        for device in self.each():
            (aq, a_scale), (wq, w_scale) = (gemmtune.quantize_fp8(draw(*shape, device=device)) for shape in ((1, 64), (32, 64)))
            self.assertEqual(gemmtune.torch_ops._scalings(a_scale, w_scale, 1), ("row", "row"))
            self.close(gemmtune.gemm_a8w8(aq, wq, a_scale, w_scale),
                       (aq.float() * a_scale) @ (wq.float() * w_scale).T, 1e-2)

    def test_mxfp4(self):
        for device in self.each():
            a, w = draw(16, 256, device=device), draw(64, 256, device=device)
            (a4, a_scale), (w4, w_scale) = gemmtune.quantize_mxfp4(a), gemmtune.quantize_mxfp4(w)
            got = gemmtune.gemm_a4w4(a4, w4, a_scale, w_scale)
            self.close(got, dequantised(a4, a_scale) @ dequantised(w4, w_scale).T, 1e-2)
            self.close(got, a @ w.T, 0.3)
            w4 ^= 0x88  # every sign, in place
            self.close(gemmtune.gemm_a4w4(a4, w4, a_scale, w_scale), -got, 1e-2)

    def test_float_activations_and_mxfp4_weights(self):
        w4, w_scale = gemmtune.quantize_mxfp4(draw(64, 256, device="cpu"))
        w, bias = dequantised(w4, w_scale), draw(64, device="cpu")
        for dtype, share in ((torch.float32, 1e-5), (torch.bfloat16, 1e-2)):
            a = draw(3, 5, 256, device="cpu", dtype=dtype)
            expected = a.float() @ w.T + bias.to(dtype).float()
            self.close(gemmtune.gemm_a16w4(a, w4, w_scale, bias.to(dtype)), expected, share)
            self.close(gemmtune.gemm_a8w4(a, w4, w_scale, bias.to(dtype)), q8(a) @ w.T + bias.to(dtype).float(), share)
        self.assertEqual(gemmtune.gemm_a8w4(a, w4, w_scale, dtype=torch.float32).dtype, torch.float32)

    def test_fp8_activations_and_mxfp4_weights(self):
        w4, w_scale = gemmtune.quantize_mxfp4(draw(64, 256, device="cpu"))
        w, bias = dequantised(w4, w_scale), draw(64, device="cpu")
        a = draw(5, 256, device="cpu").to(torch.float8_e4m3fn)
        for scale in (torch.rand(5, 1), torch.full((1,), 0.25)):
            y = gemmtune.gemm_a8w4_fp8(a, w4, scale, w_scale, bias, dtype=torch.float32)
            self.close(y, (a.float() * scale) @ w.T + bias, 1e-5)
        x = draw(2, 3, 256, device="cpu")
        xq, x_scale = gemmtune.quantize_fp8(x.reshape(6, 256), "row")
        expected = fp8_values(xq, x_scale) @ w.T + bias
        self.close(gemmtune.gemm_a16w4_fp8(x, w4, w_scale, bias).reshape(6, 64), expected, 1e-5)
        self.close(gemmtune.gemm_a8w4_fp8(xq, w4, x_scale, w_scale, bias, dtype=torch.float32), expected, 1e-5)
        self.assertEqual(gemmtune.gemm_a16w4_fp8(x, w4, w_scale, dtype=torch.bfloat16).dtype, torch.bfloat16)

    def test_activations_that_the_call_quantises_to_fp8(self):
        for device in self.each():
            x, w = draw(2, 8, 384, device=device), draw(256, 384, device=device)
            bias = draw(256, device=device)
            for scaling, of_w, multiply in (("1x128", "128x128", gemmtune.gemm_a16w8_blockscale),
                                            ("row", "row", gemmtune.gemm_a16w8)):
                wq, w_scale = gemmtune.quantize_fp8(w, of_w)
                xq, x_scale = gemmtune.quantize_fp8(x.reshape(16, 384), scaling)
                expected = fp8_values(xq, x_scale) @ fp8_values(wq, w_scale).T
                for dtype, share in ((None, 5e-3), (torch.bfloat16, 1e-2)):
                    got = multiply(x, wq, w_scale, dtype)
                    self.assertEqual((got.shape, got.dtype), ((2, 8, 256), dtype or torch.float32))
                    self.close(got.reshape(16, 256), expected, share)
                self.close(multiply(x, wq, w_scale, bias=bias).reshape(16, 256), expected + bias, 5e-3)

    def test_e8m0_scales_of_blocks(self):
        for device in self.each():
            x, w = (draw(*shape, device=device).to(torch.float8_e4m3fn) for shape in ((16, 384), (256, 384)))
            x_scale, w_scale = (torch.randint(120, 132, shape, dtype=torch.uint8, device=device) for shape in ((16, 3), (2, 3)))
            expected = fp8_values(x, torch.exp2(x_scale.float() - 127)) @ fp8_values(w, torch.exp2(w_scale.float() - 127)).T
            self.close(gemmtune.gemm_a8w8_blockscale(x, w, x_scale, w_scale), expected, 1e-2)
            with self.assertRaisesRegex(gemmtune.Error, "must be contiguous and"):
                gemmtune.gemm_a8w8_blockscale(x, w, x_scale.to(torch.float16), w_scale)

    def test_nvfp4_weights(self):
        a, codes = draw(6, 80, device="cpu"), torch.arange(7 * 40, dtype=torch.uint8).reshape(7, 40)
        blocks, whole = torch.rand(7, 5).add(0.1).to(torch.float8_e4m3fn), 0.375
        scales = gemmtune.nvfp4_scales(blocks, whole)
        self.assertEqual(scales.numel(), 36 + 4)
        w = e2m1_values(codes) * (blocks.float() * whole).repeat_interleave(16, 1)
        self.close(gemmtune.gemm_a16w4_nvfp4(a, codes, scales), a @ w.T, 1e-5)
        self.close(gemmtune.gemm_a8w4_nvfp4(a, codes, scales), q8(a) @ w.T, 1e-5)
        with self.assertRaisesRegex(gemmtune.Error, "expected"):
            gemmtune.gemm_a16w4_nvfp4(a, codes, scales[:-4])

    def test_int4_and_int8_weights_in_blocks(self):
        a, scales = draw(6, 72, device="cpu"), draw(7, 3, device="cpu", dtype=torch.float16)
        of_elements = scales.float().repeat_interleave(32, 1)[:, :72]
        w = torch.arange(7 * 72).reshape(7, 72) % 16 - 8
        codes = ((w[:, ::2] & 15) | (w[:, 1::2] & 15) << 4).to(torch.uint8)
        self.close(gemmtune.gemm_a8wq4(a, codes, scales), q8(a) @ (w * of_elements).T, 1e-5)
        w = torch.arange(7 * 72).reshape(7, 72) * 11 % 255 - 127
        self.close(gemmtune.gemm_a8wq8(a, w.to(torch.int8), scales), q8(a) @ (w * of_elements).T, 1e-5)
        with self.assertRaisesRegex(gemmtune.Error, "must be contiguous"):
            gemmtune.gemm_a8wq8(a, w.to(torch.int8), scales.float())

    def test_fp8(self):
        for device in self.each():
            a, w = draw(16, 256, device=device), draw(128, 256, device=device)
            for scaling in ("row", "tensor"):
                (aq, a_scale), (wq, w_scale) = gemmtune.quantize_fp8(a, scaling), gemmtune.quantize_fp8(w, scaling)
                self.close(gemmtune.gemm_a8w8(aq, wq, a_scale, w_scale), a @ w.T, 0.1)
            (aq, a_scale), (wq, w_scale) = gemmtune.quantize_fp8(a, "1x128"), gemmtune.quantize_fp8(w, "128x128")
            self.close(gemmtune.gemm_a8w8_blockscale(aq, wq, a_scale, w_scale), a @ w.T, 0.1)

    def test_shuffled_layouts(self):
        """Against the formulas of gemm/shuffle_index.h."""
        w = torch.arange(32 * 64, dtype=torch.int32).to(torch.uint8).view(32, 64)
        shuffled = gemmtune.shuffle_weight(w).flatten()
        for n, k in ((0, 0), (17, 3), (5, 40), (31, 63)):
            at = n // 16 * 16 * 64 + k // 32 * 512 + k % 32 // 16 * 256 + n % 16 * 16 + k % 16
            self.assertEqual(shuffled[at], w[n, k])
        self.assertTrue(torch.equal(gemmtune.unshuffle_weight(gemmtune.shuffle_weight(w)), w))
        half = draw(16, 32, device="cpu", dtype=torch.bfloat16)
        self.assertTrue(torch.equal(gemmtune.unshuffle_weight(gemmtune.shuffle_weight(half)), half))
        scale = torch.randint(0, 255, (300, 12), dtype=torch.uint8)
        shuffled = gemmtune.shuffle_scale(scale)
        self.assertEqual(shuffled.shape, (512, 16))
        for row, col in ((0, 0), (33, 5), (299, 11), (17, 8)):
            at = (row // 32 * 32 * 16 + col // 8 * 256 + col % 4 * 64 + row % 16 * 4 + col % 8 // 4 * 2 + row % 32 // 16)
            self.assertEqual(shuffled.flatten()[at], scale[row, col])
        self.assertTrue(torch.equal(gemmtune.unshuffle_scale(shuffled, 300, 12), scale))
        with self.assertRaises(ValueError):
            gemmtune.shuffle_weight(w[:5])

    def test_refusals(self):
        x, w = draw(4, 32, device="cpu", dtype=torch.bfloat16), draw(8, 64, device="cpu", dtype=torch.bfloat16)
        with self.assertRaisesRegex(gemmtune.Error, r"expected \[m, k\] and \[n, k\]"):
            gemmtune.gemm_a16w16(x, w)
        with self.assertRaises(gemmtune.Error):
            gemmtune.gemm_a16w16(x.to(torch.int64), x.to(torch.int64))
        with self.assertRaisesRegex(gemmtune.Error, r"bias is \[8\] of torch.float32: expected \[4\] of torch.bfloat16"):
            gemmtune.linear(x, x, draw(8, device="cpu"))
        (aq, a_scale), (wq, w_scale) = gemmtune.quantize_fp8(x), gemmtune.quantize_fp8(x)
        with self.assertRaisesRegex(gemmtune.Error, r"the scale of W is \[3, 1\]: expected \[4\]"):
            gemmtune.gemm_a8w8(aq, wq, a_scale, w_scale[:3])
        with self.assertRaisesRegex(gemmtune.Error, "must be contiguous and torch.float32"):
            gemmtune.gemm_a8w8(aq, wq, a_scale.double(), w_scale)
        with self.assertRaisesRegex(gemmtune.Error, "A is on cpu and W on meta"):
            gemmtune.gemm_a16w16(x, x.to("meta"))
        weight = draw(8, 32, device="cpu").requires_grad_()
        with self.assertRaisesRegex(Exception, "it has no gradients"):
            gemmtune.linear(draw(4, 32, device="cpu"), weight).sum().backward()

    def test_a_reloaded_table_is_used(self):
        header = ("gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,kernelName,err_ratio,"
                  "tflops,bw\n")
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "a16w16_tuned_gemm.csv"
            table.write_text(header)
            runtime = gemmtune.open_runtime("cpu", tables=str(table), reload_interval_ms=20, say=lambda line: None)
            x, w = draw(4, 32, device="cpu"), draw(8, 32, device="cpu")
            gemmtune.linear(x, w)
            self.assertEqual(len(gemmtune.operators._bound), 1)
            table.write_text(header + "sm90,132,1,1,1,False,torch.float32,torch.float32,False,False,asm,0,0,5,k,0,1,1\n")
            for _ in range(500):
                if runtime.counters()["reloads"]:
                    break
                time.sleep(0.02)
            before = next(iter(gemmtune.operators._bound.values()))
            self.close(gemmtune.linear(x, w), x @ w.T, 1e-3)
            self.assertIsNot(next(iter(gemmtune.operators._bound.values())), before)
            gemmtune.open_runtime("cpu")

    def test_an_empty_batch(self):
        self.assertEqual(gemmtune.linear(draw(0, 32, device="cpu"), draw(8, 32, device="cpu")).shape, (0, 8))

    def test_patch(self):
        for device in self.each():
            model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 16))
            model = model.to(device).to(torch.bfloat16).eval()
            x = draw(8, 64, device=device, dtype=torch.bfloat16)
            of_cpu = (("a16w4", 0.4), ("a8w4", 0.4), ("a16w4_fp8", 0.4)) if device == "cpu" else ()
            for format, share in (("same", 0.02), ("fp8", 0.15), ("mxfp4", 0.5), *of_cpu):
                said = []
                with torch.no_grad():
                    before = model(x)
                    patched = gemmtune.patch(torch.nn.Sequential(*model), format, skip=("nothing",), say=said.append)
                    self.close(patched(x), before, share)
                self.assertEqual(said, [f"gemmtune: 2 layers replaced ({format}), 0 left"])
            self.assertIsInstance(model[0], torch.nn.Linear)

    def test_block_scaled_layers_for_any_number_of_tokens(self):
        """With the rows that a GPU's library wants, also on the CPU."""
        for device in self.each():
            layer = gemmtune.Linear(torch.nn.Linear(384, 256).to(device), "fp8_block")
            plain = {m: layer(draw(m, 384, device=device)) for m in (1, 3, 4, 6)}
            with unittest.mock.patch.object(gemmtune.nn, "rows_of_blocks", lambda m, device: -(-m // 4) * 4):
                for m, expected in plain.items():
                    got = layer(draw(m, 384, device=device))
                    self.assertEqual(got.shape, (m, 256))
                    self.close(got, expected, 1e-3)

    def test_layers_take_torchs_path_where_the_runtime_refuses(self):
        layer = torch.nn.Linear(32, 8)
        patched = gemmtune.Linear(layer)
        x = torch.empty(4 * 32 * 4 + 1, dtype=torch.uint8)[1:].view(4, 128)  # f32 at an odd address
        x = torch.frombuffer(x.numpy(), dtype=torch.float32).view(4, 32).copy_(draw(4, 32, device="cpu"))
        with torch.no_grad():
            self.assertRaisesRegex(gemmtune.Error, "aligned|multiple", gemmtune.linear, x, layer.weight)
            self.close(patched(x), layer(x), 1e-3)

    def test_patch_says_what_it_leaves_and_why(self):
        class Special(torch.nn.Linear):
            pass

        said = []
        model = torch.nn.ModuleDict({"head": torch.nn.Linear(32, 8), "odd": torch.nn.Linear(48, 8), "own": Special(32, 8),
                                     "wide": torch.nn.Linear(32, 8).double(), "meta": torch.nn.Linear(32, 8, device="meta"),
                                     "done": torch.nn.Linear(32, 8), "norm": torch.nn.LayerNorm(8)})
        gemmtune.patch(model, "mxfp4", skip=("head",), say=said.append)
        self.assertEqual(said, ["gemmtune: 1 layers replaced (mxfp4), 5 left", "gemmtune: left head: skipped by name",
                                "gemmtune: left odd: 48 inputs are no multiple of 32",
                                "gemmtune: left own: not a plain torch.nn.Linear",
                                "gemmtune: left wide: its weights are torch.float64",
                                "gemmtune: left meta: tensors on meta are not multiplied: expected cpu or cuda"])
        self.assertIsInstance(model["done"], gemmtune.Linear)
        with self.assertRaisesRegex(ValueError, "expected one of same, fp8"):
            gemmtune.patch(torch.nn.Sequential(torch.nn.Linear(32, 8)), "int3")

    def test_patch_leaves_what_no_kernel_runs(self):
        gemmtune.open_runtime("cpu", tables="", fallback="none", say=lambda line: None)
        said = []
        gemmtune.patch(torch.nn.Sequential(torch.nn.Linear(32, 8)), say=said.append)
        gemmtune.open_runtime("cpu")
        self.assertEqual(said[0], "gemmtune: 0 layers replaced (same), 1 left")
        self.assertIn("no table has a row for it", said[1])

    def test_the_operator_is_sound(self):
        x, w = draw(4, 32, device="cpu"), draw(8, 32, device="cpu")
        torch.library.opcheck(torch.ops.gemmtune.multiply.default,
                              (x, w, None, None, None, "none", "none", torch.float32, False),
                              test_utils=("test_schema", "test_faketensor", "test_aot_dispatch_dynamic"))
        torch.library.opcheck(torch.ops.gemmtune.quantise.default, (x, "e4m3", "row"),
                              test_utils=("test_schema", "test_faketensor"))

    def test_under_torch_compile(self):
        for device in self.each():
            x, w = draw(8, 64, device=device, dtype=torch.bfloat16), draw(32, 64, device=device, dtype=torch.bfloat16)
            w8, w_scale = gemmtune.quantize_fp8(w)

            @torch.compile(backend="aot_eager", fullgraph=True)
            def layers(x):
                values, scales = gemmtune.quantize_fp8(x)
                return gemmtune.linear(x, w) + gemmtune.gemm_a8w8(values, w8, scales, w_scale)

            with torch.no_grad():
                self.close(layers(x), 2 * x @ w.T, 0.1)

    def test_patched_models_under_torch_compile(self):
        for device in self.each():
            for format in gemmtune.nn.SIDES:
                model = gemmtune.patch(torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU()).to(device), format,
                                       say=lambda line: None)
                compiled = torch.compile(model, backend="aot_eager", fullgraph=True, dynamic=True)
                with torch.no_grad():
                    for m in (2, 3, 7):
                        x = draw(m, 5, 64, device=device)
                        self.close(compiled(x), model(x), 1e-3)

    def test_compiled_layers_serve_other_numbers_of_tokens(self):
        """Servers drop the guards that would compile again."""
        with unittest.mock.patch.object(gemmtune.nn, "rows_of_blocks", lambda m, device: -(-m // 4) * 4), torch.no_grad():
            for format in gemmtune.nn.SIDES:
                layer = gemmtune.Linear(torch.nn.Linear(384, 256), format)
                torch._dynamo.reset()
                compiled = torch.compile(layer, backend="aot_eager", fullgraph=True, dynamic=True)
                compiled(draw(8, 384, device="cpu"))
                with unittest.mock.patch.object(torch._dynamo.config, "error_on_recompile", True):
                    for m in (5, 12, 3):
                        x = draw(m, 384, device="cpu")
                        self.close(compiled(x), layer(x), 1e-3)

    @unittest.skipUnless(torch.cuda.is_available(), "there is no GPU")
    def test_patched_layers_inside_a_cuda_graph(self):
        for format in gemmtune.nn.SIDES:
            with self.subTest(format=format), torch.no_grad():
                layer = gemmtune.Linear(torch.nn.Linear(384, 256).to("cuda", torch.bfloat16), format)
                x = draw(5, 384, device="cuda", dtype=torch.bfloat16)
                layer(x)
                torch.cuda.synchronize()
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    y = layer(x)
                x.copy_(draw(5, 384, device="cuda", dtype=torch.bfloat16) * 2)
                graph.replay()
                self.close(y, layer(x), 1e-2)

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


def e2m1_values(values):
    table = torch.tensor([0, .5, 1, 1.5, 2, 3, 4, 6], device=values.device)
    codes = torch.stack((values & 15, values >> 4), -1).reshape(*values.shape[:-1], -1).long()
    return table[codes & 7] * (1 - 2 * (codes >> 3).float())


def dequantised(values, scales):
    return e2m1_values(values) * torch.exp2(scales.float() - 127).repeat_interleave(32, -1)


def fp8_values(values, scales):
    """E4M3 [rows, k] times scales of its parts."""
    rows, k = values.shape
    return values.float() * scales.repeat_interleave(rows // scales.shape[0], 0).repeat_interleave(k // scales.shape[1], 1)


def q8(a):
    """What a call makes of activations: codes of -127 to 127 in blocks of 32, times their scales."""
    blocks = torch.nn.functional.pad(a.float(), (0, -a.shape[-1] % 32)).unflatten(-1, (-1, 32))
    scales = blocks.abs().amax(-1, keepdim=True) / 127
    return ((blocks / scales).round() * scales).flatten(-2)[..., :a.shape[-1]]


if __name__ == "__main__":
    unittest.main()
