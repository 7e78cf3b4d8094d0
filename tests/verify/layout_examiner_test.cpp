#include "gemmtune/verify/layout_examiner.h"

#include <gtest/gtest.h>

#include <cstring>

#include "gemmtune/device/cpu/cpu_device.h"
#include "gemmtune/gemm/relayout.h"
#include "tests/verify/naive.h"

namespace gemmtune {
namespace {

constexpr std::uint64_t seed = 7;
constexpr const char* spread =
    "20x24x64:bf16:bf16:f32:batch=2:tn:lda=22:ldw=30:stride_w=2000:ldc=29:stride_c=700:bias:silu:residual";

/// Host memory behind the name of another kind, so that nobody may read it directly.
std::unique_ptr<Device> far_device() {
  auto info = open_device("cpu")->info();
  info.kind = DeviceKind::hip;
  return make_cpu_device(std::move(info));
}

class LayoutExaminerTest : public testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<Device> device_ = GetParam() ? far_device() : open_device("cpu");
  std::unique_ptr<Examiner> examiner_ = make_host_examiner(*device_);
  Problem problem_ = parse_problem(spread);
  Inputs inputs_ = allocate_inputs(*device_, problem_);
  std::unique_ptr<Expectation> expectation_;

  void SetUp() override {
    examiner_->draw(problem_, Recipe::gaussian, seed, inputs_);
    expectation_ = examiner_->expect(problem_, inputs_, {}, seed);
  }

  /// C as a kernel that sums in float leaves it: gaps are poison.
  std::vector<std::byte> right_c() const {
    auto plain = problem_;
    plain.layout = {};
    const auto real = naive::real_operands(plain, draw_operands(plain, Recipe::gaussian, seed));
    const auto values = naive::rounded(plain, naive::multiply<float>(plain, real, plain.k));
    const auto matrix = stored_c(problem_);
    auto c = to_stored(values, matrix, Major::k);
    for_each_gap(matrix, [&](std::int64_t offset, std::int64_t bytes) { poison(std::span(c).subspan(offset, bytes)); });
    return c;
  }
};

TEST_P(LayoutExaminerTest, DrawsTheSameNumbersInTheirPlaces) {
  const auto host = draw_operands(problem_, Recipe::gaussian, seed);
  const auto same = [](const Buffer& buffer, const std::vector<std::byte>& bytes) {
    return buffer.size() == bytes.size() && std::memcmp(buffer.data(), bytes.data(), bytes.size()) == 0;
  };
  EXPECT_TRUE(same(inputs_.a, host.a));
  EXPECT_TRUE(same(inputs_.w, host.w));
  EXPECT_TRUE(same(inputs_.bias, host.bias));
  EXPECT_TRUE(same(inputs_.residual, host.residual));
}

TEST_P(LayoutExaminerTest, JudgesWhatStandsBetweenTheGaps) {
  auto c = right_c();
  EXPECT_EQ(expectation_->judge(c.data()).why_wrong, "");
  const auto matrix = stored_c(problem_);
  const auto last = storage_bytes(matrix.type, matrix.elements() - 1);
  poison(std::span(c).subspan(last, 4));
  const auto verdict = expectation_->judge(c.data());
  EXPECT_EQ(verdict.accuracy.unwritten, 1);
  EXPECT_NE(verdict.why_wrong.find("C[1, 19, 23]"), std::string::npos) << verdict.why_wrong;
}

TEST_P(LayoutExaminerTest, AWriteIntoAGapIsFound) {
  struct Case {
    std::int64_t element;
    const char* where;
  };
  for (const auto& [element, where] :
       {Case{24, "behind row 0 of matrix 0"}, Case{28 + 18 * 29, "behind row 18 of matrix 0"},
        Case{699, "behind row 19 of matrix 0"}, Case{700 + 24, "behind row 0 of matrix 1"}}) {
    auto c = right_c();
    c[4 * element + 1] ^= std::byte{1};
    const auto verdict = expectation_->judge(c.data());
    EXPECT_FALSE(verdict.accuracy.guards_intact) << element;
    EXPECT_NE(verdict.why_wrong.find(where), std::string::npos) << verdict.why_wrong;
    EXPECT_NE(verdict.why_wrong.find("1 bytes of the gaps"), std::string::npos) << verdict.why_wrong;
  }
}

TEST_P(LayoutExaminerTest, AKernelThatIgnoresTheLeadingDimensionIsWrong) {
  const auto matrix = stored_c(problem_);
  const auto values = to_plain(right_c(), matrix, Major::k);
  std::vector<std::byte> c(static_cast<std::size_t>(matrix.bytes()));
  poison(c);
  std::memcpy(c.data(), values.data(), values.size());
  EXPECT_NE(expectation_->judge(c.data()).why_wrong, "");
}

TEST_P(LayoutExaminerTest, AnExpectationOutlivesItsExaminer) {
  examiner_.reset();
  EXPECT_EQ(expectation_->judge(right_c().data()).why_wrong, "");
}

TEST_P(LayoutExaminerTest, ExpectsFromTheInputsAsTheyStand) {
  device_->fill(inputs_.a.data(), inputs_.a.size(), 0);
  device_->fill(inputs_.residual.data(), inputs_.residual.size(), 0);
  EXPECT_NE(examiner_->expect(problem_, inputs_, {}, seed)->judge(right_c().data()).why_wrong, "");
}

TEST_P(LayoutExaminerTest, GapsMustHoldThePoisonThatTheyWereFilledWith) {
  const auto matrix = stored_c(problem_);
  const Poison other{0x7fc9};
  auto c = right_c();
  EXPECT_FALSE(expectation_->judge(c.data(), other).accuracy.guards_intact);
  for_each_gap(matrix,
               [&](std::int64_t offset, std::int64_t bytes) { poison(std::span(c).subspan(offset, bytes), other); });
  EXPECT_EQ(expectation_->judge(c.data(), other).why_wrong, "");
}

INSTANTIATE_TEST_SUITE_P(Memory, LayoutExaminerTest, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "far" : "host"; });

}  // namespace
}  // namespace gemmtune
