#include "gemmtune/table/sheet/key_order.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

std::string sorted_text(std::string_view text) { return sheet_text(sorted_by_key(sheet_of(parse_csv(text)))); }

TEST(KeyOrder, IsAitersByValueWithNBeforeM) {
  EXPECT_EQ(sorted_text("gfx,cu_num,M,N,K,us\n"
                        "gfx950,256,16,8,8,1\n"
                        "gfx942,304,2,8,8,2\n"
                        "gfx942,80,2,16,8,3\n"
                        "gfx942,80,10,8,8,4\n"
                        "gfx942,80,9,8,8,5\n"
                        ",80,2,8,16,6\n"),
            "gfx,cu_num,M,N,K,us\n"
            ",80,2,8,16,6\n"
            "gfx942,80,9,8,8,5\n"
            "gfx942,80,10,8,8,4\n"
            "gfx942,80,2,16,8,3\n"
            "gfx942,304,2,8,8,2\n"
            "gfx950,256,16,8,8,1\n");
}

TEST(KeyOrder, RowsOfEqualKeysStayAsTheyWere) {
  const std::string text = "M,N,K,us\n1,8,8,3\n1.0,8,8,1\n 1,8,8,2\n";
  EXPECT_EQ(sorted_text(text), text);
}

TEST(KeyOrder, WhatIsNotSaidGoesFirstThenNumbersBelowNought) {
  EXPECT_EQ(sorted_text("token,model_dim,topk,act_type\n1,8,2,b\n1,8,2,a\n1,8,-1,c\n1,8,,d\n"),
            "token,model_dim,topk,act_type\n1,8,,d\n1,8,-1,c\n1,8,2,a\n1,8,2,b\n");
}

TEST(KeyOrder, ListsOfKernelsGoByName) {
  EXPECT_EQ(sorted_text("tile_m,knl_name\n2,b\n1,c\n3,a\n"), "tile_m,knl_name\n3,a\n2,b\n1,c\n");
}

}  // namespace
}  // namespace gemmtune
