// The installed interfaces, against the library itself. That they build and link from outside: tests/install.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <gemmtune/dispatch.hpp>
#include <limits>

namespace {

namespace dispatch = gemmtune::dispatch;

class CApi : public testing::Test {
 protected:
  CApi() { write("kernel_8"); }
  ~CApi() override { std::filesystem::remove(path); }

  void write(const std::string& kernel) const {
    std::ofstream file(path, std::ios::trunc);
    file << "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
         << "gfx950,256,8,64,64,5,1,2.5," << kernel << ",,,\n"
         << "gfx950,256,8,64,64,6,0,3,slower,,,\n";
  }

  dispatch::Options options() const {
    dispatch::Options result;
    result.tables = path.string();
    result.gfx = "gfx950";
    result.cu_num = 256;
    return result;
  }

  std::filesystem::path path = std::filesystem::path(testing::TempDir()) /
                               ("c_api_a4w4_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".csv");
};

TEST_F(CApi, AnswersWithTheRow) {
  const dispatch::Dispatcher dispatcher(options());
  const auto answer = dispatcher.lookup(dispatch::parse_problem("12x64x64:a4w4"));
  EXPECT_EQ(answer.match, GEMMTUNE_NEAREST);
  EXPECT_EQ(answer.tuned_m, 8);
  ASSERT_TRUE(answer.choice);
  EXPECT_EQ(answer.choice->kernel_name, "kernel_8");
  EXPECT_EQ(answer.choice->kernel_id, 5);
  EXPECT_EQ(answer.choice->split_k, 1);
  EXPECT_EQ(answer.choice->time_us, 2.5);
  EXPECT_EQ(answer.choice->source, path.string());
  EXPECT_EQ(answer.choice->line, 2);
  EXPECT_EQ(answer.expected_us, 3.75);
  EXPECT_TRUE(answer.is_scaled);
  ASSERT_TRUE(answer.runner_up);
  EXPECT_EQ(answer.runner_up->kernel_name, "slower");
}

TEST_F(CApi, PollsAndSays) {
  auto telling = options();
  std::string said;
  telling.say = [&](const char* line) { said = line; };
  dispatch::Dispatcher dispatcher(telling);
  EXPECT_EQ(dispatcher.poll(), GEMMTUNE_UNCHANGED);
  write("kernel_of_longer_name");
  EXPECT_EQ(dispatcher.poll(), GEMMTUNE_RELOADED);
  EXPECT_EQ(said, "tables reloaded: 1 problems");
  EXPECT_EQ(dispatcher.lookup(dispatch::parse_problem("8x64x64:a4w4")).choice->kernel_name, "kernel_of_longer_name");
  std::filesystem::remove(path);
  EXPECT_EQ(dispatcher.poll(), GEMMTUNE_RELOAD_FAILED);
}

TEST_F(CApi, Explains) {
  const dispatch::Dispatcher dispatcher(options());
  const auto problem = dispatch::parse_problem("8x64x64:a4w4");
  const auto text = dispatcher.explain(problem);
  EXPECT_TRUE(text.starts_with("exact          M = 8: " + path.string() + ":2: kernel_8, splitK 1, 2.5 us\n")) << text;
  EXPECT_TRUE(text.ends_with("slower, 3 us")) << text;
}

TEST_F(CApi, ExplanationsThatDoNotFitAreCut) {
  gemmtune_dispatcher* dispatcher = nullptr;
  const auto tables = path.string();
  gemmtune_dispatcher_options raw{};
  raw.tables = tables.c_str();
  raw.gfx = "gfx950";
  raw.cu_num = 256;
  ASSERT_EQ(gemmtune_dispatcher_open(&raw, &dispatcher, nullptr), GEMMTUNE_OK);
  const auto problem = dispatch::parse_problem("8x64x64:a4w4");
  char text[6] = "xxxxx";
  EXPECT_GT(gemmtune_explain(dispatcher, &problem, text, sizeof text), 20U);
  EXPECT_STREQ(text, "exact");
  EXPECT_GT(gemmtune_explain(dispatcher, &problem, nullptr, 0), 20U);
  gemmtune_dispatcher_close(dispatcher);
}

TEST_F(CApi, ProblemsThatMakeNoSense) {
  const dispatch::Dispatcher dispatcher(options());
  auto problem = dispatch::parse_problem("8x64x64:a4w4");
  problem.a_type = 99;
  EXPECT_FALSE(dispatcher.lookup(problem).choice);
  problem = dispatch::parse_problem("8x64x64:a4w4");
  problem.w_scaling = -1;
  EXPECT_FALSE(dispatcher.lookup(problem).choice);
  problem = dispatch::parse_problem("8x64x64:a4w4");
  problem.m = std::numeric_limits<std::int64_t>::min();
  EXPECT_FALSE(dispatcher.lookup(problem).choice);
}

TEST_F(CApi, NullsAreFailuresNotCrashes) {
  gemmtune_message message{};
  EXPECT_EQ(gemmtune_parse_problem(nullptr, nullptr, &message), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_STREQ(message.text, "a null pointer");
  EXPECT_EQ(gemmtune_dispatcher_open(nullptr, nullptr, nullptr), GEMMTUNE_INVALID_ARGUMENT);
  gemmtune_dispatcher_close(nullptr);
  const auto answer = gemmtune_lookup(nullptr, nullptr);
  EXPECT_EQ(answer.has_choice, 0);
  EXPECT_STREQ(answer.choice.kernel_name, "");
  EXPECT_EQ(gemmtune_explain(nullptr, nullptr, nullptr, 0), 0U);
  EXPECT_EQ(gemmtune_dispatcher_poll(nullptr), GEMMTUNE_RELOAD_FAILED);
}

TEST_F(CApi, FailuresHaveAStatusAndAMessage) {
  gemmtune_message message{};
  gemmtune_problem problem{};
  EXPECT_EQ(gemmtune_parse_problem("8x8", &problem, &message), GEMMTUNE_BAD_INPUT);
  EXPECT_NE(std::string(message.text).find("problem '8x8'"), std::string::npos) << message.text;
  auto nowhere = options();
  nowhere.gfx.reset();
  try {
    const dispatch::Dispatcher dispatcher(nowhere);
    FAIL() << "a dispatcher of no device";
  } catch (const dispatch::Error& error) {
    EXPECT_EQ(error.status(), GEMMTUNE_INVALID_ARGUMENT);
    EXPECT_STREQ(error.what(), "no device: set gfx and cu_num, or GPU_ARCHS and CU_NUM");
  }
}

TEST_F(CApi, SaysItsVersion) { EXPECT_EQ(std::string(gemmtune_version()).find("0."), 0U); }

}  // namespace
