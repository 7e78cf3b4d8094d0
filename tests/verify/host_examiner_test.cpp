#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "gemmtune/device/cpu/cpu_device.h"
#include "gemmtune/gemm/numeric.h"
#include "gemmtune/verify/examiner.h"

namespace gemmtune {
namespace {

constexpr std::uint64_t seed = 7;

/// Host memory behind the name of another kind, so that nobody may read it directly.
std::unique_ptr<Device> far_device() {
  auto info = open_device("cpu")->info();
  info.kind = DeviceKind::hip;
  return make_cpu_device(std::move(info));
}

class HostExaminerTest : public testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<Device> device_ = GetParam() ? far_device() : open_device("cpu");
  std::unique_ptr<Examiner> examiner_ = make_host_examiner(*device_);
  Problem problem_ = parse_problem("40x64x256:e4m3/1x128:int8/row:bf16:bias:batch=2");
  Inputs inputs_ = allocate_inputs(*device_, problem_);

  void SetUp() override { examiner_->draw(problem_, Recipe::gaussian, seed, inputs_); }

  /// C as a right kernel writes it.
  std::vector<std::byte> right_output(const Reference& reference) const {
    std::vector<std::byte> c(static_cast<std::size_t>(operand_sizes(problem_).c));
    for (std::size_t i = 0; i < reference.values.size(); ++i) {
      const auto bits = float_to_bf16(static_cast<float>(reference.values[i]));
      std::memcpy(c.data() + 2 * i, &bits, sizeof bits);
    }
    return c;
  }
};

TEST_P(HostExaminerTest, DrawsWhatIsDrawn) {
  const auto host = draw_operands(problem_, Recipe::gaussian, seed);
  const auto same = [](const Buffer& buffer, const std::vector<std::byte>& bytes) {
    return buffer.size() == bytes.size() && std::memcmp(buffer.data(), bytes.data(), bytes.size()) == 0;
  };
  EXPECT_TRUE(same(inputs_.a, host.a));
  EXPECT_TRUE(same(inputs_.a_scale, host.a_scale));
  EXPECT_TRUE(same(inputs_.w, host.w));
  EXPECT_TRUE(same(inputs_.w_scale, host.w_scale));
  EXPECT_TRUE(same(inputs_.bias, host.bias));
}

TEST_P(HostExaminerTest, JudgesAsTheReferenceDoes) {
  const auto expectation = examiner_->expect(problem_, inputs_, {}, seed);
  const auto reference = compute_reference(problem_, draw_operands(problem_, Recipe::gaussian, seed), {}, seed);
  auto c = right_output(reference);
  const auto right = compare(problem_, reference, c, {});
  ASSERT_EQ(right.why_wrong, "");
  for (int times = 0; times < 2; ++times) {
    const auto verdict = expectation->judge(c.data());
    EXPECT_EQ(verdict.why_wrong, "");
    EXPECT_EQ(verdict.accuracy, right.accuracy);
  }
  for (const Poison other : {Poison{}, Poison{0x7fc9}}) {
    poison(std::span(c).first(2), other);
    const auto wrong = expectation->judge(c.data(), other);
    EXPECT_EQ(wrong.why_wrong, compare(problem_, reference, c, {}, other).why_wrong);
    EXPECT_EQ(wrong.accuracy.unwritten, 1);
  }
}

/// The reference has only some rows of so large a problem. All rows are checked.
TEST_P(HostExaminerTest, FindsAZeroRowWhereverItIs) {
  const auto expectation = examiner_->expect(problem_, inputs_, {.full_reference_flops = 1}, seed);
  ASSERT_TRUE(expectation->samples());
  const auto right =
      right_output(compute_reference(problem_, draw_operands(problem_, Recipe::gaussian, seed), {}, seed));
  EXPECT_EQ(expectation->judge(right.data()).why_wrong, "");
  const auto row_bytes = static_cast<std::ptrdiff_t>(2 * problem_.n);
  for (std::ptrdiff_t row = 0; row < problem_.m; ++row) {
    auto c = right;
    std::fill_n(c.begin() + row * row_bytes, row_bytes, std::byte{0});
    EXPECT_NE(expectation->judge(c.data()).why_wrong, "") << "row " << row;
  }
}

TEST_P(HostExaminerTest, NegatesInPlace) {
  auto host = draw_operands(problem_, Recipe::gaussian, seed);
  examiner_->negate(DType::e4m3, inputs_.a);
  for (auto& byte : host.a) byte ^= std::byte{0x80};
  EXPECT_EQ(std::memcmp(inputs_.a.data(), host.a.data(), host.a.size()), 0);
}

TEST_P(HostExaminerTest, ExpectsFromTheInputsAsTheyStand) {
  device_->fill(inputs_.a.data(), inputs_.a.size(), 0);
  device_->fill(inputs_.bias.data(), inputs_.bias.size(), 0);
  const std::vector<std::byte> zeros(static_cast<std::size_t>(operand_sizes(problem_).c));
  EXPECT_EQ(examiner_->expect(problem_, inputs_, {}, seed)->judge(zeros.data()).why_wrong, "");
}

TEST_P(HostExaminerTest, SeesBrokenGuards) {
  std::vector<GuardedBuffer> buffers(3);
  buffers[0] = GuardedBuffer(*device_, 100);
  buffers[2] = GuardedBuffer(*device_, 5);
  const std::vector<const GuardedBuffer*> all{&buffers[0], &buffers[1], &buffers[2]};
  EXPECT_TRUE(examiner_->guards_intact(all));
  EXPECT_TRUE(buffers[1].guards().empty());
  *const_cast<std::byte*>(buffers[2].guards().back()) ^= std::byte{1};
  EXPECT_FALSE(examiner_->guards_intact(all));
}

INSTANTIATE_TEST_SUITE_P(Devices, HostExaminerTest, testing::Bool(),
                         [](const auto& far) { return far.param ? "Far" : "Cpu"; });

TEST(MakeExaminer, JudgesOnTheHostForACpu) {
  const auto device = open_device("cpu");
  const auto examiner = make_examiner(*device);
  const auto buffer = device->allocate(64);
  device->fill(buffer.data(), 64, 3);
  EXPECT_EQ(examiner->fingerprint(buffer), make_host_examiner(*device)->fingerprint(buffer));
}

TEST(MakeExaminer, JudgesOnTheHostWhereKernelsDoNotCompile) {
  const auto device = far_device();
  const auto examiner = make_examiner(*device);
  const auto buffer = device->allocate(64);
  device->fill(buffer.data(), 64, 3);
  EXPECT_EQ(examiner->fingerprint(buffer), make_host_examiner(*device)->fingerprint(buffer));
}

}  // namespace
}  // namespace gemmtune
