#!/bin/sh
# What docs/results needs of 4-bit weights with bf16 and FP8 activations, in about fourteen minutes on one Hopper GPU:
#   bench/a16w4_on_gpu.sh BUILD OUT [SECONDS]      BUILD has been built; OUT receives tables, profiles and logs
# First the tests of the families against the reference, then tuning (SECONDS for each of six lists, default 90), then
# the winners for bf16 beside dequantised weights through cuBLASLt in turns, and at last the stress run.
set -u
build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
seconds=${3:-90}
GEMMTUNE_STATE=$out/state
export GEMMTUNE_STATE
cd "$out" || exit 1
gemmtune=$build/bin/gemmtune

"$build/bin/families_w4_wgmma_tests" > tests.txt 2>&1
echo "tests of a16w4_wgmma and a8w4_wgmma ended with $?"
grep -E "PASSED|FAILED|SKIPPED" tests.txt | head -20
"$build/bin/families_fp8_block_stream_tests" --gtest_filter='*Right*:*Divides*:*Hard*' > tests_of_fp8.txt 2>&1
echo "tests of fp8_block_stream ended with $?"
"$build/bin/families_mxfp4_bf16_tests" > tests_of_bf16.txt 2>&1
echo "tests of mxfp4_bf16 ended with $?"

# list FILE TYPES SIZES M…: shapes of the given rows for each of the sizes N,K.
list() {
  file=$1
  types=$2
  sizes=$3
  shift 3
  echo M,N,K,problem > "$file"
  for m in "$@"; do
    for nk in $sizes; do
      echo "$m,$nk,${m}x$(echo $nk | tr , x):$types" >> "$file"
    done
  done
}
small="8192,8192 2880,2880"
all="$small 8192,28672 57344,8192"
list few.csv bf16:e2m1/1x32:bf16:packed "$all" 1 3 16 17 64 128
list many.csv bf16:e2m1/1x32:bf16:packed "$all" 256 4096
# The host draws and checks NVFP4, which takes long.
list nvfp4.csv bf16:e2m1/1x16:bf16:packed "$small" 1 16 64 4096

list fp8_few.csv e4m3/row:e2m1/1x32:bf16:packed "$all" 1 16 64 128
list fp8_many.csv e4m3/row:e2m1/1x32:bf16:packed "$all" 256 4096
list fp8_in_call.csv bf16/fp8_row:e2m1/1x32:bf16:packed "$small" 1 16 64 256 4096

for shapes in few many nvfp4 fp8_few fp8_many fp8_in_call; do
  "$gemmtune" tune -i $shapes.csv -o ${shapes}_tuned.csv -o2 ${shapes}_profile.csv --libtype a16w4_wgmma,a8w4_wgmma \
    --regret 5 --budget "${seconds}s" > $shapes.txt 2>&1
  echo "tuning of $shapes ended with $?"
  tail -15 $shapes.txt
done
cut -d, -f4 few.csv many.csv | grep -v problem | sed 's/^/--problem /' > problems.txt
"$gemmtune" bench $(cat problems.txt) --families a16w4_wgmma,mxfp4_bf16 --tuned few_tuned.csv --tuned many_tuned.csv \
  -o beside.csv > beside.txt 2>&1
echo "timing beside cuBLASLt ended with $?"
cat beside.txt
"$gemmtune" stress --families a16w4_wgmma,a8w4_wgmma --budget 60s --problem 17x2880x2880:e4m3/row:e2m1/1x32:bf16:packed \
  --problem 300x2880x2880:e4m3/row:e2m1/1x32:bf16:packed --problem 16x8192x8192:bf16:e2m1/1x32:bf16:packed \
  --problem 17x2880x2880:bf16/fp8_row:e2m1/1x32:bf16:packed \
  --problem 17x2880x2880:bf16:e2m1/1x32:bf16:packed --problem 300x2880x2880:bf16:e2m1/1x16:bf16:packed > stress.txt 2>&1
echo "stress ended with $?"
tail -8 stress.txt
