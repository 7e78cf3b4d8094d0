// Any bytes as a model's config.json: either a list of shapes or an Error. Nothing crashes, hangs or overflows.
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/shapes/model_shapes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gemmtune;
  try {
    const auto json = parse_json({reinterpret_cast<const char*>(data), size}, "config.json");
    auto model = parse_model_config(json, "config.json");
    model.layers = std::min<std::int64_t>(model.layers, 20);  // more of the same takes long
    const auto format = model_format(json, model, "");
    (void)model_shapes(model, format, {.m = {1, 100}, .projections = {Projections::fused, Projections::unfused}});
  } catch (const Error&) {
  }
  return 0;
}
