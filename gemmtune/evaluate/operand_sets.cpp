#include "gemmtune/evaluate/operand_sets.h"

#include <algorithm>
#include <utility>

#include "gemmtune/evaluate/fingerprint.h"

namespace gemmtune {
namespace {

constexpr std::int64_t most_sets = 128;
constexpr std::int64_t most_bytes = std::int64_t{4} << 30;
constexpr std::int64_t usual_cache_bytes = std::int64_t{32} << 20;  // where the device does not tell

}  // namespace

std::size_t rotation_count(const Problem& problem, const DeviceInfo& device) {
  const auto set_bytes = std::max<std::int64_t>(operand_sizes(problem).total(), 1);
  const auto cache_bytes = device.last_level_cache_bytes > 0 ? device.last_level_cache_bytes : usual_cache_bytes;
  const auto wanted = (2 * cache_bytes + set_bytes - 1) / set_bytes;
  const auto room = device.memory_bytes > 0 ? std::min(most_bytes, device.memory_bytes / 8) : most_bytes;
  return std::clamp<std::int64_t>(std::min(wanted, room / set_bytes), 1, most_sets);
}

OperandSets::OperandSets(Device& device, const Problem& problem, HostOperands host)
    : device_(&device), problem_(problem) {
  load_first(std::move(host));
}

void OperandSets::load_first(HostOperands host) {
  Set set;
  set.inputs = {.a = upload(host.a),
                .a_scale = upload(host.a_scale),
                .w = upload(host.w),
                .w_scale = upload(host.w_scale),
                .bias = upload(host.bias)};
  set.c = GuardedBuffer(*device_, operand_sizes(problem_).c);
  sets_.push_back(std::move(set));
  fingerprints_ = fingerprints();
}

Buffer OperandSets::upload(std::vector<std::byte>& host) {
  if (host.empty()) return {};
  auto buffer = device_->allocate(host.size());
  device_->upload(host, buffer.data());
  std::vector<std::byte>().swap(host);
  return buffer;
}

Buffer OperandSets::duplicate(const Buffer& buffer) {
  if (buffer.size() == 0) return {};
  auto copy = device_->allocate(buffer.size());
  device_->copy(buffer.data(), copy.data(), buffer.size());
  return copy;
}

void OperandSets::grow(std::size_t count) {
  while (sets_.size() < count) {
    const auto& first = sets_.front().inputs;
    Set set;
    set.inputs.a = duplicate(first.a);
    set.inputs.a_scale = duplicate(first.a_scale);
    set.inputs.w_scale = duplicate(first.w_scale);
    set.inputs.bias = duplicate(first.bias);
    set.c = GuardedBuffer(*device_, operand_sizes(problem_).c);
    sets_.push_back(std::move(set));
  }
}

void OperandSets::copy_weights() {
  for (auto& set : sets_)
    if (set.inputs.w.data() == nullptr) set.inputs.w = duplicate(sets_.front().inputs.w);
}

Operands OperandSets::operands(std::size_t set) const {
  const auto& inputs = sets_[set].inputs;
  const auto& weights = inputs.w.data() != nullptr ? inputs.w : sets_.front().inputs.w;
  return {.a = inputs.a.data(),
          .a_scale = inputs.a_scale.data(),
          .w = weights.data(),
          .w_scale = inputs.w_scale.data(),
          .bias = inputs.bias.data(),
          .c = sets_[set].c.data()};
}

std::array<std::uint64_t, 5> OperandSets::fingerprints() const {
  const auto& in = sets_.front().inputs;
  return {fingerprint(*device_, in.a), fingerprint(*device_, in.a_scale), fingerprint(*device_, in.w),
          fingerprint(*device_, in.w_scale), fingerprint(*device_, in.bias)};
}

std::string OperandSets::changed_input() const {
  static constexpr std::array names{"A", "the scales of A", "the weights", "the scales of the weights", "the bias"};
  const auto now = fingerprints();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (now[i] != fingerprints_[i]) return names[i];
  return "";
}

void OperandSets::restore(HostOperands host) {
  const auto count = sets_.size();
  const bool had_copies = count > 1 && sets_.back().inputs.w.data() != nullptr;
  sets_.clear();
  load_first(std::move(host));
  grow(count);
  if (had_copies) copy_weights();
}

}  // namespace gemmtune
