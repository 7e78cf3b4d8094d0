#!/bin/sh
# What docs/results/runtime.md states of a GPU, in about two minutes on one NVIDIA GPU with torch:
#   bench/runtime_on_gpu.sh BUILD OUT      BUILD has been built with GEMMTUNE_BENCH=ON; OUT receives the logs
# The cost of a launch, the runtime's tests on the GPU, and a torch program that gets tuned algorithms while it runs.
set -u
build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
here=$(dirname "$(realpath "$0")")
GEMMTUNE_STATE=$out/state
export GEMMTUNE_STATE

"$build/bin/runtime_benchmark" --benchmark_filter=16x64 > "$out/launches.txt" 2>&1
grep bf16 "$out/launches.txt"

# The tuner must have the same cuBLASLt as torch, since rows of another version are not used.
libraries=$(python3 -c 'import os; from importlib import util; s = util.find_spec("nvidia"); print(":".join(p for r in (s.submodule_search_locations if s else []) for p, _, f in os.walk(r) if "libcublasLt.so.13" in f))')
cd "$out" || exit 1
rm -f capture.csv online_tuned.csv online_tuned.trials.db*
LD_LIBRARY_PATH=$libraries:${LD_LIBRARY_PATH:-} "$build/bin/gemmtune" serve --watch capture.csv -o online_tuned.csv \
    --device cuda:0 --interval 1s -- --libtype cublaslt --budget 8s > serve.txt 2>&1 &
tuner=$!

# $1: 1 or 0, whether tuned algorithms are used; $2: whether torch prefers cuBLASLt; $3: seconds
multiply() {
  LD_PRELOAD=$build/gemmtune/preload/libgemmtune_preload.so GEMMTUNE_PRELOAD=$1 TORCH_BLAS_PREFER_CUBLASLT=$2 \
    GEMMTUNE_CONFIG_A16W16=$out/online_tuned.csv GEMMTUNE_RELOAD_INTERVAL=1 GEMMTUNE_CAPTURE=$out/capture.csv \
    GEMMTUNE_CAPTURE_INTERVAL=1 GEMMTUNE_SUMMARY=1 python3 "$here/online_torch.py" "$3" 2>&1
}

echo "while they are tuned:"
multiply 1 1 40 | tee online.txt
kill "$tuner"
wait "$tuner"
echo "the tuner ended with $?"
grep -v watching serve.txt
for way in "0 1" "1 1" "0 0" "1 0"; do
  preloads=${way% *}
  prefers=${way#* }
  echo "preloaded library $preloads, cuBLASLt preferred $prefers:"
  multiply "$preloads" "$prefers" 2 | tee "after_${preloads}_$prefers.txt"
done

LD_LIBRARY_PATH=$libraries:${LD_LIBRARY_PATH:-} "$build/bin/runtime_tests" --file=gpu_test.cpp > gpu_tests.txt 2>&1
echo "runtime_tests ended with $?"
grep -E "PASSED|FAILED|kernels ran|Failure" gpu_tests.txt
