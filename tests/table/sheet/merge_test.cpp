#include "gemmtune/table/sheet/merge.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"
#include "tests/table/random_tables.h"

namespace gemmtune {
namespace {

using Texts = std::vector<std::string>;

Sheet read(std::string_view text, std::string name = "t.csv") { return sheet_of(parse_csv(text, std::move(name))); }

Merged merge_texts(const Texts& texts, MergePolicy policy = MergePolicy::fastest) {
  std::vector<Sheet> sheets;
  for (std::size_t i = 0; i < texts.size(); ++i)
    sheets.push_back(read(texts[i], std::string(1, static_cast<char>('a' + i)) + ".csv"));
  return merge(sheets, policy);
}

std::string merged(const Texts& texts, MergePolicy policy = MergePolicy::fastest) {
  return sheet_text(merge_texts(texts, policy).sheet);
}

constexpr std::string_view header = "cu_num,M,N,K,us,kernelName\n";

std::string table(const std::string& rows) { return std::string(header) + rows; }

TEST(Merge, TheFastestRowOfEachKeyStays) {
  const auto result = merge_texts({table("256,2,8,8,5,slow\n256,1,8,8,1,only\n"), table("256,2.0,8, 8,4,fast\n")});
  EXPECT_EQ(sheet_text(result.sheet), table("256,1,8,8,1,only\n256,2.0,8, 8,4,fast\n"));
  ASSERT_EQ(result.duplicates.size(), 1U);
  const auto& duplicate = result.duplicates.front();
  EXPECT_EQ(duplicate.key, "gfx=gfx950,cu_num=256,M=2,N=8,K=8");
  EXPECT_EQ(duplicate.kept, "b.csv:2");
  EXPECT_EQ(duplicate.dropped, "a.csv:2");
  EXPECT_EQ(duplicate.kept_us, 4);
  EXPECT_EQ(duplicate.dropped_us, 5);
  EXPECT_FALSE(duplicate.is_copy);
}

TEST(Merge, ARowWithoutATimeStaysOnlyWhereNoneHasOne) {
  for (const auto policy : {MergePolicy::fastest, MergePolicy::newest, MergePolicy::first})
    for (const auto* time : {"0", "-1", "inf", "nan", "Null", ""}) {
      const auto placeholder = table(std::string("256,1,8,8,") + time + ",none\n");
      const auto timed = table("256,1,8,8,9,timed\n");
      EXPECT_EQ(merged({placeholder, timed}, policy), timed) << time;
      EXPECT_EQ(merged({timed, placeholder}, policy), timed) << time;
      EXPECT_EQ(merged({placeholder, placeholder}, policy), placeholder) << time;
    }
}

TEST(Merge, AFastRowThatIsWrongLosesAgainstASlowOneThatIsNot) {
  const auto row = [](const std::string& us, const std::string& errors) {
    return "M,N,K,us,errRatio\n1,8,8," + us + "," + errors + "\n";
  };
  const auto wrong = row("1", "0.051"), right = row("9", "0.05"), unsaid = row("8", "");
  EXPECT_EQ(merged({wrong, right}), right);
  EXPECT_EQ(merged({right, wrong}), right);
  EXPECT_EQ(merged({wrong, right, unsaid}), unsaid) << "a missing ratio is not over the limit";
  EXPECT_EQ(merged({row("2", "6%"), wrong}), wrong) << "the fastest of wrong rows stays";
  EXPECT_EQ(merged({row("inf", "0.0"), wrong}), wrong) << "a placeholder is no result";
  EXPECT_EQ(merged({wrong, right}, MergePolicy::first), wrong) << "the other policies do not look";
}

TEST(Merge, FusedMoeMayBeWrongTwiceAsOften) {
  const auto row = [](const std::string& us, const std::string& errors) {
    return "token,model_dim,err1,err2,us\n1,8," + errors + "," + us + "\n";
  };
  EXPECT_EQ(merged({row("1", "0.0,0.1"), row("2", "0.0,0.0")}), row("1", "0.0,0.1"));
  EXPECT_EQ(merged({row("1", "0.0,10.1%"), row("2", "0.0,0.0")}), row("2", "0.0,0.0"));
}

TEST(Merge, PoliciesOfOrder) {
  const Texts texts{table("256,1,8,8,3,a\n"), table("256,1,8,8,1,b\n"), table("256,1,8,8,2,c\n")};
  EXPECT_EQ(merged(texts, MergePolicy::fastest), texts[1]);
  EXPECT_EQ(merged(texts, MergePolicy::first), texts[0]);
  EXPECT_EQ(merged(texts, MergePolicy::newest), texts[2]);
}

TEST(Merge, TheNewestIsTheOneOfTheLatestDate) {
  const std::string old = "M,N,K,us,date\n1,8,8,1,2026-01-02T00:00:00Z\n";
  const std::string young = "M,N,K,us,date\n1,8,8,2,2026-11-02T00:00:00Z\n";
  const std::string undated = "M,N,K,us,date\n1,8,8,3,\n";
  EXPECT_EQ(merged({young, old, undated}, MergePolicy::newest), young);
}

TEST(Merge, AConflictIsAnErrorWhenAskedFor) {
  const auto a = table("256,1,8,8,3,a\n");
  EXPECT_EQ(merged({a, a, table("256, 1,8,8,3,a\n")}, MergePolicy::error), table("256, 1,8,8,3,a\n"))
      << "copies are no conflict";
  try {
    merged({a, table("256,1,8,8,4,a\n")}, MergePolicy::error);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    EXPECT_STREQ(error.what(),
                 "1 rows differ from another of their key:\n  a.csv:2 and b.csv:2: gfx=gfx950,cu_num=256,M=1,N=8,K=8");
  }
}

TEST(Merge, ColumnsAreJoinedAndMissingCellsFilled) {
  const auto text =
      merged({"cu_num,M,N,K,bias,dtype,outdtype,us,kernelName,err_ratio,tflops\n"
              "256,1,8,8,False,torch.bfloat16,torch.bfloat16,1,a,0.0,2\n",
              "gfx,cu_num,M,N,K,bias,dtype,outdtype,bpreshuffle,us,kernelName,note,errRatio,tflops\n"
              "gfx942,80,2,8,8,True,torch.float16,torch.float16,True,1,b,\"x, y\",0.0,2\n"});
  EXPECT_EQ(text,
            "gfx,cu_num,M,N,K,bias,dtype,outdtype,bpreshuffle,us,kernelName,errRatio,note,tflops\n"
            "gfx942,80,2,8,8,True,torch.float16,torch.float16,True,1,b,0.0,\"x, y\",2\n"
            "gfx950,256,1,8,8,False,torch.bfloat16,torch.bfloat16,False,1,a,0.0,,2\n");
}

TEST(Merge, UnusableLinesAreKeptOnceAndStayUnusable) {
  const auto text = merged({table("256,1,8,8,1,a,one too many\n256,x,8,8,1,a\n"), table("256,x,8,8,1,a\n"),
                            "cu_num,M,N,K,us,kernelName,note\n"});
  EXPECT_EQ(text, "cu_num,M,N,K,us,kernelName,note\n256,1,8,8,1,a,,one too many\n256,x,8,8,1,a,\n");
  EXPECT_EQ(read(text).rows.size(), 0U);
}

TEST(Merge, RefusesWhatDoesNotGoTogether) {
  const auto refused = [](const Texts& texts) {
    try {
      merged(texts);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused({table(""), "token,model_dim,us\n"}),
            "a.csv is a table of gemm, b.csv one of fused_moe: they cannot be merged");
  EXPECT_EQ(refused({table(""), "B,M,N,K,us\n"}), "a.csv has keys K,M,N, b.csv has B,K,M,N: they cannot be merged");
  EXPECT_EQ(refused({"name,value\n"}),
            "a.csv:1:1: none of its columns says what its rows are for: expected M,N,K or another key");
  EXPECT_EQ(
      refused({"cu_num,M,N,K,us,kernelName,outcome,reason,stage\n"}),
      "a.csv:1:1: found the columns outcome and stage of a profile, whose candidates need not be proven; expected a "
      "tuned table");
  EXPECT_EQ(refused({}), "expected one table or more");
}

TEST(Merge, ALineThatWasCutIsNotRevivedByMoreColumns) {
  const auto cut = std::string("cu_num,M,N,K,us,kernelName,bias\n256,1,8,8,1\n");
  const auto text = merged({cut, "gfx,cu_num,M,N,K,us,kernelName\ngfx950,256,1,8,8,9,k\n"});
  EXPECT_EQ(text,
            "gfx,cu_num,M,N,K,bias,us,kernelName\ngfx950,256,1,8,8,False,9,k\n"
            "gfx950,256,1,8,8,False,1,,the line was cut\n");
  EXPECT_EQ(read(text).rows.size(), 1U);
  EXPECT_EQ(merged({text}), text);
}

TEST(Merge, RefusesTwoFamiliesWithTheSameColumns) {
  const std::string text = "gfx,cu_num,B,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
  const auto refusal = [&](const std::vector<std::string>& names, const std::string& columns) {
    std::vector<Sheet> sheets;
    for (const auto& name : names) sheets.push_back(read(columns, name));
    try {
      (void)merge(sheets, MergePolicy::fastest);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal({"bf16_tuned_batched_gemm.csv", "a8w8_tuned_batched_gemm.csv"}, text),
            "bf16_tuned_batched_gemm.csv is a table of batched_a16w16, a8w8_tuned_batched_gemm.csv one of "
            "batched_a8w8: they cannot be merged");
  EXPECT_NE(refusal({"bf16_batched.csv", "mine.csv", "a8w8_batched.csv"}, text), "") << "one between them";
  EXPECT_EQ(refusal({"mine.csv", "a8w8_batched.csv"}, text), "") << "a name that says nothing";
  const std::string blocks = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
  EXPECT_NE(refusal({"a8w8_blockscale_tuned.csv", "a8w8_blockscale_bpreshuffle_tuned.csv"}, blocks), "");
  EXPECT_EQ(refusal({"a8w8_blockscale_tuned.csv", "a8w8_blockscale_tuned_model.csv"}, blocks), "");
}

TEST(Merge, RowsWithDifferentUnknownKeysAllStay) {
  const std::string columns = "gfx,cu_num,M,N,K,a_dtype,b_dtype,libtype,us,kernelName\n";
  const auto text = columns + "gfx950,256,64,8,8,fp8,fp4,flydsl,8,b\ngfx950,256,64,8,8,fp8,fp8,flydsl,9,a\n";
  EXPECT_EQ(merged({text}), text);
  EXPECT_EQ(sheet_text(without_duplicates(read(text), MergePolicy::fastest).sheet), text);
  const auto joined = merged({text, "gfx,cu_num,M,N,K,a_dtype,b_dtype,libtype,us,kernelName,note,tflops\n"});
  EXPECT_EQ(merged({joined}), joined) << "they stay left of the results";
  EXPECT_EQ(read(joined).rows.size(), 2U);
  EXPECT_THROW(merged({text, "gfx,cu_num,M,N,K,libtype,us,kernelName\n"}), Error) << "one lacks a key";
}

TEST(Merge, AResultThatWasNotComparedNeverWins) {
  const auto row = [](const std::string& us, const std::string& errors) {
    return "M,N,K,us,errRatio\n1,8,8," + us + "," + errors + "\n";
  };
  for (const auto* errors : {"nan", "NaN", "-1", "-0.01"}) {
    EXPECT_EQ(merged({row("1", errors), row("9", "0.0")}), row("9", "0.0")) << errors;
    EXPECT_EQ(merged({row("9", "0.0"), row("1", errors)}), row("9", "0.0")) << errors;
  }
}

TEST(Merge, TimesOfAllNamesCompete) {
  EXPECT_EQ(merged({"M,N,K,us,kernelName\n1,8,8,30.0,slow\n", "M,N,K,soltimes,kernelName\n1,8,8,8.3,fast\n"}),
            "M,N,K,us,kernelName\n1,8,8,8.3,fast\n");
}

TEST(Merge, WithoutDuplicatesTheOtherRowsStayAsTheyWere) {
  const auto result = without_duplicates(read(table("256,2,8,8,5,b\n256,1,8,8,2,a\n256,2,8,8,4,c\n256,1,4,8,2,d\n")),
                                         MergePolicy::fastest);
  EXPECT_EQ(sheet_text(result.sheet), table("256,1,8,8,2,a\n256,2,8,8,4,c\n256,1,4,8,2,d\n"));
  EXPECT_EQ(result.duplicates.size(), 1U);
}

TEST(MergeLaws, IdempotentCommutativeAssociative) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    RandomTables random(seed);
    const auto a = random.table();
    const auto b = random.table();
    const auto c = random.table();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + a + "\n" + b + "\n" + c);
    const auto all = merged({a, b, c});
    for (const auto& order : {Texts{c, a, b}, Texts{b, a, c}, Texts{c, b, a}}) ASSERT_EQ(merged(order), all);
    ASSERT_EQ(merged({merged({a, b}), c}), all);
    ASSERT_EQ(merged({a, merged({b, c})}), all);
    ASSERT_EQ(merged({all}), all);
    ASSERT_EQ(merged({all, a}), all);
    ASSERT_EQ(merged({a, a}), merged({a}));
  }
}

TEST(MergeLaws, NewestAndFirstAreAssociative) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomTables random(seed);
    const auto a = random.table();
    const auto b = random.table();
    const auto c = random.table();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + a + "\n" + b + "\n" + c);
    for (const auto policy : {MergePolicy::newest, MergePolicy::first}) {
      const auto all = merged({a, b, c}, policy);
      ASSERT_EQ(merged({merged({a, b}, policy), c}, policy), all);
      ASSERT_EQ(merged({a, merged({b, c}, policy)}, policy), all);
      ASSERT_EQ(merged({all, all}, policy), all);
    }
  }
}

TEST(MergeLaws, EveryRowIsKeptOrReported) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomTables random(seed);
    const std::vector<Sheet> sheets{read(random.table(), "a.csv"), read(random.table(), "b.csv")};
    const auto result = merge(sheets, MergePolicy::fastest);
    EXPECT_EQ(result.sheet.rows.size() + result.duplicates.size(), sheets[0].rows.size() + sheets[1].rows.size())
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace gemmtune
