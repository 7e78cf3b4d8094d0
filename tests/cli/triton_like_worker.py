"""The example worker with the names of Triton kernels: triton_like_worker.py EXAMPLE_WORKER. It writes what it is told
to expect into expected.txt."""
import importlib.util
import sys

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("example_worker", sys.argv[1])
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)
example.FAMILY = "triton"
example.KERNELS = {"triton_bm16_bn32_bk32_g1_w4_s2_k1": example.dot_kernel,
                   "triton_bm16_bn16_bk32_g8_w2_s3_k1_cg1": example.index_kernel,
                   "triton_bm16_bn64_bk32_g1_w4_s2_k1_p1_t1": example.dot_kernel}
list_all = example.candidates
example.candidates = lambda problem: [one for one in list_all(problem) if one["name"] in example.KERNELS]


class Worker(example.Worker):
    def send(self, **message):
        if message["type"] == "hello":
            message["compiles_ahead"] = True
        super().send(**message)

    def answer(self, request):
        if request["type"] != "expect":
            return super().answer(request)
        with open("expected.txt", "a", encoding="utf-8") as file:
            file.write("".join(f"{candidate['name']}\n" for candidate in request["candidates"]))
        self.send(type="done", id=request["id"])


Worker().serve()
