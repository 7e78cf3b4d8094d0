// The shapes to tune, from a CSV of AITER's kinds: M,N,K and optionally B, q_dtype_w, bias, dtype, outdtype, scaleAB,
// bpreshuffle, weight.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/gemm/format.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

struct Shape {
  Problem problem{};
  double weight{1};  // calls, from a column `weight`
  std::string where{};  // file:line
};

/// A line that could not be used, and why.
struct RejectedLine {
  std::string where{};  // file:line:column
  std::string reason{};
};

struct ShapeList {
  std::vector<Shape> shapes{};  // exact duplicates merged, their weights added
  std::vector<RejectedLine> rejected{};
};

/// `defaults` gives what the columns do not say. Throws Error{input} when there is no M, N or K column.
ShapeList read_shapes(const std::filesystem::path& path, const Problem& defaults);

/// The format a shape file is for, from its name (a4w4, a8w8_blockscale, bf16, batched, …) and columns, if that is clear.
std::optional<Format> guess_format(const std::filesystem::path& path);

}  // namespace gemmtune
