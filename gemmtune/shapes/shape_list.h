// The shapes to tune, from a CSV of one of AITER's kinds: M,N,K and optionally B, q_dtype_w, bias, dtype, outdtype,
// scaleAB, bpreshuffle, weight, layer. A column `problem` with the canonical text may replace all of them. Tuned tables
// can be read as shape lists too, without their result columns; so can captures, whose `calls` are the weights.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/core/csv.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

struct Shape {
  Problem problem{};
  double weight{1};     // number of calls, from a column `weight` or `calls`
  std::string where{};  // file:line
  std::string layer{};  // the layer of a model that the shape comes from, if it is known
};

/// Adds another occurrence of the same problem: weights are added, and layers are joined with +.
void add_shape(Shape& first, const Shape& again);

/// A line that could not be used, and why.
struct RejectedLine {
  std::string where{};  // file:line:column
  std::string reason{};
};

struct ShapeList {
  std::vector<Shape> shapes{};  // without exact duplicates: weights are added, and layers are joined with +
  std::vector<RejectedLine> rejected{};
  std::vector<std::string> ignored_columns{};  // columns of the file that have no meaning here
};

/// `defaults` supplies what the columns do not state. Throws Error{input} if there is neither a column `problem` nor M,
/// N and K.
ShapeList read_shapes(const std::filesystem::path& path, const Problem& defaults);
ShapeList read_shapes(const CsvDocument& document, const Problem& defaults);

}  // namespace gemmtune
