#include "gemmtune/evaluate/operand_sets.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gemmtune/gemm/matrix_layout.h"

namespace gemmtune {
namespace {

constexpr std::int64_t most_sets = 128;
constexpr std::int64_t most_bytes = std::int64_t{4} << 30;
constexpr std::int64_t assumed_cache_bytes = std::int64_t{32} << 20;  // where the device does not tell

std::int64_t that_fit(std::int64_t set_bytes, const DeviceInfo& device) {
  const auto room = device.memory_bytes > 0 ? std::min(most_bytes, device.memory_bytes / 8) : most_bytes;
  return std::clamp<std::int64_t>(room / std::max<std::int64_t>(set_bytes, 1), 1, most_sets);
}

std::size_t sets_of(std::int64_t set_bytes, const DeviceInfo& device) {
  set_bytes = std::max<std::int64_t>(set_bytes, 1);
  const auto cache_bytes = device.last_level_cache_bytes > 0 ? device.last_level_cache_bytes : assumed_cache_bytes;
  const auto wanted = (2 * cache_bytes + set_bytes - 1) / set_bytes;
  return std::clamp<std::int64_t>(wanted, 1, that_fit(set_bytes, device));
}

/// The most rows of C that a kernel without bounds could write at once. Where the device has no fences, the first set
/// has guards for so many, and each other set for one row, which any tile out of bounds begins with.
constexpr std::int64_t rows_of_a_tile = 256;

GuardedBuffer guarded_c(Device& device, const Problem& problem, std::int64_t watched_rows) {
  const auto row_bytes = storage_bytes(problem.out, stored_c(problem).leading_dimension);
  return {device, static_cast<std::size_t>(operand_sizes(problem).c),
          static_cast<std::size_t>(watched_rows * row_bytes)};
}

}  // namespace

std::size_t rotation_count(const Problem& problem, const DeviceInfo& device) {
  return sets_of(operand_sizes(problem).total(), device);
}

std::size_t rotation_count(const Problem& problem, const DeviceInfo& device, std::size_t packed_bytes) {
  const auto sizes = operand_sizes(problem);
  const auto unpacked = sizes.total() - sizes.w - sizes.w_scale;
  const auto own = sets_of(unpacked + static_cast<std::int64_t>(packed_bytes), device);
  return packed_bytes > 0 ? std::min(own, rotation_count(problem, device)) : rotation_count(problem, device);
}

std::size_t affordable_sets(const Problem& problem, const DeviceInfo& device, std::size_t packed_bytes) {
  return that_fit(operand_sizes(problem).total() + static_cast<std::int64_t>(packed_bytes), device);
}

OperandSets::OperandSets(Device& device, const Problem& problem) : device_(&device), problem_(problem) {
  sets_.push_back({.inputs = allocate_inputs(device, problem), .c = guarded_c(device, problem, rows_of_a_tile)});
}

void OperandSets::duplicate(Buffer Inputs::*input, std::span<Set> sets) {
  const auto& from = sets_.front().inputs.*input;
  std::vector<Buffer> copies;  // given to the sets once all are there and filled
  std::vector<std::byte*> places;
  for (const auto& set : sets) {
    if (from.size() == 0 || (set.inputs.*input).data() != nullptr) continue;
    copies.push_back(device_->allocate(from.size()));
    places.push_back(copies.back().data());
  }
  device_->copy_to_each(from.data(), places, from.size());
  auto copy = copies.begin();
  for (auto& set : sets)
    if (copy != copies.end() && (set.inputs.*input).data() == nullptr) set.inputs.*input = std::move(*copy++);
}

void OperandSets::grow(std::size_t count) {
  if (count <= sets_.size()) return;
  std::vector<Set> more(count - sets_.size());
  for (auto& set : more) set.c = guarded_c(*device_, problem_, 1);
  for (const auto input : {&Inputs::a, &Inputs::a_scale, &Inputs::w_scale, &Inputs::bias, &Inputs::residual})
    duplicate(input, more);
  std::move(more.begin(), more.end(), std::back_inserter(sets_));
}

void OperandSets::copy_weights() { duplicate(&Inputs::w, sets_); }

Operands OperandSets::operands(std::size_t set) const {
  const auto& inputs = sets_[set].inputs;
  const auto& weights = inputs.w.data() != nullptr ? inputs.w : sets_.front().inputs.w;
  return {.a = inputs.a.data(),
          .a_scale = inputs.a_scale.data(),
          .w = weights.data(),
          .w_scale = inputs.w_scale.data(),
          .bias = inputs.bias.data(),
          .residual = inputs.residual.data(),
          .c = sets_[set].c.data()};
}

void OperandSets::restore() {
  for (const auto input :
       {&Inputs::a, &Inputs::a_scale, &Inputs::w, &Inputs::w_scale, &Inputs::bias, &Inputs::residual}) {
    const auto& from = sets_.front().inputs.*input;
    std::vector<std::byte*> places;
    for (const auto& set : std::span(sets_).subspan(1))
      if ((set.inputs.*input).data() != nullptr) places.push_back((set.inputs.*input).data());
    device_->copy_to_each(from.data(), places, from.size());
  }
  for (auto& set : sets_) set.c.restore(*device_);
}

}  // namespace gemmtune
