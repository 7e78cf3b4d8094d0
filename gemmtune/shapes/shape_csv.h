// Writes shape lists: M,N,K,problem,weight and, if layers are known, layer. read_shapes() reads them back.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "gemmtune/gemm/format.h"
#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

std::string shape_list_text(const std::vector<Shape>& shapes);

/// A list in the columns of AITER's untuned files for this format: M,N,K and, depending on the format, B, q_dtype_w,
/// bias, dtype, outdtype, scaleAB, bpreshuffle. `left_out` are shapes for which these columns do not say everything.
struct AiterList {
  std::string text{};
  std::vector<Shape> left_out{};
};

AiterList aiter_list(const std::vector<Shape>& shapes, Format format);

/// Keeps the first shape of each problem. As in read_shapes(), its weight becomes the sum of all weights, and layers
/// are joined.
std::vector<Shape> without_duplicates(const std::vector<Shape>& shapes);

/// Groups shapes by the name of their format, because each of AITER's tables and lists has one format. The name is
/// "other" for problems of none of AITER's formats.
std::map<std::string, std::vector<Shape>> by_format(const std::vector<Shape>& shapes);

/// The path of the list for one format: shapes.csv and a8w8 give shapes_a8w8.csv, so that the name states the format,
/// and so does shapes.
std::filesystem::path path_for_format(const std::filesystem::path& path, std::string_view format);

}  // namespace gemmtune
