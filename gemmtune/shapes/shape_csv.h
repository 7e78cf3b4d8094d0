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

/// The first of each problem stays, with the weights of all of them and their layers joined, as read_shapes() does.
std::vector<Shape> without_duplicates(const std::vector<Shape>& shapes);

/// By the name of their format, "other" for what is none of AITER's: tables and lists of AITER's have one format each.
std::map<std::string, std::vector<Shape>> by_format(const std::vector<Shape>& shapes);

/// shapes.csv and a8w8 give shapes_a8w8.csv, whose format is then clear from its name.
std::filesystem::path path_for_format(const std::filesystem::path& path, std::string_view format);

}  // namespace gemmtune
