#include "gemmtune/runtime/quantising.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/numeric.h"
#include "gemmtune/gemm/quantise.h"

namespace gemmtune {
namespace {

float value_at(DType type, const std::byte* from, std::int64_t index) {
  if (type == DType::f32) {
    float value{};
    std::memcpy(&value, from + index * 4, sizeof value);
    return value;
  }
  std::uint16_t bits{};
  std::memcpy(&bits, from + index * 2, sizeof bits);
  return type == DType::bf16 ? bf16_to_float(bits) : f16_to_float(bits);
}

/// Rows of the program's matrix as floats.
RowSource rows_of(const Quantisation& wanted, const std::byte* from) {
  const auto across = wanted.leading_dimension == 0 ? wanted.k : wanted.leading_dimension;
  return [=](std::int64_t first, std::int64_t rows, std::span<float> scratch) -> std::span<const float> {
    for (std::int64_t i = 0; i < rows * wanted.k; ++i)
      scratch[static_cast<std::size_t>(i)] =
          value_at(wanted.from, from, (first + i / wanted.k) * across + i % wanted.k);
    return scratch;
  };
}

void run_on_cpu(const Quantisation& wanted, const QuantisationMemory& memory) {
  const auto quantised = quantise_rows(rows_of(wanted, memory.from), wanted.rows, wanted.k, wanted.to);
  std::memcpy(memory.values, quantised.values.data(), quantised.values.size());
  std::memcpy(memory.scales, quantised.scales.data(), quantised.scales.size());
}

bool is_off(const std::byte* address, DType type) {
  return reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(storage_bytes(type, 1)) != 0;
}

void must_be_addresses(const Quantisation& wanted, const QuantisationMemory& memory) {
  if (memory.from == nullptr || memory.values == nullptr || memory.scales == nullptr)
    fail(ErrorCode::usage, "input, values or scales are null");
  const auto scale = scale_grid(wanted.to.scaling, wanted.rows, wanted.k).type;
  if (is_off(memory.from, wanted.from) || is_off(memory.scales, scale))
    fail(ErrorCode::usage, "input and scales must be aligned to their elements");
}

}  // namespace

std::string why_not_quantised(const Quantisation& wanted) {
  const auto& [type, scaling] = wanted.to;
  if (!is_half(wanted.from) && wanted.from != DType::f32)
    return fmt::format("{} is not quantised: expected bf16, fp16 or f32", to_string(wanted.from));
  if (!is_8bit(type) && type != DType::e2m1) return fmt::format("nothing is quantised to {}", to_string(type));
  constexpr std::array computed{Scaling::row, Scaling::block_1x128, Scaling::block_128x128, Scaling::mx_1x32};
  if (const auto why = why_no_pair(type, scaling); !why.empty()) return std::string(why);
  if (std::ranges::find(computed, scaling) == computed.end())
    return fmt::format("scales \"{}\" are not computed: expected row, 1x128, 128x128 or 1x32", to_string(scaling));
  if (wanted.rows < 1 || wanted.k < 1) return fmt::format("{} x {} elements are no matrix", wanted.rows, wanted.k);
  if (type == DType::e2m1 && wanted.k % 2 != 0) return fmt::format("K = {} is odd: two e2m1 share a byte", wanted.k);
  const bool overlaps = wanted.leading_dimension != 0 && wanted.leading_dimension < wanted.k;
  return overlaps ? fmt::format("a leading dimension of {} is less than K = {}", wanted.leading_dimension, wanted.k)
                  : "";
}

QuantisedBytes quantised_bytes(const Quantisation& wanted) {
  const auto grid = scale_grid(wanted.to.scaling, wanted.rows, wanted.k);
  return {.values = wanted.rows * storage_bytes(wanted.to.type, wanted.k),
          .scales = storage_bytes(grid.type, grid.count())};
}

void Quantising::run(const Quantisation& wanted, const QuantisationMemory& memory, void* native_stream) {
  if (const auto why = why_not_quantised(wanted); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
  must_be_addresses(wanted, memory);
  if (device_->is_forked()) fail(ErrorCode::no_device, "this process was forked from the one that opened the runtime");
  if (device_->info().kind == DeviceKind::cpu) return run_on_cpu(wanted, memory);
  run_on_gpu(wanted, memory, native_stream);
}

}  // namespace gemmtune
