#include "gemmtune/shapes/gemm_shapes.h"

#include <algorithm>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

/// The number of rows of a call, and how many calls of one layer have that many.
struct Calls {
  std::int64_t m{};
  std::int64_t count{};
};

class ShapeAdder {
 public:
  ShapeAdder(ModelShapes& made, const DeviceGemms& device, const ModelRequest& request)
      : made_(made), device_(device), request_(request) {}

  void add(const CountedGemm& counted) {
    note_partial_blocks(counted);
    const bool last = counted.gemm.tokens == Tokens::last && !request_.logits_m.empty();
    for (const auto m : last ? request_.logits_m : request_.m) add(counted, m);
  }

 private:
  void add(const CountedGemm& counted, std::int64_t m) {
    const auto calls = calls_of(counted.gemm, m);
    if (counted.gemm.tokens != Tokens::routed) return add(counted, calls);
    for (const auto way : request_.expert_calls) {
      if (way == ExpertCalls::each) {
        add(counted, calls);
        continue;
      }
      auto grouped = counted;
      grouped.gemm.layer = "grouped_" + counted.gemm.layer;
      grouped.gemm.batch = calls.count;
      add(grouped, Calls{.m = calls.m, .count = 1});
    }
  }

  void add(const CountedGemm& counted, Calls calls) {
    const auto& gemm = counted.gemm;
    const auto [tensor, expert] = device_.parallelism;
    Shape shape{.problem = counted.types};
    shape.problem.m = calls.m;
    shape.problem.n = gemm.n;
    shape.problem.k = gemm.k;
    shape.problem.batch = gemm.batch;
    shape.problem.epilogue.bias = gemm.bias;
    shape.weight = static_cast<double>(counted.layers * calls.count);
    shape.layer = fmt::format("{}[tp{}{}]", gemm.layer, tensor, expert > 1 ? fmt::format(",ep{}", expert) : "");
    if (const auto why = why_invalid(shape.problem); !why.empty())
      fail(ErrorCode::input, "{}: {}: {}", device_.source, shape.layer, why);
    made_.shapes.push_back(std::move(shape));
  }

  /// If there are fewer tokens than experts, some experts get no token. Only as many are called as the tokens can
  /// reach.
  Calls calls_of(const ModelGemm& gemm, std::int64_t m) const {
    if (gemm.tokens != Tokens::routed || request_.expert_tokens == ExpertTokens::listed) return {m, gemm.count};
    const auto& experts = device_.experts;
    const auto routed = m * experts.per_token;
    const auto ranks = experts.count / gemm.count;
    return {(routed + experts.count - 1) / experts.count, std::min(gemm.count, (routed + ranks - 1) / ranks)};
  }

  void note_partial_blocks(const CountedGemm& counted) {
    const auto& gemm = counted.gemm;
    if (gemm.n < 1 || gemm.k < 1) return;  // no GEMM, which add() says
    const auto scales = scale_grid(counted.types.w.scaling, gemm.n, gemm.k);
    if (gemm.k % scales.k_block == 0 && gemm.n % scales.row_block == 0) return;
    made_.notes.push_back(fmt::format("tp {}: {} of {}x{} does not fill its blocks of scales evenly",
                                      device_.parallelism.tensor, gemm.layer, gemm.n, gemm.k));
  }

  ModelShapes& made_;
  const DeviceGemms& device_;
  const ModelRequest& request_;
};

}  // namespace

void add_shapes(ModelShapes& made, const DeviceGemms& device, const ModelRequest& request) {
  ShapeAdder adder(made, device, request);
  for (const auto& counted : device.gemms) adder.add(counted);
}

}  // namespace gemmtune
