// The shape lists under examples/shapes must read whole, in the format that their names say.
#include <gtest/gtest.h>

#include "gemmtune/shapes/shape_list.h"
#include "gemmtune/table/guess_format.h"

namespace gemmtune {
namespace {

TEST(Examples, AllShapeListsRead) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(GEMMTUNE_SOURCE) / "examples/shapes")) {
    if (entry.path().extension() != ".csv") continue;
    SCOPED_TRACE(entry.path().string());
    ++files;
    const auto guess = guess_format(entry.path());
    ASSERT_TRUE(guess);
    const auto list = read_shapes(entry.path(), defaults_of(*guess));
    EXPECT_TRUE(list.rejected.empty());
    EXPECT_TRUE(list.ignored_columns.empty());
    EXPECT_FALSE(list.shapes.empty());
    for (const auto& shape : list.shapes) EXPECT_EQ(shape.weight, 1) << "listed twice: " << to_string(shape.problem);
  }
  EXPECT_GE(files, 5);
}

}  // namespace
}  // namespace gemmtune
