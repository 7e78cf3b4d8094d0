// AITER's lists of assembly kernels, hsa/<device>/<kind>/<name>.csv: which kernels exist, however the columns are
// spelled (tile_m, tile_M, tileM). Lists of fused MoE, attention and others have other columns than tiles, and some
// have comments: lines that begin with //, #, ; or lie between /* and */.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/core/csv.h"

namespace gemmtune {

struct ListedKernel {
  std::string name{};         // mangled, as tables have it
  std::string code_object{};  // the file it is in
  std::int64_t tile_m{};      // 0 where the list has no tiles
  std::int64_t tile_n{};
  bool split_k{};
  bool packed{};  // whether it needs shuffled weights
  std::int64_t line{};

  bool operator==(const ListedKernel&) const = default;
};

struct KernelList {
  std::string source{};
  std::string gfx{};  // of the folder that contains the file; "" if the folder names no device
  std::vector<ListedKernel> kernels{};
};

/// The text with blank lines in place of comments, so that all other lines keep their numbers. A text whose first line
/// is no comment comes back as it is: in tables # and ; begin no comment.
std::string without_comments(std::string text);

/// Throws Error{input} with file:line:column for a file without a column of names, and for tiles that are not numbers.
KernelList kernel_list_of(const CsvDocument& document);
KernelList read_kernel_list(const std::filesystem::path& path);

/// The part that the names of one list have in common, in lower case: "f4gemm" for _ZN5aiter42f4gemm_bf16_per1x32Fp4_….
/// Empty for a name that is not mangled like this.
std::string kernel_stem(std::string_view mangled_name);

}  // namespace gemmtune
