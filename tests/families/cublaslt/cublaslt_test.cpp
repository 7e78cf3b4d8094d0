// Tests with the library itself. They need an NVIDIA GPU and are skipped elsewhere.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/families/cublaslt/kernel_name.h"
#include "tests/families/check/family_check.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_cublaslt_family();

namespace {

using cublaslt::KernelName;

constexpr std::size_t tried_of_a_problem = 12;

/// One family for all tests, so that it learns only once for each kind of problem what the library's algorithms take.
const KernelFamily& the_family() {
  static const auto family = make_cublaslt_family();
  return *family;
}

/// Opens the device, so that its context is current on this thread.
class CublasltTest : public testing::Test {
 protected:
  void SetUp() override {
    info_ = check::device_of(*family_);
    if (!info_) GTEST_SKIP() << "this machine has no NVIDIA GPU";
    device_ = open_device(device_id(*info_));
  }

  /// Whether this device's library offers the problem. If not, prints the library's reason.
  bool is_offered(const std::string& problem) {
    const auto support = family_->supports(parse_problem(problem), *info_);
    if (!support) fmt::print("{}: not offered: {}\n", problem, support.why_not);
    return static_cast<bool>(support);
  }

  std::vector<Candidate> candidates(const std::string& problem) {
    return family_->candidates(parse_problem(problem), *info_);
  }

  const KernelFamily* family_ = &the_family();
  std::optional<DeviceInfo> info_;
  std::unique_ptr<Device> device_;
};

/// The first candidates, and others spread evenly over the rest: the list groups candidates by kind of algorithm.
std::vector<Candidate> some_of(const std::vector<Candidate>& all) {
  std::vector<Candidate> some;
  const std::size_t first = std::min(all.size(), tried_of_a_problem / 2);
  some.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
  const std::size_t step = std::max<std::size_t>((all.size() - first) / (tried_of_a_problem / 2), 1);
  for (std::size_t i = first; i < all.size(); i += step) some.push_back(all[i]);
  return some;
}

/// The library is made for rows of whole 16-byte units. For other rows, its first choice may round partial sums so that
/// results are wrong: docs/results/h100-cublaslt.md has shapes for which it does.
bool has_whole_rows(const Problem& problem) {
  for (const auto& matrix : {stored_a(problem), stored_w(problem), stored_c(problem)})
    if (storage_bytes(matrix.type, matrix.leading_dimension) % 16 != 0) return false;
  return true;
}

/// The kernels that take bf16 rows of any length round the product to bf16 before GELU: on an H200 with cuBLASLt 13.1,
/// none of them was as accurate as one rounding allows. Tuning refuses them; here they must be no worse than that.
bool may_round_product(const Problem& problem) {
  return problem.out == DType::bf16 && problem.epilogue.activation == Activation::gelu_tanh && !has_whole_rows(problem);
}

/// Whether the candidate adds partial sums of a split K in the output's type, which is less accurate by design.
bool reduces_in_output_type(const Candidate& candidate) { return candidate.name.find("_r4_") != std::string::npos; }

/// Prints one line for each problem: how many candidates there are, and how many of those tried were wrong.
class CublasltProducts : public CublasltTest, public testing::WithParamInterface<std::string> {};

TEST_P(CublasltProducts, AreRight) {
  const auto& problem = GetParam();
  if (!is_offered(problem)) GTEST_SKIP() << problem << " is not offered";
  const auto all = candidates(problem);
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(all.front().name.starts_with("cublaslt_default_")) << all.front().name;
  const bool whole_rows = has_whole_rows(parse_problem(problem));
  if (whole_rows) {
    EXPECT_EQ(check::why_wrong(*family_, {.problem = problem, .seed = 3}, all.front()), "");
  }
  int wrong = 0;
  std::string first_wrong;
  const auto some = some_of(all);
  const check::Case one{.problem = problem, .seed = 3, .rounds_product = may_round_product(parse_problem(problem))};
  for (const auto& candidate : some) {
    const auto why = check::why_wrong(*family_, one, candidate);
    wrong += why.empty() || reduces_in_output_type(candidate) ? 0 : 1;
    if (first_wrong.empty()) first_wrong = why;
  }
  fmt::print("{}: {} candidates, {} of {} tried are wrong\n", problem, all.size(), wrong, some.size());
  // Candidates other than the first may be wrong, since tuning finds that out; but not many, and never all.
  EXPECT_LE(wrong, static_cast<int>(whole_rows ? some.size() / 10 : some.size() - 1)) << first_wrong;
}

std::vector<std::string> problems() {
  std::vector<std::string> all;
  const auto add = [&](std::initializer_list<const char*> sizes, std::initializer_list<const char*> types) {
    for (const char* type : types)
      for (const char* size : sizes) all.push_back(fmt::format("{}:{}", size, type));
  };
  add({"1x512x1024", "129x257x513"},
      {"bf16:bf16:bf16", "bf16:bf16:f32", "fp16:fp16:fp16", "fp16:fp16:f32", "f32:f32:f32", "tf32:tf32:f32"});
  add({"33x264x520", "33x265x521"},
      {"bf16:bf16:bf16:bias", "bf16:bf16:f32:bias", "fp16:fp16:fp16:bias", "f32:f32:f32:bias", "bf16:bf16:bf16:batch=3",
       "bf16:bf16:bf16:bias:batch=3", "fp16:fp16:f32:batch=2", "f32:f32:f32:batch=2", "tf32:tf32:f32:bias:batch=2"});
  add({"1x512x1024", "33x272x528"},
      {"int8/row:int8/row:bf16", "int8/tensor:int8/tensor:fp16", "int8/row:int8/tensor:bf16:bias",
       "int8/row:int8/row:f32:bias", "int8/row:int8/row:bf16:batch=3", "int8/tensor:int8/row:fp16:bias:batch=2"});
  add({"1x512x1024", "33x272x528", "129x256x2048"},
      {"e4m3:e4m3:bf16", "e4m3/tensor:e4m3/tensor:bf16", "e4m3/tensor:e4m3/tensor:fp16", "e4m3/tensor:e4m3/tensor:f32",
       "e4m3/tensor:e4m3/tensor:bf16:bias", "e4m3/row:e4m3/row:bf16", "e4m3/row:e4m3/row:fp16", "e4m3/row:e4m3/row:f32",
       "e4m3/row:e4m3/row:bf16:bias"});
  add({"36x272x528", "128x256x2048"}, {"e4m3/row:e4m3/row:bf16:batch=3"});
  add({"1x512x1024", "33x272x528"}, {"bf16/fp8_row:e4m3/row:bf16:bias", "fp16/fp8_row:e4m3/row:f32"});
  add({"64x512x1024"}, {"bf16/fp8_1x128:e4m3/128x128:bf16", "f32/fp8_1x128:e4m3/128x128:bf16:bias:batch=3"});
  add({"64x512x1024", "36x272x640", "4x512x128"},
      {"e4m3/1x128:e4m3/128x128:bf16", "e4m3/1x128:e4m3/128x128:fp16", "e4m3/1x128:e4m3/128x128:f32",
       "e4m3/1x128:e4m3/128x128:bf16:bias", "e4m3/1x128:e4m3/128x128:bf16:batch=3"});
  return all;
}

/// Layouts of problems of about 129x256x512, and of 33x65x127, where nothing is aligned.
std::vector<std::string> layouts() {
  std::vector<std::string> all;
  const auto add = [&](std::string_view types, std::initializer_list<const char*> how) {
    for (const char* one : how) all.push_back(fmt::format("{}:{}", types, one));
  };
  for (const char* types : {"129x256x512:bf16:bf16:bf16", "129x256x512:f32:f32:f32"})
    add(types,
        {"nn", "nn:lda=520:ldw=264:ldc=272", "lda=520:ldw=528:ldc=260", "lda=513:ldc=257",
         "batch=3:stride_a=80000:stride_w=140000:stride_c=40000", "batch=2:nn:lda=520:stride_a=70000:stride_c=33025"});
  for (const char* types : {"128x256x512:bf16:bf16:bf16", "128x256x512:f32:f32:f32", "136x256x512:fp16:fp16:f32"})
    add(types, {"tn", "tt", "tn:lda=144:ldw=264:ldc=257", "tt:batch=3:lda=144:stride_a=80000:stride_w=140000:ldc=264"});
  for (const char* types : {"33x65x127:bf16:bf16:bf16", "33x65x127:f32:f32:f32"})
    add(types, {"nn", "tn", "tt", "tn:lda=35:ldw=67:ldc=69", "batch=2:tt:lda=35:stride_a=5001:ldc=67:stride_c=2501"});
  // Most GPUs multiply FP8 and int8 only where both operands are contiguous along K; they refuse the other layouts.
  for (const char* types : {"128x256x512:e4m3/tensor:e4m3/tensor:bf16", "128x256x512:e4m3/row:e4m3/row:bf16"})
    add(types, {"nn", "tn", "tt", "lda=528:ldw=544:ldc=264"});
  add("128x256x512:e4m3/row:e4m3/row:bf16", {"batch=3:lda=528:stride_a=80000:stride_w=140000:stride_c=40000"});
  add("128x256x512:e4m3/1x128:e4m3/128x128:bf16", {"lda=528:ldw=544:ldc=264", "batch=2:ldc=264:stride_a=80000"});
  add("128x256x512:int8/row:int8/row:bf16", {"nn", "lda=528:ldw=544", "batch=2:lda=528:stride_a=80000"});
  return all;
}

/// Each part of an epilogue alone, and combinations, also with gaps in C and in the residual.
std::vector<std::string> epilogues() {
  std::vector<std::string> all;
  for (const char* types : {"129x256x512:bf16:bf16:bf16", "129x256x512:bf16:bf16:f32", "129x256x512:fp16:fp16:fp16",
                            "129x256x512:f32:f32:f32", "129x256x512:tf32:tf32:f32", "33x65x127:bf16:bf16:bf16",
                            "128x256x512:e4m3/tensor:e4m3/tensor:bf16", "128x256x512:e4m3/row:e4m3/row:bf16",
                            "128x256x512:e4m3/1x128:e4m3/128x128:bf16"})
    for (const char* how : {"relu", "gelu_tanh", "residual", "bias:relu", "bias:gelu_tanh", "bias:residual",
                            "relu:residual", "bias:gelu_tanh:residual"})
      all.push_back(fmt::format("{}:{}", types, how));
  for (const char* types :
       {"bf16:bf16:bf16:batch=3:tn:lda=136:stride_a=80000", "f32:f32:f32:batch=3:nn", "e4m3/row:e4m3/row:bf16:batch=3"})
    all.push_back(fmt::format("128x256x512:{}:ldc=264:stride_c=40000:bias:gelu_tanh:residual", types));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Problems, CublasltProducts, testing::ValuesIn(problems()));
INSTANTIATE_TEST_SUITE_P(Layouts, CublasltProducts, testing::ValuesIn(layouts()));
INSTANTIATE_TEST_SUITE_P(Epilogues, CublasltProducts, testing::ValuesIn(epilogues()));

/// The family must support these problems.
TEST_F(CublasltTest, OffersLayoutsAndEpilogues) {
  for (const char* problem :
       {"128x256x512:bf16:bf16:bf16:nn", "128x256x512:bf16:bf16:bf16:tn", "128x256x512:f32:f32:f32:tt",
        "128x256x512:bf16:bf16:bf16:lda=520:ldc=264", "128x256x512:bf16:bf16:bf16:batch=2:stride_c=40000",
        "128x256x512:bf16:bf16:bf16:bias:gelu_tanh:residual", "128x256x512:f32:f32:f32:bias:relu:residual"})
    EXPECT_EQ(family_->supports(parse_problem(problem), *info_).why_not, "") << problem;
}

class CublasltRecipes : public CublasltTest, public testing::WithParamInterface<std::string> {};

TEST_P(CublasltRecipes, TheFirstChoiceIsRightOnHardOperands) {
  const auto& problem = GetParam();
  if (!is_offered(problem)) GTEST_SKIP() << problem << " is not offered";
  const auto first = candidates(problem).front();
  for (const auto recipe : {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks})
    EXPECT_EQ(check::why_wrong(*family_, {.problem = problem, .recipe = recipe, .seed = 5}, first), "");
}

INSTANTIATE_TEST_SUITE_P(Problems, CublasltRecipes,
                         testing::Values("64x512x4096:bf16:bf16:bf16", "64x512x16384:bf16:bf16:f32",
                                         "64x512x8192:fp16:fp16:f32", "64x512x16384:tf32:tf32:f32",
                                         "64x512x4096:int8/row:int8/row:bf16",
                                         "64x512x4096:e4m3/tensor:e4m3/tensor:bf16",
                                         "64x512x4096:e4m3/row:e4m3/row:bf16",
                                         "64x512x4096:e4m3/1x128:e4m3/128x128:bf16"));

/// Prints what was found for each algorithm, and how long that took.
class CublasltEnumeration : public CublasltTest, public testing::WithParamInterface<std::string> {
 protected:
  std::vector<Candidate> listed(const std::string& problem) {
    const auto start = std::chrono::steady_clock::now();
    auto all = candidates(problem);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::map<std::int64_t, std::int64_t> by_algorithm;
    for (const auto& candidate : all) ++by_algorithm[candidate.library_id];
    fmt::print("{}: {} candidates in {:.2f} s\n ", problem, all.size(), took.count());
    for (const auto& [id, count] : by_algorithm) fmt::print(" a{}: {}", id, count);
    fmt::print("\n");
    for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 8); ++i) fmt::print("  {}\n", all[i].name);
    seconds_ = took.count();
    return all;
  }

  double seconds_{};
};

TEST_P(CublasltEnumeration, IsLongWithoutDuplicatesAndReadBack) {
  const auto sized = [&](const char* size) { return fmt::format("{}:{}", size, GetParam()); };
  if (!is_offered(sized("16x8192x8192"))) GTEST_SKIP() << GetParam() << " is not offered";
  for (const char* size : {"16x8192x8192", "64x7168x2048", "4096x7168x2048", "8192x8192x8192"}) {
    const auto all = listed(sized(size));
    EXPECT_GT(all.size(), 4U);
    EXPECT_EQ(std::set<Candidate>(all.begin(), all.end()).size(), all.size());
    for (const auto& candidate : all) {
      const auto name = cublaslt::parse_kernel_name(candidate.name);
      ASSERT_TRUE(name) << candidate.name;
      EXPECT_EQ(cublaslt::to_string(*name), candidate.name);
    }
  }
  EXPECT_LT(seconds_, 2);
}

INSTANTIATE_TEST_SUITE_P(Types, CublasltEnumeration,
                         testing::Values("bf16:bf16:bf16", "fp16:fp16:fp16", "f32:f32:f32", "int8/row:int8/row:bf16",
                                         "e4m3/tensor:e4m3/tensor:bf16", "e4m3/row:e4m3/row:bf16",
                                         "e4m3/1x128:e4m3/128x128:bf16"));

TEST_F(CublasltTest, EveryCandidateOfASmallProblemIsPreparedFromItsNameAlone) {
  const auto problem = parse_problem("64x512x1024:bf16:bf16:bf16");
  for (const auto& candidate : candidates(to_string(problem)))
    EXPECT_NO_THROW(family_->prepare(problem, {.family = "cublaslt", .name = candidate.name}, *info_))
        << candidate.name;
}

TEST_F(CublasltTest, NamesOfAnotherVersionAreCheckedAgain) {
  const auto problem = parse_problem("64x512x1024:bf16:bf16:bf16");
  auto name = *cublaslt::parse_kernel_name(candidates(to_string(problem)).front().name);
  const auto prepare = [&] { family_->prepare(problem, cublaslt::candidate_of(name), *info_); };
  name.version = 120100;
  EXPECT_NO_THROW(prepare());
  name.config.tile = 1;
  name.config.stages = 1;
  try {
    prepare();
    ADD_FAILURE() << "8x8 tiles were taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("version 12.1.0"), std::string::npos) << error.what();
  }
}

TEST_F(CublasltTest, OtherNamesAreRefused) {
  const auto refused = [&](const char* problem, const std::string& name) {
    return check::why_refused(*family_, problem, name);
  };
  EXPECT_NE(refused("64x512x1024:bf16:bf16:bf16", "cublaslt_a66"), "");
  auto name = *cublaslt::parse_kernel_name(candidates("64x512x1024:bf16:bf16:bf16").front().name);
  name.fast_accumulation = true;
  EXPECT_NE(refused("64x512x1024:bf16:bf16:bf16", to_string(name)).find("fast accumulation"), std::string::npos);
}

TEST_F(CublasltTest, LaunchesCanBeCaptured) {
  const auto problem = parse_problem("64x512x1024:e4m3/1x128:e4m3/128x128:bf16");
  if (!is_offered(to_string(problem))) GTEST_SKIP() << "not offered";
  const auto gemm = family_->prepare(problem, candidates(to_string(problem)).front(), *info_);
  const auto sizes = operand_sizes(problem);
  std::vector<Buffer> buffers;
  const auto space = [&](std::int64_t bytes) {
    buffers.push_back(device_->allocate(static_cast<std::size_t>(bytes)));
    return buffers.back().data();
  };
  const Operands operands{.a = space(sizes.a),
                          .a_scale = space(sizes.a_scale),
                          .w = space(sizes.w),
                          .w_scale = space(sizes.w_scale),
                          .c = space(sizes.c),
                          .workspace = space(static_cast<std::int64_t>(gemm->workspace_bytes()))};
  gemm->launch(operands, device_->stream());
  device_->stream().synchronize();
  // Launches this short are timed by replaying a graph of them.
  const auto times = device_->timer().time_us({[&](std::int64_t) { gemm->launch(operands, device_->stream()); }}, 0, 5);
  device_->stream().synchronize();
  EXPECT_EQ(times.size(), 5U);
  for (const double time : times) EXPECT_GT(time, 0.5);
}

}  // namespace
}  // namespace gemmtune
