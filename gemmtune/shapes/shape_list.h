// The shapes to tune, from a CSV of AITER's kinds: M,N,K and optionally B, q_dtype_w, bias, dtype, outdtype, scaleAB,
// bpreshuffle, weight. Tuned tables read as shape lists too: their result columns are ignored.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/core/csv.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

struct Shape {
  Problem problem{};
  double weight{1};     // calls, from a column `weight`
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
  std::vector<std::string> ignored_columns{};  // in the file, and of no meaning here
};

/// `defaults` gives what the columns do not say. Throws Error{input} when there is no M, N or K column.
ShapeList read_shapes(const std::filesystem::path& path, const Problem& defaults);
ShapeList read_shapes(const CsvDocument& document, const Problem& defaults);

}  // namespace gemmtune
