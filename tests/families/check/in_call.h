// What a family does with a problem whose call quantises A (families/fp8_in_call.h), without a device.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gemmtune/families/family.h"

namespace gemmtune::check {

/// The family has the candidates of the product behind the quantiser, and compiles the quantiser too.
inline void expect_candidates_of_product(const KernelFamily& family, const std::string& text,
                                         const DeviceInfo& device) {
  const auto problem = parse_problem(text);
  ASSERT_EQ(family.supports(problem, device).why_not, "") << text;
  const auto product = product_in_call(problem);
  const auto candidates = family.candidates(problem, device);
  EXPECT_EQ(candidates, family.candidates(product, device)) << text;
  ASSERT_FALSE(candidates.empty()) << text;
  auto sources = family.kernels(problem, candidates.front(), device);
  ASSERT_FALSE(sources.empty()) << text;
  EXPECT_EQ(sources.back().name, "fp8_quantise_" + std::string(to_string(problem.a.type)) + ".cu");
  sources.pop_back();
  std::vector<std::string> names;
  for (const auto& source : family.kernels(product, candidates.front(), device)) names.push_back(source.name);
  ASSERT_EQ(sources.size(), names.size()) << text;
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(sources[i].name, names[i]) << text;
}

inline std::string why_not(const KernelFamily& family, const char* text, const DeviceInfo& device) {
  return family.supports(parse_problem(text), device).why_not;
}

}  // namespace gemmtune::check
