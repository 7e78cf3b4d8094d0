#include "gemmtune/evaluate/workload.h"

#include "gemmtune/core/clock.h"

namespace gemmtune {

Workload::Workload(Device& device, Examiner& examiner, const WorkloadKey& key, Cost& cost)
    : device_(&device), examiner_(&examiner), key_(key), sets_(device, key.problem) {
  {
    const ScopedSeconds drawing(cost.operands_s);
    draw();
    fingerprints_ = fingerprints();
  }
  const ScopedSeconds computing(cost.reference_s);
  expectation_ = expect();
}

void Workload::draw() { examiner_->draw(key_.problem, key_.recipe, key_.seed, sets_.inputs()); }

std::unique_ptr<Expectation> Workload::expect() const {
  return examiner_->expect(key_.problem, sets_.inputs(), key_.verify, key_.seed);
}

void Workload::grow(std::size_t set_count) {
  auto set = sets_.count();
  sets_.grow(set_count);
  for (; set < set_count; ++set) poison(set);  // so that no timed launch is the first to touch its C
}

void Workload::poison(std::size_t set) { device_->fill(sets_.c(set).data(), sets_.c(set).size(), poison_pattern); }

Verdict Workload::judge(std::size_t set) { return expectation_->judge(sets_.c(set).data()); }

std::uint64_t Workload::output_fingerprint(std::size_t set) const {
  return examiner_->fingerprint(sets_.c(set).storage());
}

Workload::Fingerprints Workload::fingerprints() const {
  const auto& in = sets_.inputs();
  return {examiner_->fingerprint(in.a),       examiner_->fingerprint(in.a_scale), examiner_->fingerprint(in.w),
          examiner_->fingerprint(in.w_scale), examiner_->fingerprint(in.bias),    examiner_->fingerprint(in.residual)};
}

std::string Workload::changed_input() const {
  static constexpr std::array names{"A",        "the scales of A", "the weights", "the scales of the weights",
                                    "the bias", "the residual"};
  const auto now = fingerprints();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (now[i] != fingerprints_[i]) return names[i];
  return "";
}

bool Workload::guards_intact(std::vector<const GuardedBuffer*> others) const {
  for (std::size_t set = 0; set < sets_.count(); ++set) others.push_back(&sets_.c(set));
  return examiner_->guards_intact(others);
}

std::string Workload::broken_guard() const {
  for (std::size_t set = 0; set < sets_.count(); ++set)
    if (auto why = sets_.c(set).why_broken(*device_); !why.empty()) return "C: " + why;
  return "";
}

void Workload::restore() {
  draw();
  sets_.restore();
  expectation_.reset();  // before the next one is made, because both may not fit in memory
  expectation_ = expect();
}

bool WorkloadCache::can_stay_beside(const WorkloadKey& next) const {
  constexpr std::int64_t memory_share = 8;
  if (!last_ || last_->key().recipe != next.recipe || last_->key().problem != next.problem) return false;
  const auto bytes = operand_sizes(next.problem).total() * static_cast<std::int64_t>(last_->sets().count());
  return bytes <= device_->info().memory_bytes / memory_share;
}

Workload& WorkloadCache::get(const WorkloadKey& key, Cost& cost) {
  if (last_ && last_->key() == key) return *last_;
  {
    const ScopedSeconds freeing(cost.operands_s);
    previous_ = can_stay_beside(key) ? std::move(last_) : nullptr;
    last_.reset();  // before the next one is made, because both may not fit in memory
  }
  last_ = std::make_unique<Workload>(*device_, *examiner_, key, cost);
  return *last_;
}

}  // namespace gemmtune
