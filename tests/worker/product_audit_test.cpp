// What the supervisor asks of a worker's product, and what of a wrong one it finds.
#include "gemmtune/worker/product_audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/codec.h"
#include "gemmtune/gemm/draw.h"
#include "gemmtune/verify/reference.h"

namespace gemmtune {
namespace {

using testing::HasSubstr;

/// Changes an element of C from what is right.
using Fault = std::function<double(std::int64_t row, std::int64_t column, double right)>;

/// A process that multiplies on the host, all operands drawn.
class Multiplying final : public Steps {
 public:
  explicit Multiplying(Fault fault = {}) : fault_(std::move(fault)) {}

  void hold(const HoldRequest& /*request*/, HoldObserver& /*observer*/) override { not_asked_for(); }
  TurnResult sample(const Candidate& /*candidate*/, const TurnRequest& /*turn*/) override { return not_asked_for(); }
  Process settle(std::span<const Candidate> /*candidates*/, EvaluationObserver& /*observer*/) override {
    not_asked_for();
    return Process::lost;
  }
  void release() override {}

  Product multiply(const ProductRequest& request) override {
    auto problem = request.problem;
    problem.layout = {};  // which changes no number
    const VerifyPolicy all_rows{.full_reference_flops = std::numeric_limits<std::int64_t>::max()};
    const auto c = compute_reference(problem, draw_operands(problem, request.recipe, request.seed), all_rows, 0);
    Product product;
    for (const auto row : request.rows) product.rows.push_back(stored(problem, c, row));
    return product;
  }

 private:
  static TurnFailure not_asked_for() {
    ADD_FAILURE() << "an audit times nothing";
    return {};
  }

  std::vector<std::byte> stored(const Problem& problem, const Reference& c, std::int64_t row) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(storage_bytes(problem.out, problem.n)));
    with_codec(problem.out, [&](auto codec) {
      for (std::int64_t i = 0; i < problem.n; ++i) {
        const double right = c.values[row * problem.n + i];
        const double said = fault_ ? fault_(row, i, right) : right;
        store(bytes.data(), i, decltype(codec)::encode(static_cast<float>(said)));
      }
    });
    return bytes;
  }

  Fault fault_;
};

Failure audit(const Problem& problem, Fault fault, std::int64_t most_weights) {
  Multiplying steps(std::move(fault));
  ProductAudit audit(most_weights);
  const Candidate candidate{.family = "family", .name = "family_one"};
  if (auto failure = audit.audit(steps, {problem, candidate, VerifyPolicy{}}); failure.outcome != Outcome::ok)
    return failure;
  return audit.audit_anew(steps, {problem, candidate, VerifyPolicy{}});
}

constexpr std::int64_t all_weights = 1 << 30;
constexpr std::int64_t few_weights = 1;

TEST(ProductAudit, BelievesARightProductWhateverThePartThatIsComputed) {
  for (const char* types :
       {"bf16:bf16:bf16:bias:residual", "f16:f16:f16:batch=2:residual", "e4m3/1x128:e4m3/128x128:bf16",
        "e4m3/tensor:e4m3/row:bf16:batch=2", "e4m3/row:e4m3/tensor:bf16:bias", "e2m1/1x32:e2m1/1x32:bf16",
        "int8/row:int8/row:bf16:bias", "bf16:bf16:f32:tn:residual"})
    for (const auto most_weights : {few_weights, all_weights}) {
      const auto failure = audit(parse_problem(std::string("9x700x256:") + types), {}, most_weights);
      EXPECT_EQ(failure.outcome, Outcome::ok) << types << " " << most_weights << ": " << failure.reason;
    }
}

TEST(ProductAudit, FindsWrongRowsAndColumns) {
  const auto problem = parse_problem("9x700x256:bf16:bf16:bf16");
  const auto last_row = [](auto row, auto /*column*/, double right) { return row == 8 ? 0 : right; };
  const auto last_column = [](auto /*row*/, auto column, double right) { return column == 699 ? right + 100 : right; };
  const auto nothing = [](auto /*row*/, auto /*column*/, double /*right*/) { return 0.0; };
  for (const auto most_weights : {few_weights, all_weights})
    for (const Fault& fault : {Fault(last_row), Fault(last_column), Fault(nothing)})
      EXPECT_EQ(audit(problem, fault, most_weights).outcome, Outcome::wrong_result);
}

TEST(ProductAudit, SaysWhichColumnsItCounts) {
  const auto nothing = [](auto /*row*/, auto /*column*/, double /*right*/) { return 0.0; };
  const auto problem = parse_problem("9x700x256:bf16:bf16:bf16");
  EXPECT_THAT(audit(problem, nothing, few_weights).reason, HasSubstr("of 700 that were drawn"));
  EXPECT_THAT(audit(problem, nothing, all_weights).reason, Not(HasSubstr("that were drawn")));
}

/// Of five groups of columns, an exam with few weights has the last and one of the others.
TEST(ProductAudit, DrawsOtherColumnsEachTime) {
  const auto problem = parse_problem("9x640x128:bf16:bf16:bf16");
  const auto second_group = [](auto /*row*/, auto column, double right) {
    return column / 128 == 1 ? right + 100 : right;
  };
  int found = 0;
  for (int i = 0; i < 60 && found == 0; ++i)
    found += audit(problem, second_group, few_weights).outcome == Outcome::wrong_result ? 1 : 0;
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace gemmtune
