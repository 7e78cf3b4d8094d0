#include "gemmtune/evaluate/workload.h"

#include <algorithm>
#include <utility>

#include "gemmtune/core/clock.h"

namespace gemmtune {
namespace {

constexpr std::size_t poison_chunk = std::size_t{1} << 18;
constexpr std::size_t largest_kept_output = std::size_t{64} << 20;

HostOperands draw(const WorkloadKey& key, Cost& cost) {
  const ScopedSeconds drawing(cost.operands_s);
  return draw_operands(key.problem, key.recipe, key.seed);
}

Reference reference_of(const WorkloadKey& key, const HostOperands& operands, Cost& cost) {
  const ScopedSeconds computing(cost.reference_s);
  return compute_reference(key.problem, operands, key.verify, key.seed);
}

OperandSets upload(Device& device, const WorkloadKey& key, HostOperands operands, Cost& cost) {
  const ScopedSeconds uploading(cost.operands_s);
  return {device, key.problem, std::move(operands)};
}

}  // namespace

Workload::Workload(Device& device, const WorkloadKey& key, Cost& cost) : Workload(device, key, draw(key, cost), cost) {}

Workload::Workload(Device& device, const WorkloadKey& key, HostOperands operands, Cost& cost)
    : device_(&device),
      key_(key),
      reference_(reference_of(key, operands, cost)),
      sets_(upload(device, key, std::move(operands), cost)) {}

void Workload::grow(std::size_t set_count) {
  auto set = sets_.count();
  sets_.grow(set_count);
  for (; set < set_count; ++set) poison(set);  // no timed launch is to be the first that touches its C
}

void Workload::poison(std::size_t set) {
  auto& c = sets_.c(set);
  std::vector<std::byte> chunk(std::min(poison_chunk, c.size()));
  gemmtune::poison(chunk);
  for (std::size_t done = 0; done < c.size(); done += chunk.size())
    device_->upload(std::span(chunk).first(std::min(chunk.size(), c.size() - done)), c.data() + done);
}

Verdict Workload::judge(std::size_t set) {
  std::vector<std::byte> c(sets_.c(set).size());
  device_->download(sets_.c(set).data(), c);
  if (c == right_) return right_verdict_;
  auto verdict = compare(key_.problem, reference_, c, key_.verify);
  if (verdict.why_wrong.empty() && c.size() <= largest_kept_output) {
    right_ = std::move(c);
    right_verdict_ = verdict;
  }
  return verdict;
}

std::string Workload::broken_guard() const {
  for (std::size_t set = 0; set < sets_.count(); ++set)
    if (auto why = sets_.c(set).why_broken(*device_); !why.empty()) return "C: " + why;
  return "";
}

void Workload::restore() { sets_.restore(draw_operands(key_.problem, key_.recipe, key_.seed)); }

Workload& WorkloadCache::get(const WorkloadKey& key, Cost& cost) {
  if (last_ && last_->key() == key) return *last_;
  {
    const ScopedSeconds freeing(cost.operands_s);
    last_.reset();  // before the next one is made: both may not fit
  }
  last_ = std::make_unique<Workload>(*device_, key, cost);
  return *last_;
}

}  // namespace gemmtune
