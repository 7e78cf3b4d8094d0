#include "gemmtune/report/known_errors.h"

#include <array>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

constexpr std::array errors{
    KnownError{
        .name = "no list of assembly kernels",
        .patterns = "ASM kernel list file not exist|No such file or directory*/hsa/*.csv",
        .example = "ASM kernel list file not exist: /opt/aiter/hsa/gfx942/f4gemm/f4gemm_bf16_per1x32Fp4.csv",
        .cause =
            "This GPU's architecture has no assembly kernels of this format in the installation, or AITER_META_DIR "
            "points elsewhere. The tuner goes on with the other libraries, so that its table has no asm rows.",
        .fix =
            "Look whether hsa/<arch>/ holds the list. If it does and the message names hsa/ without it, the tuner "
            "looks "
            "one folder too high: ln -sf gfx950/f4gemm \"$HSA_DIR/f4gemm\", in every installation (/root/aiter/hsa and "
            "/app/aiter-test/hsa). If it does not, install AITER with its hsa folder or set AITER_META_DIR to it. If "
            "the architecture has none (MXFP4 on gfx942), nothing is wrong."},
    KnownError{
        .name = "list of kernels in another spelling",
        .patterns = "KeyError: 'tile_m'|KeyError: 'tile_n'|KeyError: 'tile_M'|KeyError: 'tile_N'",
        .example = "KeyError: 'tile_m'",
        .cause =
            "The list of assembly kernels and the tuner are of different versions: the columns tile_m and tile_n of "
            "f4gemm lists became tile_M and tile_N in November 2025.",
        .fix =
            "Take tuner and hsa folder from one version of AITER, or rename the columns in every installation, since "
            "the tuner may import from another one than it runs from: sed -i '1s/tile_M/tile_m/g; 1s/tile_N/tile_n/g' "
            "f4gemm_bf16_per1x32Fp4.csv. `gemmtune table lint` reads lists in either spelling."},
    KnownError{
        .name = "scales of another K than the weights",
        .patterns = "shape * is invalid for input of size|size of tensor a * must match the size of tensor b|mat1 and "
                    "mat2 shapes cannot be multiplied",
        .example =
            "RuntimeError: The size of tensor a (36224) must match the size of tensor b (36352) at non-singleton "
            "dimension 1",
        .cause =
            "K is no multiple of 256: MXFP4's scales were padded to 8 columns, which stand for 256 values of K each, "
            "and then read without their padding (36224 became 36352). Multiples of 128 alone are not enough.",
        .fix =
            "Pad K of the weights to a multiple of 256 with zeros and zero scales, or use a version after April 2026, "
            "which does so. In older ones cut both to the shorter in run_torch(): _k = min(x_f32.shape[1], "
            "x_scales_f32.shape[1]); x_f32 = x_f32[:, :_k] * x_scales_f32[:, :_k]. Check such shapes with `gemmtune "
            "tune`: in versions between, results were silently wrong."},
    KnownError{
        .name = "command mangled by ssh",
        .patterns = "Ambiguous output redirect|Illegal variable name|event not found",
        .example = "Illegal variable name.",
        .cause =
            "The remote shell read redirections, quotes or $! of a command that was typed into ssh, and it is another "
            "shell (csh) or reads them a second time.",
        .fix =
            "Write the command, with its docker run, its redirections and its $!, into a launcher script, copy it with "
            "scp, and run it: ssh NODE 'bash /path/launch.sh'."},
    KnownError{
        .name = "no kernel takes this K",
        .patterns = "0 shapes tuned|all*candidates fail|no valid*candidate|K=29568*not supported",
        .example = "all kernel candidates failed, 0 shapes tuned",
        .cause =
            "No kernel of any library takes the shape. Known for K = 29568, which is a multiple of 128 and not of 256.",
        .fix = "There is none for that K: pad K to a multiple of 256 with zeros and zero scales, and tune the padded "
               "shape."},
    KnownError{
        .name = "K is no multiple of 256",
        .patterns =
            "K % 256|K must be*multiple of 256|K should be*multiple of 256|K=* is not a multiple of 256|K must be "
            "divisible by 256|Kdim % 256",
        .example = "AssertionError: K % 256 == 0",
        .cause = "MXFP4's kernels read scales in blocks of 8, one for 32 values of K.",
        .fix =
            "Pad K to a multiple of 256 with zeros and zero scales (a scale byte of 0, not 127), or leave the shape to "
            "another library."},
    KnownError{
        .name = "N is no multiple of 128",
        .patterns =
            "N % 128|N must be*multiple of 128|N should be*multiple of 128|N=* is not a multiple of 128|N must be "
            "divisible by 128|N % tileN",
        .example = "AssertionError: N must be a multiple of 128, got N=576",
        .cause =
            "Assembly kernels and 128x128 block scales have tiles of 128 columns; N = 576, 2112 or 2880 fits none.",
        .fix =
            "Pad N of the weights and cut the output, fuse projections so that N fits, or take CK, Triton or hipBLASLt "
            "for this shape: each library's failure stands alone."},
    KnownError{
        .name = "kernel does not take this shape",
        .patterns = "This GEMM is not supported",
        .example = "RuntimeError: This GEMM is not supported!",
        .cause =
            "CK compiles kernels without padding: this one's tile does not divide M, N or K, or its split of K. While "
            "tuning that is ordinary, most candidates of a shape say so. In a server it means a table's row for "
            "another build of the library, or a fallback that takes N only for small M.",
        .fix = "While tuning: nothing, assembly kernels often still take the shape. In a server: tune this shape with "
               "the installed build, and hold the table against "
               "it with `gemmtune table lint`."},
    KnownError{
        .name = "no heuristic kernel",
        .patterns = "cannot get heuristic kernel",
        .example = "RuntimeError: get_heuristic_kernel: cannot get heuristic kernel!",
        .cause = "No row serves this shape, and no assembly kernel's tile suits it (M=32800, N=2112 is one).",
        .fix = "Tune the shape, so that a row names a kernel; `gemmtune table coverage` shows which shapes have none."},
    KnownError{
        .name = memory_fault_of_n,
        .patterns = "N=576*Memory access fault|Memory access fault*N=576",
        .example = "tuning M=16 N=576 K=7168\nMemory access fault by GPU node-1 (Agent handle: 0x1819170)",
        .cause = "Assembly and CK-Tile kernels need N to be a multiple of 128. N = 576 is one of 64 only: they read "
                 "past the "
                 "end of the weights.",
        .fix =
            "Leave such shapes out of AITER's tuner, or pad N of the weights to a multiple of 128 and cut the output. "
            "`gemmtune tune` runs kernels in workers of their own, where a fault costs one candidate."},
    KnownError{
        .name = many_memory_faults,
        .patterns = "faults on all shapes|consistent GPU memory faults",
        .example = "M=1 N=512 K=7168\nMemory access fault by GPU node-1\nM=2 N=512 K=7168\nMemory access fault by GPU "
                   "node-1\nM=4 N=512 K=7168\nMemory access fault by GPU node-1",
        .cause =
            "Shapes that have nothing in common fault: the node's GPU may be bad, or one fault brings down a pool of "
            "many processes (--mp 8) after its first batch.",
        .fix = "Run the same list on another node. If it works there, leave this node out and have its GPU looked at "
               "(dmesg, rocm-smi). If not, tune in groups of one N and K, each with --mp 1 --batch SIZE under timeout "
               "600, "
               "so that a crash costs one group; `gemmtune shapes split` cuts lists, and `gemmtune tune` needs no "
               "groups."},
    KnownError{
        .name = memory_fault,
        .patterns = "Memory access fault by GPU|illegal memory access was encountered|HSA_STATUS_ERROR_MEMORY",
        .example =
            "Memory access fault by GPU node-1 (Agent handle: 0x1819170) on address 0x2dfcc737b000. Reason: Page "
            "not present or supervisor privilege.",
        .cause =
            "A kernel read or wrote outside of its buffers. The process is lost with all that it had in memory, and "
            "where one process tunes many shapes, so are their results. Known for assembly kernels on skinny shapes "
            "(M=1, N=1536, K=128).",
        .fix = "Find the shape in the lines above and leave that kernel out for it. `gemmtune tune` runs kernels in "
               "workers of their own: such a kernel costs one row, is quarantined, and its reproducer is printed."},
    KnownError{
        .name = "pool of workers hangs",
        .patterns = "pool hangs|Process PID not in GPU map|Mapping Error*KeyError|Task * timed out|pool restart",
        .example = "[aiter] [Mapping Error] Task 254 - Process PID not in GPU map: KeyError - 879",
        .cause =
            "A worker died and was replaced by one that the tuner does not know, or a kernel does not come back. The "
            "task is never finished, and the run waits for ever, often at full CPU load.",
        .fix =
            "End the run, give --timeout (versions before July 2026 have none by default) and --mp 1, and begin again: "
            "shapes that are in the table are skipped. If it hangs again, tune in groups of one N and K, each with "
            "--mp 1 "
            "--batch SIZE under timeout 600. `gemmtune tune` watches its workers by their process and goes "
            "on."},
    KnownError{
        .name = "Gluon is missing",
        .patterns = "No module named*gluon|FileNotFoundError*gluon*.json|Gluon FP4 GEMM not available",
        .example = "ModuleNotFoundError: No module named 'gluon'",
        .cause = "The image is older than AITER's Gluon kernels.",
        .fix = "Copy the kernel and its configuration from a newer AITER: aiter/ops/triton/gluon/gemm_afp4wfp4.py and "
               "aiter/ops/triton/configs/gemm/gluon/gfx950-GEMM-AFP4WFP4.json."},
    KnownError{
        .name = "configuration needs more than the GPU has",
        .patterns = "OutOfResources|out of resource:|exceeds triton maximum tensor numel",
        .example =
            "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 327680, Hardware limit: "
            "163840.",
        .cause =
            "A block size or a number of stages needs more shared memory or registers than this GPU has. While tuning "
            "that is ordinary.",
        .fix = "While tuning: nothing, the configuration is left out. In a server: tune on this GPU, or take a "
               "configuration with smaller blocks or fewer stages."},
    KnownError{
        .name = "configuration of a kernel is missing",
        .patterns =
            "FileNotFoundError*.json|No such file or directory*.json|Required config file doesn't exist|KeyError: "
            "'any'|KeyError: 'BLOCK_SIZE",
        .example = "FileNotFoundError: [Errno 2] No such file or directory: "
                   "'/opt/aiter/ops/triton/configs/gemm/gfx950-GEMM-AFP4WFP4-N=512-K=7168.json'",
        .cause =
            "Triton's kernels read their block sizes from JSON files named by architecture, kernel, N and K; there is "
            "none for this one, or it has no entry for this M and none for `any`.",
        .fix =
            "Write the file: `gemmtune table triton to-json` makes it of a table, `gemmtune table triton resolve` says "
            "which file and which entry serve a shape."},
    KnownError{
        .name = "module is missing",
        .patterns =
            "ModuleNotFoundError|ImportError|cannot open shared object file|undefined symbol|failed to load module",
        .example = "ModuleNotFoundError: No module named 'aiter.jit.module_gemm_a4w4_blockscale_tune'",
        .cause = "An extension was not built, or for another version of Python, PyTorch or the GPU's libraries.",
        .fix =
            "Build it again in this environment (AITER_REBUILD=1 removes what is there), or install what the message "
            "names."},
    KnownError{
        .name = "tables with the same shapes",
        .patterns = "duplicate*re-run|duplicated*config*merge|cannot merge*duplicate",
        .example = "RuntimeError: Found duplicate shapes in merged configs, the files are updated. Please re-run.",
        .cause =
            "Two tuned tables have rows of one key. AITER then rewrites both files and stops; where they cannot be "
            "written, every start fails.",
        .fix = "Merge them once, `gemmtune table merge A.csv B.csv -o OURS.csv`, and name that file alone in "
               "AITER_CONFIG_GEMM_<FAMILY>."},
    KnownError{
        .name = "table has no row for a shape",
        .patterns = "not found tuned config|can not find tuned config|using default config",
        .example = "[aiter] shape is M:2095, N:2688, K:7168, not found tuned config in /tmp/aiter_configs/"
                   "bf16_tuned_gemm.csv, will use default config!",
        .cause =
            "The library asks for sizes, types or a device that the table does not have. Fused projections change N, "
            "another card's cu_num hides the whole file.",
        .fix =
            "`gemmtune lookup --explain` shows what was asked and what is near; `gemmtune table coverage` counts the "
            "misses of a workload; `gemmtune shapes from-capture` makes a list to tune of what was asked for."},
    KnownError{
        .name = "kernel is not in this build",
        .patterns = "not present in the compiled registry|unknown flydsl kernel|invalid solidx|solution index*not",
        .example = "RuntimeError: kernel a4w4_blockscale_256x32x128x128_v9 is not present in the compiled registry",
        .cause =
            "The table was tuned with another build of the library: names come and go, and the numbers of hipBLASLt's "
            "solutions change with every build.",
        .fix = "Hold the table against the build with `gemmtune table lint`, drop the rows it names, and tune these "
               "shapes again."},
    KnownError{.name = "flags of another version",
               .patterns =
                   "argument --sort: expected one argument|--update_improved requires --compare|error: unrecognized "
                   "arguments",
               .example = "gemm_a4w4_blockscale_tune.py: error: argument --sort: expected one argument",
               .cause = "The tuner's options changed: --sort was a flag and takes True or False since.",
               .fix = "Write --sort True. `gemmtune tune` takes both forms."},
    KnownError{
        .name = "out of memory",
        .patterns =
            "OutOfMemoryError|HIP out of memory|CUDA out of memory|hipErrorOutOfMemory|CUDA_ERROR_OUT_OF_MEMORY|"
            "std::bad_alloc|Cannot allocate memory",
        .example = "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 12.00 GiB.",
        .cause =
            "Operands are copied several times, so that none is found in a cache; for the largest shapes, or beside "
            "a server on the same card, that is more than there is.",
        .fix = "Tune on a card of its own, leave the largest shapes out (`--max-gflop`), or begin with fewer workers."},
    KnownError{
        .name = "candidates that crashed or hung",
        .patterns = "is given up:|worker*died|killed by signal|Segmentation fault",
        .example = "worker 0 is given up: it died 3 times in a row",
        .cause =
            "A kernel brought its worker down, or did not come back in time. The worker was started again, and the "
            "candidate is quarantined; a worker that dies again and again is given up.",
        .fix = "`gemmtune status` shows which candidates failed and how to reproduce each. A worker that is given up "
               "at its "
               "start misses something: `gemmtune worker-check` says what."},
    KnownError{
        .name = "no space on the disk",
        .patterns = "No space left on device|database or disk is full",
        .example = "OSError: [Errno 28] No space left on device",
        .cause = "The disk or the quota is full.",
        .fix =
            "Make room and run the same command again: gemmtune's store has every trial that was finished, and the run "
            "goes on from there."},
    KnownError{.name = "another run has the store",
               .patterns = "trials store*is being written|trials store*in use",
               .example = "gemmtune: the trials store tuned.trials.db is in use by process 4711 on node1",
               .cause = "One run writes a store at a time.",
               .fix = "Wait for it (`gemmtune status` shows how far it is), or name another store with --store."},
    KnownError{
        .name = "no device",
        .patterns =
            "no CUDA-capable device|No HIP GPUs are available|there is no '*'; see gemmtune devices|CUDA driver "
            "version is insufficient",
        .example = "RuntimeError: No HIP GPUs are available",
        .cause =
            "The process sees no GPU: it is hidden by HIP_VISIBLE_DEVICES or CUDA_VISIBLE_DEVICES, the container was "
            "begun without it, or the driver does not fit the libraries.",
        .fix = "`gemmtune devices` lists what this process sees. Begin containers with the device (--device /dev/kfd "
               "--device /dev/dri, or --gpus all)."}};

bool pieces_fit(std::string_view pattern, std::string_view line) {
  std::size_t from = 0;
  for (const auto piece : split(pattern, '*')) {
    const auto at = line.find(piece, from);
    if (at == std::string_view::npos) return false;
    from = at + piece.size();
  }
  return true;
}

}  // namespace

std::span<const KnownError> known_errors() { return errors; }

bool fits(std::string_view pattern, std::string_view line) { return pieces_fit(to_lower(pattern), to_lower(line)); }

}  // namespace gemmtune
