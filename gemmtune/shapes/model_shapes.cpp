#include "gemmtune/shapes/model_shapes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "gemmtune/core/error.h"
#include "gemmtune/shapes/shape_csv.h"

namespace gemmtune {
namespace {

/// One multiplication, counted over all layers that run it in the same way.
struct CountedGemm {
  ModelGemm gemm{};
  bool quantised{};
  std::int64_t layers{};
};

/// The number of rows of a call, and how many calls of one layer have that many.
struct Calls {
  std::int64_t m{};
  std::int64_t count{};
};

constexpr std::int64_t scale_block(Scaling scaling) {
  if (scaling == Scaling::mx_1x32) return 32;
  return scaling == Scaling::block_1x128 || scaling == Scaling::block_128x128 ? 128 : 1;
}

class ShapeMaker {
 public:
  ShapeMaker(const ModelConfig& model, const ModelFormat& format, const ModelRequest& request)
      : model_(model), format_(format), request_(request) {}

  ModelShapes make() {
    for (const auto tp : request_.tensor_parallel) add({.tensor = tp, .expert = request_.expert_parallel});
    made_.shapes = without_duplicates(made_.shapes);
    return std::move(made_);
  }

 private:
  void add(Parallelism parallelism) {
    const ShardedModel sharded(model_, parallelism);
    for (auto& note : sharded.notes()) made_.notes.push_back(std::move(note));
    auto gemms = of_all_layers(sharded);
    gemms.push_back({.gemm = sharded.logits(), .layers = 1});
    for (const auto& gemm : gemms) {
      note_partial_blocks(gemm, parallelism);
      const bool last = gemm.gemm.tokens == Tokens::last && !request_.logits_m.empty();
      for (const auto m : last ? request_.logits_m : request_.m) add(gemm, m, parallelism);
    }
  }

  /// The multiplications of all layers. Layers differ in their kind (dense, experts) and in what the checkpoint
  /// quantised.
  std::vector<CountedGemm> of_all_layers(const ShardedModel& sharded) const {
    std::vector<CountedGemm> counted;
    std::map<std::pair<std::string, bool>, std::size_t> seen;
    for (std::int64_t layer = 0; layer < model_.layers; ++layer)
      for (auto& gemm : of_layer(sharded, layer)) {
        const bool quantised = is_quantised(gemm, layer);
        const auto [at, is_new] = seen.try_emplace({gemm.layer, quantised}, counted.size());
        if (is_new) counted.push_back({.gemm = std::move(gemm), .quantised = quantised});
        ++counted[at->second].layers;
      }
    return counted;
  }

  /// The multiplications of one layer in every requested way of running the model. What several ways share occurs once.
  std::vector<ModelGemm> of_layer(const ShardedModel& sharded, std::int64_t layer) const {
    std::vector<ModelGemm> gemms;
    const auto add_new = [&](std::vector<ModelGemm> more) {
      for (auto& gemm : more)
        if (std::ranges::find(gemms, gemm.layer, &ModelGemm::layer) == gemms.end()) gemms.push_back(std::move(gemm));
    };
    for (const auto projections : request_.projections) {
      for (const auto form : request_.latent_forms) add_new(sharded.mixer(layer, projections, form));
      add_new(sharded.feed_forward(layer, projections));
    }
    return gemms;
  }

  bool is_quantised(const ModelGemm& gemm, std::int64_t layer) const {
    return !gemm.modules.empty() && std::ranges::none_of(gemm.modules, [&](const std::string& module) {
      return format_.left_alone.match(fmt::format("{}.{}.{}", model_.paths.layers, layer, module));
    });
  }

  void add(const CountedGemm& counted, std::int64_t m, Parallelism parallelism) {
    const auto calls = calls_of(counted.gemm, m);
    if (counted.gemm.tokens != Tokens::routed) return add(counted, calls, parallelism);
    for (const auto way : request_.expert_calls) {
      if (way == ExpertCalls::each) {
        add(counted, calls, parallelism);
        continue;
      }
      auto grouped = counted;
      grouped.gemm.layer = "grouped_" + counted.gemm.layer;
      grouped.gemm.batch = calls.count;
      add(grouped, {.m = calls.m, .count = 1}, parallelism);
    }
  }

  void add(const CountedGemm& counted, Calls calls, Parallelism parallelism) {
    const auto& gemm = counted.gemm;
    Shape shape{.problem = counted.quantised ? format_.quantised : format_.plain};
    shape.problem.m = calls.m;
    shape.problem.n = gemm.n;
    shape.problem.k = gemm.k;
    shape.problem.batch = gemm.batch;
    shape.problem.epilogue.bias = gemm.bias;
    shape.weight = static_cast<double>(counted.layers * calls.count);
    shape.layer = fmt::format("{}[tp{}{}]", gemm.layer, parallelism.tensor,
                              parallelism.expert > 1 ? fmt::format(",ep{}", parallelism.expert) : "");
    if (const auto why = why_invalid(shape.problem); !why.empty())
      fail(ErrorCode::input, "{}: {}: {}", model_.source, shape.layer, why);
    made_.shapes.push_back(std::move(shape));
  }

  /// If there are fewer tokens than experts, some experts get no token. Only as many are called as the tokens can
  /// reach.
  Calls calls_of(const ModelGemm& gemm, std::int64_t m) const {
    if (gemm.tokens != Tokens::routed || request_.expert_tokens == ExpertTokens::listed) return {m, gemm.count};
    const auto& experts = *model_.experts;
    const auto routed = m * experts.per_token;
    const auto ranks = experts.count / gemm.count;
    return {(routed + experts.count - 1) / experts.count, std::min(gemm.count, (routed + ranks - 1) / ranks)};
  }

  /// Notes shapes that do not fill their blocks of scales. Serving pads or refuses them; the list has them unpadded.
  void note_partial_blocks(const CountedGemm& counted, Parallelism parallelism) {
    const auto& gemm = counted.gemm;
    const auto block = counted.quantised ? scale_block(format_.quantised.w.scaling) : 1;
    const auto rows = counted.quantised && format_.quantised.w.scaling == Scaling::block_128x128 ? 128 : 1;
    if (gemm.k % block == 0 && gemm.n % rows == 0) return;
    made_.notes.push_back(fmt::format("tp {}: {} of {}x{} does not fill its blocks of scales evenly",
                                      parallelism.tensor, gemm.layer, gemm.n, gemm.k));
  }

  const ModelConfig& model_;
  const ModelFormat& format_;
  const ModelRequest& request_;
  ModelShapes made_;
};

}  // namespace

ModelShapes model_shapes(const ModelConfig& model, const ModelFormat& format, const ModelRequest& request) {
  return ShapeMaker(model, format, request).make();
}

}  // namespace gemmtune
