// The shapes to tune, from a CSV of AITER's kinds: M,N,K and optionally B, q_dtype_w, bias, dtype, outdtype, scaleAB,
// bpreshuffle, weight, layer. Or from a column `problem` with the canonical text, which says everything. Tuned tables
// can be read as shape lists too, without their result columns; so can captures, whose `calls` are weights.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/core/csv.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

struct Shape {
  Problem problem{};
  double weight{1};     // calls, from a column `weight` or `calls`
  std::string where{};  // file:line
  std::string layer{};  // where in a model it comes from, if known
};

/// Adds the same problem once more: weights are added, layers joined by +.
void add_shape(Shape& first, const Shape& again);

/// A line that could not be used, and why.
struct RejectedLine {
  std::string where{};  // file:line:column
  std::string reason{};
};

struct ShapeList {
  std::vector<Shape> shapes{};  // exact duplicates merged: weights added, layers joined by +
  std::vector<RejectedLine> rejected{};
  std::vector<std::string> ignored_columns{};  // columns of the file that mean nothing here
};

/// `defaults` supplies what the columns do not say. Throws Error{input} if there is neither a column `problem` nor M,
/// N and K.
ShapeList read_shapes(const std::filesystem::path& path, const Problem& defaults);
ShapeList read_shapes(const CsvDocument& document, const Problem& defaults);

}  // namespace gemmtune
