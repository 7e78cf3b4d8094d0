#include "gemmtune/shapes/model_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gemmtune/shapes/shape_csv.h"

namespace gemmtune {
namespace {

class ModelLister {
 public:
  ModelLister(const ModelConfig& model, const ModelFormat& format, const ModelRequest& request)
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
    DeviceGemms device{.source = model_.source, .parallelism = parallelism, .gemms = of_all_layers(sharded)};
    if (model_.experts) device.experts = {.count = model_.experts->count, .per_token = model_.experts->per_token};
    device.gemms.push_back({.gemm = sharded.logits(), .types = format_.plain, .layers = 1});
    add_shapes(made_, device, request_);
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
        if (is_new)
          counted.push_back({.gemm = std::move(gemm), .types = quantised ? format_.quantised : format_.plain});
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

  const ModelConfig& model_;
  const ModelFormat& format_;
  const ModelRequest& request_;
  ModelShapes made_;
};

}  // namespace

ModelShapes model_shapes(const ModelConfig& model, const ModelFormat& format, const ModelRequest& request) {
  return ModelLister(model, format, request).make();
}

}  // namespace gemmtune
