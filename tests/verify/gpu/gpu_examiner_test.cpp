// Device and host judge alike, and the device does so in no time.
#include "gemmtune/verify/gpu/gpu_examiner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>

#include "gemmtune/gemm/activation.h"
#include "gemmtune/gemm/codec.h"
#include "gemmtune/gemm/relayout.h"
#include "gemmtune/verify/gpu/gpu_reference.h"
#include "gemmtune/verify/negate.h"
#include "gemmtune/verify/reference.h"
#include "tests/verify/gpu/on_gpu.h"

namespace gemmtune {
namespace {

constexpr std::uint64_t seed = 3;

/// C with these values rounded to the output's type.
std::vector<std::byte> rounded(const Problem& problem, const Reference& reference) {
  std::vector<std::byte> c(static_cast<std::size_t>(operand_sizes(problem).c));
  const auto rows = static_cast<std::int64_t>(reference.rows.size());
  with_codec(problem.out, [&](auto codec) {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(reference.values.size()); ++i) {
      const auto row = i / problem.n / rows * problem.m + reference.rows[i / problem.n % rows];
      store(c.data(), row * problem.n + i % problem.n,
            codec.encode(static_cast<float>(activate(problem.epilogue.activation, reference.values[i]))));
    }
  });
  return c;
}

void put(const Problem& problem, std::vector<std::byte>& c, std::int64_t index, float value) {
  with_codec(problem.out, [&](auto codec) { store(c.data(), index, codec.encode(value)); });
}

class GpuExaminerTest : public OnGpu {
 protected:
  struct Judges {
    std::unique_ptr<Expectation> device;
    std::unique_ptr<Expectation> host;
  };

  /// Both over the same operands and the same rows.
  Judges judges(const Problem& problem, Recipe recipe, const VerifyPolicy& policy) {
    const auto inputs = drawn(problem, recipe, seed);
    return {examiner_->expect(problem, inputs, policy, seed),
            make_host_examiner(*device_)->expect(problem, inputs, gpu_policy(policy, problem), seed)};
  }

  Verdict expect_alike(const Problem& problem, const Judges& judges, const std::vector<std::byte>& c) {
    const auto buffer = device_->allocate(c.size());
    device_->upload(c, buffer.data());
    const auto device = judges.device->judge(buffer.data());
    const auto host = judges.host->judge(buffer.data());
    EXPECT_EQ(device.why_wrong, host.why_wrong) << to_string(problem);
    EXPECT_EQ(device.accuracy.unwritten, host.accuracy.unwritten);
    EXPECT_EQ(device.accuracy.checked, host.accuracy.checked);
    EXPECT_EQ(device.accuracy.err_ratio, host.accuracy.err_ratio);
    expect_near(device.accuracy.worst_error, host.accuracy.worst_error);
    expect_near(device.accuracy.worst_share_of_bound, host.accuracy.worst_share_of_bound);
    return device;
  }

  /// Host and device add doubles in different orders, and these are differences of nearly equal sums. Their tanh and
  /// erf differ in the last bits.
  static void expect_near(double found, double expected) {
    if (std::isinf(expected))
      EXPECT_EQ(found, expected);
    else
      EXPECT_NEAR(found, expected, 1e-7 * std::fabs(expected) + 1e-11);
  }

  /// In all rows, those that are not compared included.
  static std::vector<std::byte> right_output(const Problem& problem, Recipe recipe) {
    constexpr VerifyPolicy all{.full_reference_flops = std::numeric_limits<std::int64_t>::max()};
    return rounded(problem, compute_reference(problem, draw_operands(problem, recipe, seed), all, seed));
  }
};

constexpr const char* problems[] = {"33x47x130:f32:f32:f32",
                                    "40x64x128:bf16:bf16:bf16:bias",
                                    "32x48x192:int8/row:int8/row:bf16",
                                    "130x300x100:e4m3/tensor:e4m3/tensor:fp16:bias:batch=3",
                                    "32x64x256:e2m1/1x32:e2m1/1x32:f32",
                                    "33x130x300:a16w8_blockscale",
                                    "33x48x130:f16/fp8_row:e4m3/row:f32",
                                    "33x48x130:a16w4_fp8",
                                    "1x5000x64:bf16:bf16:fp16"};

TEST_F(GpuExaminerTest, RightOutputsAreRightByTheSameNumbers) {
  for (const char* text : problems)
    for (const auto recipe :
         {Recipe::gaussian, Recipe::one_sign, Recipe::nan_scales, Recipe::wide_rows, Recipe::nan_inf})
      for (const VerifyPolicy& policy : {VerifyPolicy{}, VerifyPolicy{.err_ratio_limit = 1, .atol = 0, .rtol = 1e-5}}) {
        const auto problem = parse_problem(text);
        const auto verdict = expect_alike(problem, judges(problem, recipe, policy), right_output(problem, recipe));
        EXPECT_EQ(verdict.why_wrong, "") << text;
      }
}

TEST_F(GpuExaminerTest, LayoutsAndEpiloguesAreJudgedAsOnTheHost) {
  for (const char* text :
       {"33x48x130:f32:f32:f32:bias:gelu_tanh:residual", "40x64x128:bf16:bf16:fp16:silu:residual",
        "33x48x130:bf16:bf16:bf16:batch=3:tn:lda=40:ldw=51:stride_w=7000:ldc=55:stride_c=2000:relu:residual",
        "32x64x256:a4w4:lda=288:ldw=512:ldc=66:gelu_erf", "20x48x64:e4m3/row:e4m3/row:f32:nn:ldw=50:ldc=49"}) {
    const auto problem = parse_problem(text);
    auto plain = problem;
    plain.layout = {};
    const auto matrix = stored_c(problem);
    const auto both = judges(problem, Recipe::gaussian, {});
    auto c = to_stored(right_output(plain, Recipe::gaussian), matrix, Major::k);
    for_each_gap(matrix, [&](std::int64_t offset, std::int64_t bytes) { poison(std::span(c).subspan(offset, bytes)); });
    EXPECT_EQ(expect_alike(problem, both, c).why_wrong, "") << text;
    for_each_gap(matrix, [&](std::int64_t offset, std::int64_t) {
      if (offset > 2 * storage_bytes(matrix.type, matrix.leading_dimension)) return;
      auto broken = c;
      broken[static_cast<std::size_t>(offset)] ^= std::byte{1};
      EXPECT_FALSE(expect_alike(problem, both, broken).accuracy.guards_intact) << text << " byte " << offset;
    });
    c.back() ^= std::byte{0x7c};
    EXPECT_NE(expect_alike(problem, both, c).why_wrong, "") << text;
  }
}

TEST_F(GpuExaminerTest, EachKindOfWrongIsSeen) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const char* text : problems) {
    const auto problem = parse_problem(text);
    const auto both = judges(problem, Recipe::gaussian, {});
    const auto right = right_output(problem, Recipe::gaussian);
    const auto last = problem.batch * problem.m * problem.n - 1;
    for (const auto index : {std::int64_t{0}, last / 2, last})
      for (const float value : {1e4F, -infinity, infinity, std::numeric_limits<float>::quiet_NaN()}) {
        auto wrong = right;
        put(problem, wrong, index, value);
        EXPECT_NE(expect_alike(problem, both, wrong).why_wrong, "") << text << " element " << index << ": " << value;
      }
    const auto bytes = storage_bytes(problem.out, 1);
    for (const auto count : {std::int64_t{1}, last + 1}) {
      auto unwritten = right;
      poison(std::span(unwritten).last(static_cast<std::size_t>(count * bytes)));
      EXPECT_EQ(expect_alike(problem, both, unwritten).accuracy.unwritten, count) << text;
    }
  }
}

TEST_F(GpuExaminerTest, TooManyThatAreNotCloseAreWrong) {
  const auto problem = parse_problem("64x64x4096:bf16:bf16:bf16");
  const VerifyPolicy strict{.err_ratio_limit = 0.01, .atol = 0, .rtol = 0};
  const auto verdict =
      expect_alike(problem, judges(problem, Recipe::gaussian, strict), right_output(problem, Recipe::gaussian));
  EXPECT_NE(verdict.why_wrong.find("error ratio"), std::string::npos) << verdict.why_wrong;
}

TEST_F(GpuExaminerTest, RowsThatAreNotComparedAreCheckedBySumsAsOnTheHost) {
  const VerifyPolicy sampling{.full_reference_flops = 1};
  for (const char* text : {"256x800x128:bf16:bf16:bf16", "256x800x128:f32:f32:f32:batch=2:bias:residual",
                           "256x800x128:e4m3/row:e4m3/row:f16", "256x800x128:a4w4"})
    for (const auto recipe : {Recipe::gaussian, Recipe::wide_rows, Recipe::nan_inf, Recipe::nan_scales}) {
      const auto problem = parse_problem(text);
      const auto both = judges(problem, recipe, sampling);
      auto c = right_output(problem, recipe);
      EXPECT_EQ(expect_alike(problem, both, c).why_wrong, "") << text << ' ' << to_string(recipe);
      const auto rows = rows_to_check(problem, gpu_policy(sampling, problem), seed);
      std::int64_t unchecked = 100;
      while (std::ranges::binary_search(rows, unchecked)) ++unchecked;
      const auto row_bytes = storage_bytes(problem.out, 800);
      std::ranges::fill(std::span(c).subspan(unchecked * row_bytes, row_bytes), std::byte{0});
      const auto buffer = device_->allocate(c.size());
      device_->upload(c, buffer.data());
      for (const auto* expectation : {&both.device, &both.host})
        EXPECT_NE((*expectation)->judge(buffer.data()).why_wrong, "") << text << ' ' << to_string(recipe);
    }
}

TEST_F(GpuExaminerTest, WhatIsNotCheckedMustBeWrittenAllTheSame) {
  const auto problem = parse_problem("256x96x128:bf16:bf16:bf16");
  const VerifyPolicy sampling{.full_reference_flops = 1};
  const auto both = judges(problem, Recipe::gaussian, sampling);
  auto c = right_output(problem, Recipe::gaussian);
  EXPECT_EQ(expect_alike(problem, both, c).why_wrong, "");
  const auto rows = rows_to_check(problem, gpu_policy(sampling, problem), seed);
  ASSERT_LT(rows.size(), 256U);
  std::int64_t unchecked = 0;
  while (std::ranges::binary_search(rows, unchecked)) ++unchecked;
  poison(std::span(c).subspan(static_cast<std::size_t>(unchecked * 96 * 2), 2));
  EXPECT_EQ(expect_alike(problem, both, c).accuracy.unwritten, 1);
}

/// Of an output of this size the host is shown the checked rows only.
TEST_F(GpuExaminerTest, WhatIsWrongWithALargeOutputIsSaidInTheSameWords) {
  const auto problem = parse_problem("1056x20000x64:bf16:bf16:bf16:batch=2");
  const VerifyPolicy sampling{.full_reference_flops = 1};
  const auto both = judges(problem, Recipe::gaussian, sampling);
  auto c = right_output(problem, Recipe::gaussian);
  const auto rows = rows_to_check(problem, gpu_policy(sampling, problem), seed);
  ASSERT_LT(rows.size(), 1056U);
  put(problem, c, (1056 + rows[rows.size() / 2]) * 20000 + 12'345, 1e4F);
  const auto verdict = expect_alike(problem, both, c);
  EXPECT_NE(verdict.why_wrong.find(fmt::format("C[1, {}, 12345]", rows[rows.size() / 2])), std::string::npos)
      << verdict.why_wrong;
}

TEST_F(GpuExaminerTest, FingerprintsChangeWithAnyByte) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{1001}, std::size_t{3'000'003}}) {
    std::vector<std::byte> content(bytes);
    for (std::size_t i = 0; i < bytes; ++i) content[i] = static_cast<std::byte>(i * 31 % 251);
    const auto buffer = device_->allocate(bytes);
    device_->upload(content, buffer.data());
    const auto before = examiner_->fingerprint(buffer);
    EXPECT_EQ(examiner_->fingerprint(buffer), before);
    for (const std::size_t at : {std::size_t{0}, bytes / 2, bytes - 1}) {
      auto changed = content;
      changed[at] ^= std::byte{1};
      device_->upload(changed, buffer.data());
      EXPECT_NE(examiner_->fingerprint(buffer), before) << at << " of " << bytes;
    }
  }
  EXPECT_EQ(examiner_->fingerprint(Buffer{}), 0U);
}

TEST_F(GpuExaminerTest, NegatesAsTheHostDoes) {
  for (const auto type : {DType::f32, DType::bf16, DType::e4m3, DType::e4m3fnuz, DType::i8, DType::e2m1})
    for (const std::size_t bytes : {std::size_t{2}, std::size_t{6}, std::size_t{4096}, std::size_t{3'000'002}}) {
      std::vector<std::byte> content(bytes);
      for (std::size_t i = 0; i < bytes; ++i) content[i] = static_cast<std::byte>(i * 31 % 251);
      const auto buffer = device_->allocate(bytes);
      device_->upload(content, buffer.data());
      examiner_->negate(type, buffer);
      negate(type, content);
      EXPECT_EQ(download(buffer), content) << to_string(type) << " " << bytes;
    }
}

TEST_F(GpuExaminerTest, AnyPoisonIsSeen) {
  const auto problem = parse_problem("33x47x130:f32:f32:f32");
  const auto inputs = drawn(problem, Recipe::gaussian, seed);
  const auto expectation = examiner_->expect(problem, inputs, {}, seed);
  const auto c = device_->allocate(33 * 47 * 4);
  const Poison poison{0xffc7};
  device_->fill(c.data(), c.size(), poison.pattern);
  EXPECT_EQ(expectation->judge(c.data(), poison).accuracy.unwritten, 33 * 47);
  EXPECT_EQ(expectation->judge(c.data()).accuracy.unwritten, 0);
}

TEST_F(GpuExaminerTest, AnyBrokenGuardIsSeen) {
  std::vector<GuardedBuffer> buffers(1);
  for (const std::size_t size : {1, 2, 3, 100, 256, 14338})  // the last is one row of 7169 elements
    buffers.emplace_back(*device_, size);
  buffers.emplace_back(*device_, 14338, 20'000);  // with guards of five pieces
  std::vector<const GuardedBuffer*> all;
  for (const auto& buffer : buffers) all.push_back(&buffer);
  EXPECT_TRUE(examiner_->guards_intact({}));
  EXPECT_TRUE(examiner_->guards_intact(all));
  for (auto& buffer : buffers)
    for (const auto* guard : buffer.guards())
      for (const std::size_t at : {std::size_t{0}, intact_guard().size() - 1}) {
        const std::byte changed = ~intact_guard()[at];
        device_->upload({&changed, 1}, const_cast<std::byte*>(guard) + at);
        EXPECT_FALSE(examiner_->guards_intact(all));
        buffer.restore(*device_);
        EXPECT_TRUE(examiner_->guards_intact(all));
      }
}

/// Prints what each step takes. Operands and C of zeros, so that C is right without a kernel that multiplies.
TEST_F(GpuExaminerTest, TheLargestProblemTakesNoMoreThanSeconds) {
  const auto problem = parse_problem("16384x16384x32768:a4w4");
  if (device_->info().memory_bytes < std::int64_t{8} << 30) GTEST_SKIP() << "less than 8 GiB of memory";
  const auto seconds = [this](const char* what, const std::function<void()>& step) {
    const auto start = std::chrono::steady_clock::now();
    step();
    device_->stream().synchronize();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    std::cout << what << ": " << taken.count() * 1e3 << " ms\n";
    return taken.count();
  };
  const auto inputs = allocate_inputs(*device_, problem);
  const auto c = device_->allocate(static_cast<std::size_t>(operand_sizes(problem).c));
  std::unique_ptr<Expectation> expectation;
  Verdict verdict;
  seconds("compile", [&] { drawn(parse_problem("1x1x2:a4w4"), Recipe::gaussian, 0); });
  double total = seconds("draw", [&] { examiner_->draw(problem, Recipe::gaussian, 1, inputs); });
  total += seconds("reference", [&] { expectation = examiner_->expect(problem, inputs, {}, 1); });
  total += seconds("fingerprint", [&] { examiner_->fingerprint(inputs.w); });
  total += seconds("poison", [&] { device_->fill(c.data(), c.size(), Poison{}.pattern); });
  total += seconds("explain a wrong one", [&] { verdict = expectation->judge(c.data()); });
  EXPECT_EQ(verdict.accuracy.unwritten, 16384 * 16384);
  device_->fill(inputs.a.data(), inputs.a.size(), 0);
  expectation = examiner_->expect(problem, inputs, {}, 1);
  device_->fill(c.data(), c.size(), 0);
  total += seconds("judge a right one", [&] { verdict = expectation->judge(c.data()); });
  EXPECT_EQ(verdict.why_wrong, "");
  EXPECT_LT(total, 10);
}

}  // namespace
}  // namespace gemmtune
