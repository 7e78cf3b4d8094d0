// Tuning files of AMD's BLAS libraries: a header and a row for each product, with the index of the kernel to run.
//   hipBLASLt   HIPBLASLT_TUNING_FILE writes "Git Version: …", a header and a row each time that hipblaslt-bench runs;
//               HIPBLASLT_TUNING_OVERRIDE_FILE makes programs use it
//   rocBLAS     ROCBLAS_TENSILE_GEMM_OVERRIDE_PATH: indices without times
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

enum class AmdLibrary { hipblaslt, rocblas };

/// The library whose tuning file has this first line.
std::optional<AmdLibrary> tuning_file_of(std::string_view first_line);

/// One row: the kernel that was the fastest for a product.
struct LibraryChoice {
  Problem problem{};
  std::int64_t solution_index{-1};
  std::string kernel_name{};  // "" if the file has no names
  double time_us{};           // 0 if the file has no times
  std::string where{};        // file:line
};

struct LibraryTuning {
  AmdLibrary library{AmdLibrary::hipblaslt};
  std::string git_version{};  // of hipBLASLt, from the last of its lines
  std::vector<LibraryChoice> choices{};
  std::vector<RejectedLine> rejected{};
};

LibraryTuning read_library_tuning(std::string_view text, const std::string& source);

/// Why a row cannot be said in hipBLASLt's file, or "".
std::string why_no_hipblaslt(const Problem& problem);

/// The file for HIPBLASLT_TUNING_OVERRIDE_FILE: the git version, then a header and a row for each choice. Only for
/// choices whose problem why_no_hipblaslt() does not refuse.
std::string hipblaslt_tuning_text(std::string_view git_version, const std::vector<LibraryChoice>& choices);

}  // namespace gemmtune
