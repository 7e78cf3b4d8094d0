#include "gemmtune/gemm/epilogue.h"

#include <array>

namespace gemmtune {
namespace {

constexpr std::array<std::string_view, 5> names{"none", "relu", "gelu_tanh", "gelu_erf", "silu"};

}  // namespace

std::string_view to_string(Activation activation) { return names[static_cast<std::size_t>(activation)]; }

std::optional<Activation> parse_activation(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text) return static_cast<Activation>(i);
  return std::nullopt;
}

}  // namespace gemmtune
