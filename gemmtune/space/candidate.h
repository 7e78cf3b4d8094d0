// A kernel with all its parameters: what the tuner tries. Its identity is its name, never a library's index.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace gemmtune {

struct Param {
  std::string key{};
  std::string value{};

  auto operator<=>(const Param&) const = default;
};

struct Candidate {
  std::string family{};         // the CSV's libtype
  std::string name{};           // states every parameter; unique within the family: cpu_tile_f32_avx2_m6_n16_kc256_t2
  std::vector<Param> params{};  // the same parameters, taken apart for stores and reports
  std::int64_t split_k{1};      // the value for the CSV's column
  std::int64_t library_id{-1};  // the library's own index, if it has one: a hint, valid only for this build of it
  bool is_default{};            // what a library's users get without tuning; winners are compared with it

  /// Compares family and name, which determine everything else.
  bool operator==(const Candidate& other) const { return family == other.family && name == other.name; }
  auto operator<=>(const Candidate& other) const {
    if (auto order = family <=> other.family; order != 0) return order;
    return name <=> other.name;
  }
};

}  // namespace gemmtune
