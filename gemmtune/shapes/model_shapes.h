// The shapes that a model needs, as a list to tune: for each number of devices and each M, every multiplication with
// its number of executions in a forward pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemmtune/shapes/model_config.h"
#include "gemmtune/shapes/model_format.h"
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

/// Throws Error{usage} if a number of devices does not divide a dimension.
ModelShapes model_shapes(const ModelConfig& model, const ModelFormat& format, const ModelRequest& request);

}  // namespace gemmtune
