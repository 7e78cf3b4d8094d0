// PyTorch's TunableOp files: those that it records (PYTORCH_TUNABLEOP_RECORD_UNTUNED) and those that it tuned. They are
// CSV without a header: an operation, its parameters and, where it was tuned, a solution and a time in milliseconds.
// Validators say with which libraries and on which device. PyTorch uses a file only if it has exactly the validators
// that PyTorch has itself, with the same values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/exchange/tunable_op.h"
#include "gemmtune/shapes/shape_list.h"
#include "gemmtune/space/library_kernel.h"

namespace gemmtune {

struct TunableOpEntry {
  TunedCall call{};
  std::string solution{};  // "" where nothing was tuned
  double time_us{};        // 0 if the line has no time
  std::string where{};     // file:line
};

struct TunableOpFile {
  std::vector<Param> validators{};
  std::vector<TunableOpEntry> entries{};
  std::vector<RejectedLine> rejected{};
};

/// The value of a validator; "" if there is none.
std::string validator(const std::vector<Param>& validators, std::string_view name);

/// The device of the validators, as tables call it: sm90 for CUDA_DEVICE "9.0:NVIDIA H100", gfx942 for GCN_ARCH_NAME
/// "gfx942:sramecc+:xnack-". "" if they do not say it.
std::string gfx_of(const std::vector<Param>& validators);

TunableOpFile read_tunable_op_file(std::string_view text, const std::string& source);

/// Each problem once; weight: how many lines have it.
ShapeList tunable_op_shapes(std::string_view text, const std::string& source);

/// A library's kernel as solutions name it: Gemm_Cublaslt_id_66_tile_23_….
std::string solution_text(const LibraryKernel& kernel);

/// Library and settings of such a solution. Nothing for others (Default, Gemm_Hipblaslt_1219).
std::optional<LibraryKernel> parse_solution(std::string_view solution);

/// A solution that is a library's number: Gemm_Hipblaslt_1219, Gemm_Rocblas_1216, and Gemm_Hipblaslt_TN_12 of older
/// versions.
struct NumberedSolution {
  std::string library{};  // "hipblaslt"
  std::int64_t number{};
};
std::optional<NumberedSolution> parse_numbered_solution(std::string_view solution);

/// The lines of results, in the order of their keys; of equal keys the first. `repeated` is how many were left out for
/// that.
struct TunableOpText {
  std::string text{};
  std::size_t repeated{};
};
TunableOpText tunable_op_text(const std::vector<Param>& validators, const std::vector<TunableOpEntry>& entries,
                              TorchBuild build);

/// The build that has these validators. Throws Error{input} if they are of none.
TorchBuild build_of(const std::vector<Param>& validators);

}  // namespace gemmtune
