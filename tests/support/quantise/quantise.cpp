#include "tests/support/quantise/quantise.h"

#include <fmt/format.h>

#include "gemmtune/core/error.h"

namespace gemmtune {

// Written by CMake.
KernelSource quantise_kernel();

namespace {

constexpr std::int64_t threads = 256;
constexpr std::int64_t elements_of_a_thread = 8 * 4;  // as in quantise.cu

const char* word_of(E8M0Mode mode) {
  switch (mode) {
    case E8M0Mode::round_down:
      return "round_down";
    case E8M0Mode::round_up:
      return "round_up";
    case E8M0Mode::even:
      return "even";
    case E8M0Mode::ceil:
      return "ceil";
  }
  return "";
}

}  // namespace

KernelSource quantise_source(const QuantiseSpec& spec, const std::string& arch) {
  if (spec.from != DType::bf16 && spec.from != DType::f16)
    fail(ErrorCode::unsupported, "{} is not quantised to MXFP4", to_string(spec.from));
  if (spec.k % 32 != 0) fail(ErrorCode::unsupported, "MXFP4 is quantised for K % 32 == 0 only, not K = {}", spec.k);
  auto source = quantise_kernel();
  source.name = fmt::format("quantise_{}_{}.cu", to_string(spec.from), word_of(spec.mode));
  source.arch = arch;
  source.options = {"--std=c++20", "--device-as-default-execution-space",
                    fmt::format("-DFROM_BF16={:d}", spec.from == DType::bf16),
                    fmt::format("-DMODE={}", word_of(spec.mode))};
  return source;
}

Quantiser::Quantiser(const QuantiseSpec& spec, const std::string& arch)
    : spec_(spec), module_(compile_kernel(quantise_source(spec, arch))), function_(module_.function("quantise")) {}

void Quantiser::launch(const std::byte* from, std::byte* values, std::byte* e8m0, Stream& stream) const noexcept {
  const std::int64_t elements = spec_.rows * spec_.k;
  const std::int64_t of_a_block = threads * elements_of_a_thread;
  if (elements == 0) return;
  module_.launch(stream, function_,
                 {.grid = {static_cast<unsigned>((elements + of_a_block - 1) / of_a_block)},
                  .block = {static_cast<unsigned>(threads)}},
                 from, values, e8m0, elements);
}

}  // namespace gemmtune
