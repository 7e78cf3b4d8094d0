// Shape lists as gemmtune writes them: M,N,K,problem,weight and, where layers are known, layer. read_shapes() takes
// them back.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

std::string shape_list_text(const std::vector<Shape>& shapes);

/// The first shape of each problem stays, with the sum of all its weights and its layers joined, as read_shapes()
/// does.
std::vector<Shape> without_duplicates(const std::vector<Shape>& shapes);

/// By the name of their format, "other" for problems of none of AITER's formats: each of AITER's tables and lists has
/// one format.
std::map<std::string, std::vector<Shape>> by_format(const std::vector<Shape>& shapes);

/// shapes.csv and a8w8 give shapes_a8w8.csv, so that the name states the format.
std::filesystem::path path_for_format(const std::filesystem::path& path, std::string_view format);

}  // namespace gemmtune
