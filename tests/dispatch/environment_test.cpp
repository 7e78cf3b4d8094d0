#include "gemmtune/dispatch/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Environment read(const std::map<std::string, std::string, std::less<>>& variables) {
  return read_environment([&](std::string_view name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string file(const std::string& name) {
  const auto path = std::filesystem::path(testing::TempDir()) / ("environment_" + name);
  write_file_atomically(path, "M,N,K\n");
  return path.string();
}

std::string message_of(const std::map<std::string, std::string, std::less<>>& variables) {
  try {
    read(variables);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    return error.what();
  }
  return "no error";
}

TEST(Environment, NothingIsSet) {
  const auto environment = read({});
  EXPECT_TRUE(environment.tables.empty());
  EXPECT_TRUE(environment.notes.empty());
  EXPECT_FALSE(environment.log_lookups);
  EXPECT_FALSE(environment.capture);
  EXPECT_EQ(environment.gfx, "");
  EXPECT_EQ(environment.cu_num, 0);
}

TEST(Environment, EachFamilyHasTwoNamesOfItsOwn) {
  EXPECT_EQ(family_variables().size(), 9U);
  std::set<std::string_view> names;
  const auto path = file("t.csv");
  for (const auto& variable : family_variables()) {
    names.insert({variable.ours, variable.aiters});
    for (const auto name : {variable.ours, variable.aiters})
      EXPECT_THAT(read({{std::string(name), path}}).tables, ElementsAre(TableSource{path, variable.family})) << name;
  }
  EXPECT_EQ(names.size(), 18U);
  EXPECT_TRUE(names.contains("AITER_CONFIG_GEMM_BF16"));
  EXPECT_TRUE(names.contains("GEMMTUNE_CONFIG_A16W16"));
}

TEST(Environment, OursWinsOverAiters) {
  const auto ours = file("ours.csv"), aiters = file("aiters.csv");
  const TableFamily a4w4{.format = Format::a4w4, .packed = true};
  EXPECT_THAT(read({{"GEMMTUNE_CONFIG_A4W4", ours}, {"AITER_CONFIG_GEMM_A4W4", aiters}}).tables,
              ElementsAre(TableSource{ours, a4w4}));
  EXPECT_THAT(read({{"GEMMTUNE_CONFIG_A4W4", ""}, {"AITER_CONFIG_GEMM_A4W4", aiters}}).tables,
              ElementsAre(TableSource{aiters, a4w4}));
}

TEST(Environment, ListsOfFilesAndWhatIsMissing) {
  const auto first = file("first.csv"), second = file("second.csv");
  const auto environment = read({{"GEMMTUNE_CONFIG_A8W8", first + ":/nowhere/x.csv:" + second}});
  const TableFamily a8w8{.format = Format::a8w8};
  EXPECT_THAT(environment.tables, ElementsAre(TableSource{first, a8w8}, TableSource{second, a8w8}));
  EXPECT_THAT(environment.notes, ElementsAre("GEMMTUNE_CONFIG_A8W8: /nowhere/x.csv does not exist and is left out"));
  EXPECT_EQ(message_of({{"AITER_CONFIG_GEMM_A8W8", "/nowhere/x.csv:/nowhere/y.csv"}}),
            "AITER_CONFIG_GEMM_A8W8: none of its files exists: /nowhere/x.csv:/nowhere/y.csv");
}

TEST(Environment, Logging) {
  EXPECT_TRUE(read({{"GEMMTUNE_LOG_TUNED_CONFIG", "1"}}).log_lookups);
  EXPECT_TRUE(read({{"AITER_LOG_TUNED_CONFIG", "true"}}).log_lookups);
  EXPECT_FALSE(read({{"AITER_LOG_TUNED_CONFIG", "0"}}).log_lookups);
  EXPECT_THAT(message_of({{"AITER_LOG_TUNED_CONFIG", "loud"}}), HasSubstr("found 'loud', expected 1 or 0"));
}

TEST(Environment, Capturing) {
  EXPECT_EQ(read({{"GEMMTUNE_CAPTURE", "/tmp/c.csv"}}).capture->path, "/tmp/c.csv");
  EXPECT_EQ(read({{"AITER_TUNE_GEMM", "1"}}).capture->path, default_capture_path);
  EXPECT_FALSE(read({{"AITER_TUNE_GEMM", "0"}}).capture);
  EXPECT_FALSE(read({{"GEMMTUNE_CAPTURE", "c.csv"}}).capture->signal);
  EXPECT_EQ(read({{"GEMMTUNE_CAPTURE", "c.csv"}, {"GEMMTUNE_CAPTURE_SIGNAL", "USR2"}}).capture->signal, SIGUSR2);
  EXPECT_THROW(read({{"GEMMTUNE_CAPTURE", "c.csv"}, {"GEMMTUNE_CAPTURE_SIGNAL", "KILL"}}), Error);
}

TEST(Environment, Intervals) {
  EXPECT_EQ(read({}).reload_interval, std::chrono::milliseconds(0));
  EXPECT_EQ(read({{"GEMMTUNE_RELOAD_INTERVAL", "2.5"}}).reload_interval, std::chrono::milliseconds(2500));
  EXPECT_EQ(read({{"GEMMTUNE_CAPTURE", "c.csv"}}).capture->interval, std::chrono::seconds(30));
  EXPECT_EQ(read({{"GEMMTUNE_CAPTURE", "c.csv"}, {"GEMMTUNE_CAPTURE_INTERVAL", "1"}}).capture->interval,
            std::chrono::seconds(1));
  for (const char* text : {"0", "-1", "nan", "soon", "1e9"})
    EXPECT_THAT(message_of({{"GEMMTUNE_RELOAD_INTERVAL", text}}), HasSubstr("expected a number of seconds")) << text;
}

TEST(Environment, TablesThatAreLookedForAgainAndAgainNeedNotExist) {
  const auto environment = read({{"GEMMTUNE_CONFIG_A8W8", "/nowhere/x.csv"}, {"GEMMTUNE_RELOAD_INTERVAL", "1"}});
  EXPECT_THAT(environment.tables, ElementsAre(TableSource{"/nowhere/x.csv", {.format = Format::a8w8}}));
  EXPECT_THAT(message_of({{"GEMMTUNE_CONFIG_FMOE", "/nowhere/x.csv"}, {"GEMMTUNE_RELOAD_INTERVAL", "1"}}),
              HasSubstr("none of its files exists"));
}

TEST(Environment, TheDevice) {
  EXPECT_EQ(read({{"GPU_ARCHS", "gfx942"}, {"CU_NUM", "80"}}).gfx, "gfx942");
  EXPECT_EQ(read({{"GPU_ARCHS", "gfx942"}, {"CU_NUM", "80"}}).cu_num, 80);
  EXPECT_EQ(read({{"GPU_ARCHS", "gfx942;gfx950"}}).gfx, "");
  EXPECT_EQ(read({{"GPU_ARCHS", "native"}}).gfx, "");
  EXPECT_THAT(message_of({{"CU_NUM", "many"}}), HasSubstr("CU_NUM: found 'many'"));
}

}  // namespace
}  // namespace gemmtune
