#include "gemmtune/table/sheet/sheet.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

Sheet read(std::string_view text) { return sheet_of(parse_csv(text, "t.csv")); }

std::string key(const Sheet& sheet, std::size_t row = 0) { return KeyReader(sheet).text(sheet.rows.at(row)); }

TEST(Sheet, KnowsWhatColumnsAreFor) {
  const auto sheet = read("gfx,cu_num,m,N,K,libtype,solidx,splitK,us,kernelName,err_ratio,tflops,note\n");
  std::vector<Role> roles;
  for (const auto& column : sheet.columns) roles.push_back(column.role);
  EXPECT_EQ(roles,
            (std::vector{Role::device, Role::device, Role::key, Role::key, Role::key, Role::choice, Role::kernel_id,
                         Role::choice, Role::time, Role::kernel_name, Role::error, Role::derived, Role::carried}));
  EXPECT_EQ(sheet.column("kernelid"), 6U);
  EXPECT_EQ(sheet.column("errRatio"), 10U);
  EXPECT_EQ(sheet.column("NOTE"), 12U);
  EXPECT_EQ(sheet.column("q_dtype_w"), std::nullopt);
  EXPECT_EQ(sheet.kind, TableKind::gemm);
}

TEST(Sheet, InAListOfKernelsOnlyTheNameIsAKey) {
  const auto sheet = read("tile_M,tileN,splitK,bpreshuffle,knl_name,co_name\n32,128,0,1,_ZN5aiterE,a.co\n");
  EXPECT_EQ(sheet.kind, TableKind::kernel_list);
  EXPECT_EQ(key(sheet), "knl_name=_ZN5aiterE");
  EXPECT_EQ(sheet.columns[3].role, Role::choice);
}

TEST(Sheet, KeysAreComparedByValue) {
  const auto a =
      read("gfx,cu_num,M,N,K,bias,dtype,bpreshuffle,us\ngfx950,256,1,512,4096,True,torch.bfloat16,False,2\n");
  const auto b = read("K,N,M,cu_num,dtype,bias,us\n4096.0, 512,\"1\",256,dtypes.bf16,TRUE,3\n");
  EXPECT_EQ(key(a), "gfx=gfx950,cu_num=256,M=1,N=512,K=4096,bias=1,dtype=torch.bfloat16");
  EXPECT_EQ(key(a), key(b));
}

TEST(Sheet, FillsGfxByTheRule) {
  const auto sheet = read("cu_num,M,N,K\n256,1,1,1\n80,1,1,1\n304,1,1,1\n132,1,1,1\n,1,1,1\n");
  std::vector<std::string> found;
  for (const auto& row : sheet.rows) found.push_back(gfx_of(sheet, row));
  EXPECT_EQ(found, (std::vector<std::string>{"gfx950", "gfx942", "gfx942", "", ""}));
}

TEST(Sheet, ATimeIsANumberAboveNought) {
  const auto sheet = read("M,N,K,us\n1,1,1,2.5\n2,1,1,0\n3,1,1,-1\n4,1,1,inf\n5,1,1,nan\n6,1,1,Null\n7,1,1,\n");
  EXPECT_EQ(time_us(sheet, sheet.rows[0]), 2.5);
  for (std::size_t i = 1; i < sheet.rows.size(); ++i) EXPECT_EQ(time_us(sheet, sheet.rows[i]), std::nullopt) << i;
}

TEST(Sheet, SaysWhyALineIsNoRowAndKeepsIt) {
  const std::string text =
      "M,N,K,us,note\n"
      "1,1,1,2.5,\n"
      "1, one,1,2.5,\n"
      "0,1,1,2.5,\n"
      "1,1,1,fast,\n"
      "1,1,1,2.5,,,x\n"
      "1,1\n";
  const auto sheet = read(text);
  EXPECT_EQ(sheet.rows.size(), 1U);
  std::vector<std::string> reasons;
  for (const auto& line : sheet.unusable) reasons.push_back(line.where + ": " + line.reason);
  EXPECT_EQ(reasons, (std::vector<std::string>{
                         "t.csv:3:4: N: found 'one', expected a whole number above 0",
                         "t.csv:4:1: M: found '0', expected a whole number above 0",
                         "t.csv:5:7: us: found 'fast', expected a number",
                         "t.csv:6:13: found 'x' beyond the last column, note",
                         "t.csv:7:3: 2 cells, the header has 5: the line was cut, or a cell is missing",
                     }));
  EXPECT_EQ(sheet_text(sheet), text);
}

TEST(Sheet, ALineThatWasCutIsNoRow) {
  const std::string header = "M,N,K,us,kernelName,errRatio\n";
  EXPECT_EQ(read(header + "1,2,4,9.5,good,0.0\n1,2,4,1.25,wrong").rows.size(), 1U);
  EXPECT_EQ(read(header + "1,2,4,1.25,wrong\n1,2,4,9.5,good,0.0").rows.size(), 1U) << "in the middle too";
  EXPECT_EQ(read(header + "1,2,4,9.5,good,0.0").rows.size(), 1U) << "only its end of line is missing";
  EXPECT_EQ(read("M,N,K,us,\n1,2,4,9.5\n").rows.size(), 1U) << "the last column has no name";
}

TEST(Sheet, UnknownColumnsLeftOfTheResultsAreKeys) {
  const auto sheet = read("gfx,M,N,K,a_dtype,Unnamed: 5,libtype,us,note,tflops\ng,1,2,4,fp8,0,ck,1,x,2\n");
  EXPECT_EQ(key(sheet), "gfx=g,M=1,N=2,K=4,a_dtype=fp8");
  const auto list = read("M,N,K,b_dtype,A_dtype,calls\n1,2,4,fp4,fp8,7\n");
  EXPECT_EQ(key(list), "M=1,N=2,K=4,a_dtype=fp8,b_dtype=fp4");
  EXPECT_EQ(read("q_dtype_a2,token,model_dim,block_m,block_m2,us\n").columns[0].role, Role::key);
  EXPECT_EQ(read("q_dtype_a2,token,model_dim,block_m,block_m2,us\n").columns[4].role, Role::carried);
  EXPECT_EQ(read("vskip,knl_name,atm\n").columns[0].role, Role::carried) << "properties of a kernel";
}

TEST(Sheet, AColumnThatStandsTwiceIsAnError) {
  const auto error_of = [](std::string_view text) {
    try {
      (void)read(text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(error_of("M,N,K,us,kernelName,us\n"),
            "t.csv:1:1: the column us stands twice, as us and as us: nothing says which one counts");
  EXPECT_EQ(error_of("M,N,K,us,kernelName,soltimes\n"),
            "t.csv:1:1: the column us stands twice, as us and as soltimes: nothing says which one counts");
  EXPECT_NE(error_of("m,M,N,K,us\n"), "");
  EXPECT_NE(error_of("a_dtype,A_dtype,M,N,K,us\n"), "");
  EXPECT_EQ(error_of("M,N,K,us,note,note\n"), "") << "carried along";
}

TEST(Sheet, SoltimesIsATime) {
  const auto sheet = read("M,N,K,soltimes\n1,2,4,8.3\n");
  EXPECT_EQ(time_us(sheet, sheet.rows.at(0)), 8.3);
}

TEST(Sheet, TheFeaturesOfADeviceDoNotCount) {
  const auto sheet = read("gfx,cu_num,M,N,K,us\ngfx942:sramecc+:xnack-,304,1,2,4,1\ngfx942,304,1,2,4,1\n");
  EXPECT_EQ(key(sheet, 0), key(sheet, 1));
}

TEST(Sheet, ANameThatBeginsWithAByteOrderMarkKeepsIt) {
  const auto sheet = read("\xEF\xBB\xBF\xEF\xBB\xBFnote,M,N,K\na,1,1,1\n");
  EXPECT_EQ(read(sheet_text(sheet)).columns, sheet.columns);
}

TEST(Sheet, SaysWhereACellStands) {
  const auto sheet = read("M,N,K\n\n1,  \"2\",3\n");
  EXPECT_EQ(sheet.where(sheet.rows[0]), "t.csv:3");
  EXPECT_EQ(sheet.where(sheet.rows[0], 1), "t.csv:3:5");
}

}  // namespace
}  // namespace gemmtune
