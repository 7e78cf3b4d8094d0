#include "gemmtune/exchange/gguf_formats.h"

#include <algorithm>
#include <array>

#include "gemmtune/shapes/model_format.h"

namespace gemmtune {
namespace {

struct Listed {
  std::uint32_t type{};
  std::string_view format{};  // a name, or the types of A, weights and output
};

/// llama.cpp has activations and results in f32, and quantises activations to blocks of 8 bits for each of these types
/// of blocks. So do these formats.
constexpr std::array listed{
    Listed{gguf::f32, "f32:f32:f32"}, Listed{gguf::f16, "f16:f16:f16"},  Listed{gguf::bf16, "bf16:bf16:bf16"},
    Listed{gguf::mxfp4, "a8w4"},      Listed{gguf::nvfp4, "a8w4_nvfp4"}, Listed{gguf::q4_0, "a8wq4"},
    Listed{gguf::q8_0, "a8wq8"},
};

std::optional<Problem> usual(std::uint32_t type) {
  const auto found = std::ranges::find(listed, type, &Listed::type);
  return found == listed.end() ? std::nullopt : std::optional(types_asked_for(found->format, DType::f32));
}

/// Types of whole numbers hold indices, not weights.
bool is_quantised(std::uint32_t type) {
  const auto known = gguf_type(type);
  return !known || known->block > 1;
}

}  // namespace

GgufFormats::GgufFormats(std::string_view asked, const std::vector<std::uint32_t>& types) {
  if (asked.empty()) return;
  asked_ = types_asked_for(asked, DType::f32);
  for_all_quantised_ = std::ranges::none_of(types, [&](std::uint32_t type) {
    const auto own = usual(type);
    return is_quantised(type) && own && own->w == asked_->w;
  });
}

bool GgufFormats::is_asked_for(std::uint32_t type) const {
  if (!asked_ || !is_quantised(type)) return false;
  const auto own = usual(type);
  return for_all_quantised_ || (own && own->w == asked_->w);
}

std::optional<Problem> GgufFormats::of(std::uint32_t type) const { return is_asked_for(type) ? asked_ : usual(type); }

}  // namespace gemmtune
