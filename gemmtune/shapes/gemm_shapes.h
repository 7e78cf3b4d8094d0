// Lists a model's multiplications as shapes: one for each M, with the calls of a forward pass as weights. Where the
// multiplications come from is the matter of shapes/model_shapes.h (a config.json) and exchange/gguf_shapes.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/shapes/model_gemms.h"
#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

/// How many rows the multiplications of an expert have.
enum class ExpertTokens {
  even,    // the router spreads tokens evenly: M · experts per token / experts, rounded up
  listed,  // a listed M is the number of tokens at one expert
};

/// How the experts' multiplications are listed: one call for each expert, or one grouped product, whose groups are as
/// large as each other: a batch with one matrix for each expert that gets tokens.
enum class ExpertCalls { each, grouped };

struct ModelRequest {
  std::vector<std::int64_t> tensor_parallel{1};
  std::int64_t expert_parallel{1};
  std::vector<std::int64_t> m{};
  std::vector<std::int64_t> logits_m{};  // empty: the same as m
  std::vector<Projections> projections{Projections::fused};
  std::vector<LatentForm> latent_forms{LatentForm::unpacked, LatentForm::absorbed};
  ExpertTokens expert_tokens{ExpertTokens::even};
  std::vector<ExpertCalls> expert_calls{ExpertCalls::each};
};

struct ModelShapes {
  std::vector<Shape> shapes{};  // without exact duplicates; weight: how often a forward pass runs it
  std::vector<std::string> notes{};
};

/// One multiplication, counted over all layers that run it in the same way.
struct CountedGemm {
  ModelGemm gemm{};
  Problem types{};  // its sizes have no meaning
  std::int64_t layers{};
};

struct RoutedExperts {
  std::int64_t count{};  // of one layer, on all devices
  std::int64_t per_token{};
};

/// What the multiplications of one device share.
struct DeviceGemms {
  std::string source{};  // the model's file, for messages
  Parallelism parallelism{};
  RoutedExperts experts{};
  std::vector<CountedGemm> gemms{};
};

/// Adds the shapes of one device, and notes those that do not fill their blocks of scales: serving pads or refuses
/// them, the list has them unpadded. Duplicates stay. Throws Error{input} for a shape that is not a GEMM.
void add_shapes(ModelShapes& made, const DeviceGemms& device, const ModelRequest& request);

}  // namespace gemmtune
