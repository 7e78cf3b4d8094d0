// Tests the installed interfaces within the build. tests/install checks that they build and link from outside.
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
  gemmtune_dispatcher_options raw = gemmtune_dispatcher_options_init();
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

TEST(CApiValues, OfWeightsInBlocks) {
  const auto q8 = dispatch::parse_problem("8x64x64:f32/q8:int4/1x32f16:f32:packed");
  EXPECT_EQ(q8.a_type, GEMMTUNE_F32);
  EXPECT_EQ(q8.a_scaling, GEMMTUNE_Q8_IN_CALL);
  EXPECT_EQ(q8.w_type, GEMMTUNE_INT4);
  EXPECT_EQ(q8.w_scaling, GEMMTUNE_F16_1X32);
  EXPECT_EQ(dispatch::parse_problem("8x64x64:a16w4_nvfp4").w_scaling, GEMMTUNE_NV_1X16);
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
  for (int* field : {&problem.a_type, &problem.w_type, &problem.out_type, &problem.a_scaling, &problem.w_scaling,
                     &problem.a_major, &problem.w_major, &problem.activation}) {
    for (const int value : {-1, 12, 99}) {
      problem = dispatch::parse_problem("8x64x64:a4w4");
      *field = value;
      EXPECT_FALSE(dispatcher.lookup(problem).choice);
    }
  }
  problem = dispatch::parse_problem("8x64x64:a4w4");
  problem.stride_w = -1;
  EXPECT_FALSE(dispatcher.lookup(problem).choice);
}

/// A table for each type of a16w16 and a8w8, and for each scaling. The C interface must find the row of each.
TEST_F(CApi, FindsRowsOfEveryTypeAndScaling) {
  struct Case {
    const char* table;
    const char* columns;
    const char* row;
    const char* problem;
  };
  const char* a16w16 =
      "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,kernelName,err_ratio,tflops,"
      "bw";
  const char* a8w8 = "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio";
  const char* plain = "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio";
  const Case cases[]{
      {"a16w16", a16w16, "False,torch.float32,torch.float32,False,False,hipblaslt,1,0,2,kernel,0,1,1", "f32:f32:f32"},
      {"a16w16", a16w16, "False,tf32,torch.float32,False,False,cublaslt,1,0,2,kernel,0,1,1", "tf32:tf32:f32"},
      {"a16w16", a16w16, "False,torch.float16,torch.float16,False,False,hipblaslt,1,0,2,kernel,0,1,1", "f16:f16:f16"},
      {"a16w16", a16w16, "True,torch.bfloat16,torch.float32,False,False,hipblaslt,1,0,2,kernel,0,1,1",
       "bf16:bf16:f32:bias"},
      {"a16w16", a16w16, "False,torch.float8_e4m3fn,torch.bfloat16,True,False,hipblaslt,1,0,2,kernel,0,1,1",
       "e4m3/tensor:e4m3/tensor:bf16"},
      {"a8w8", a8w8, "torch.int8,1,0,2,kernel,1,1,0", "int8/row:int8/row:bf16"},
      {"a8w8", a8w8, "torch.float8_e4m3fn,1,0,2,kernel,1,1,0", "e4m3/row:e4m3/row:bf16"},
      {"a8w8", a8w8, "torch.float8_e4m3fnuz,1,0,2,kernel,1,1,0", "e4m3fnuz/row:e4m3fnuz/row:bf16"},
      {"a8w8_blockscale", plain, "1,0,2,kernel,1,1,0", "e4m3/1x128:e4m3/128x128:bf16"},
      {"a4w4", plain, "1,0,2,kernel,1,1,0", "e2m1/1x32:e2m1/1x32:bf16:packed"}};
  for (const auto& one : cases) {
    const auto file = std::filesystem::path(testing::TempDir()) / (std::string(one.table) + "_tuned_gemm.csv");
    std::ofstream(file) << one.columns << "\ngfx950,256,8,64,128," << one.row << '\n';
    auto with_table = options();
    with_table.tables = file.string();
    const dispatch::Dispatcher dispatcher(with_table);
    const auto answer = dispatcher.lookup(dispatch::parse_problem("8x64x128:" + std::string(one.problem)));
    EXPECT_EQ(answer.match, GEMMTUNE_EXACT) << one.problem;
    EXPECT_EQ(answer.choice ? answer.choice->kernel_name : "", "kernel") << one.problem;
    std::filesystem::remove(file);
  }
}

TEST_F(CApi, AProblemSaysItsLayoutAndEpilogue) {
  const auto problem =
      dispatch::parse_problem("8x64x128:a16w16:batch=2:tn:lda=9:ldw=70:ldc=65:stride_c=999:gelu_erf:residual");
  EXPECT_EQ(problem.a_major, GEMMTUNE_MN_MAJOR);
  EXPECT_EQ(problem.w_major, GEMMTUNE_MN_MAJOR);
  EXPECT_EQ(problem.lda, 9);
  EXPECT_EQ(problem.ldw, 70);
  EXPECT_EQ(problem.ldc, 65);
  EXPECT_EQ(problem.stride_a, 0);
  EXPECT_EQ(problem.stride_c, 999);
  EXPECT_EQ(problem.activation, GEMMTUNE_GELU_ERF);
  EXPECT_EQ(problem.has_residual, 1);
}

TEST_F(CApi, RowsServeTheLayoutAndEpilogueThatTheyAreFor) {
  {
    std::ofstream file(path, std::ios::trunc);
    file << "gfx,cu_num,M,N,K,layout,epilogue,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
         << "gfx950,256,8,64,64,,,5,1,2.5,plain,,,\n"
         << "gfx950,256,8,64,64,lda=96,,5,1,2.5,wide,,,\n"
         << "gfx950,256,8,64,64,,silu:residual,5,1,2.5,fused,,,\n";
  }
  const dispatch::Dispatcher dispatcher(options());
  const auto kernel = [&](const char* text) {
    const auto answer = dispatcher.lookup(dispatch::parse_problem(text));
    return std::string(answer.choice ? answer.choice->kernel_name : "none");
  };
  EXPECT_EQ(kernel("8x64x64:a4w4"), "plain");
  EXPECT_EQ(kernel("8x64x64:a4w4:lda=96"), "wide");
  EXPECT_EQ(kernel("8x64x64:a4w4:lda=64"), "plain") << "lda=64 is the contiguous layout";
  EXPECT_EQ(kernel("12x64x64:a4w4:silu:residual"), "fused");
  EXPECT_EQ(kernel("8x64x64:a4w4:lda=128"), "none");
  EXPECT_EQ(kernel("8x64x64:a4w4:silu"), "none");
  EXPECT_EQ(kernel("8x64x64:a4w4:ldw=96"), "none");
}

TEST_F(CApi, StructsOfUnknownSizeAreRefused) {
  const dispatch::Dispatcher dispatcher(options());
  gemmtune_problem problem{};
  gemmtune_message message{};
  EXPECT_EQ(gemmtune_parse_problem("8x64x64:a4w4", &problem, &message), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(message.text).find("struct_size"), std::string::npos) << message.text;
  EXPECT_FALSE(dispatcher.lookup(problem).choice);
  problem = dispatch::parse_problem("8x64x64:a4w4");
  EXPECT_TRUE(dispatcher.lookup(problem).choice);
  problem.struct_size += 8;
  EXPECT_FALSE(dispatcher.lookup(problem).choice);
  gemmtune_dispatcher_options none{};
  gemmtune_dispatcher* opened = nullptr;
  EXPECT_EQ(gemmtune_dispatcher_open(&none, &opened, &message), GEMMTUNE_INVALID_ARGUMENT);
}

TEST_F(CApi, NullsAreFailuresNotCrashes) {
  gemmtune_message message{};
  EXPECT_EQ(gemmtune_parse_problem(nullptr, nullptr, &message), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_STREQ(message.text, "a null pointer");
  EXPECT_EQ(gemmtune_dispatcher_open(nullptr, nullptr, nullptr), GEMMTUNE_INVALID_ARGUMENT);
  gemmtune_dispatcher_close(nullptr);
  gemmtune_answer answer = gemmtune_answer_init();
  EXPECT_EQ(gemmtune_lookup(nullptr, nullptr, &answer), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_EQ(gemmtune_explain(nullptr, nullptr, nullptr, 0), 0U);
  EXPECT_EQ(gemmtune_dispatcher_poll(nullptr), GEMMTUNE_RELOAD_FAILED);
}

TEST_F(CApi, FailuresHaveAStatusAndAMessage) {
  gemmtune_message message{};
  gemmtune_problem problem = gemmtune_problem_init();
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
