#!/bin/sh
# What docs/results/h200-fp8.md needs of block-scaled FP8, in about eight minutes on one Hopper GPU:
#   bench/fp8_on_gpu.sh BUILD OUT [SECONDS]      BUILD has been built; OUT receives tables, profiles and logs
# First the tests against the reference, then tuning (SECONDS for few rows of A and for many, default 90), then the
# winners beside cuBLASLt and, if a worker for it is configured, DeepGEMM, in turns, and at last the stress run.
set -u
build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
seconds=${3:-90}
GEMMTUNE_STATE=$out/state
export GEMMTUNE_STATE
cd "$out" || exit 1
gemmtune=$build/bin/gemmtune

for tests in kernels families_fp8_block families_fp8_block_stream families_folded_wgmma; do
  "$build/bin/${tests}_tests" > "$tests.txt" 2>&1
  echo "tests of $tests ended with $?"
  grep -E "PASSED|FAILED" "$tests.txt" | head -8
done

list() { # FILE M…: DeepSeek-V3's weights
  file=$1
  shift
  echo M,N,K > "$file"
  for m in "$@"; do
    for nk in 2112,7168 24576,1536 32768,512 7168,16384 4096,7168 7168,2048; do
      echo "$m,$nk" >> "$file"
    done
  done
}
list few.csv 1 16 64 128
list many.csv 4096
echo 8192,8192,8192 >> many.csv

for shapes in many few; do
  "$gemmtune" tune -i $shapes.csv -o ${shapes}_tuned.csv -o2 ${shapes}_profile.csv --format a8w8_blockscale \
    --libtype fp8_block,fp8_block_stream --regret 3 --budget "${seconds}s" > $shapes.txt 2>&1
  echo "tuning of $shapes ended with $?"
  tail -12 $shapes.txt
done
peers=cublaslt
"$gemmtune" families --device cuda:0 --libtype deepgemm > /dev/null 2>&1 && peers=cublaslt,deepgemm
{ cat few.csv; tail -n +2 many.csv; } > all.csv
"$gemmtune" bench -i all.csv --format a8w8_blockscale --families "fp8_block,fp8_block_stream,$peers" \
  --tuned few_tuned.csv --tuned many_tuned.csv -o beside.csv > beside.txt 2>&1
echo "timing beside $peers ended with $?"
cat beside.txt
"$gemmtune" stress --families fp8_block,fp8_block_stream --budget 40s --problem 4096x2112x7168:a8w8_blockscale \
  --problem 128x2112x7168:a8w8_blockscale --problem 300x576x1152:a8w8_blockscale > stress.txt 2>&1
echo "stress ended with $?"
tail -8 stress.txt
