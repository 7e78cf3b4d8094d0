// What the space of every family of our own kernels promises.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>

#include "gemmtune/space/space.h"

namespace gemmtune {

/// There are points, `most` at the most; each is a kernel, and its name says which. tile_of(point) is the kernel, and
/// why_not(tile) is "" if there is such a kernel.
template <typename TileOf, typename WhyNot>
void expect_kernels_with_names(const Space& space, std::size_t most, TileOf tile_of, WhyNot why_not) {
  const auto points = space.points();
  EXPECT_FALSE(points.empty());
  EXPECT_LE(points.size(), most);
  std::set<std::string> names;
  for (const auto& point : points) {
    const auto name = space.name(point);
    EXPECT_TRUE(names.insert(name).second) << name;
    const auto parsed = space.parse(name);
    ASSERT_TRUE(parsed) << name;
    EXPECT_EQ(tile_of(*parsed), tile_of(point)) << name;
    EXPECT_EQ(why_not(tile_of(point)), "") << name;
  }
}

}  // namespace gemmtune
