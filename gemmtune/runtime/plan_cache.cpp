#include "gemmtune/runtime/plan_cache.h"

namespace gemmtune {
namespace {

/// Mixes one word into a hash: a multiplication whose high bits are folded down.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) noexcept {
  const auto product = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
  return product ^ (product >> 32);
}

std::uint64_t word(auto value) noexcept { return static_cast<std::uint64_t>(value); }

std::uint64_t kinds_of(const Problem& p) noexcept {
  return word(p.a.type) | word(p.a.scaling) << 8 | word(p.w.type) << 16 | word(p.w.scaling) << 24 | word(p.out) << 32 |
         word(p.epilogue.bias) << 40 | word(p.epilogue.residual) << 41 | word(p.packed) << 42 |
         word(p.epilogue.activation) << 43 | word(p.layout.a) << 51 | word(p.layout.w) << 52;
}

std::uint64_t with_distances(std::uint64_t hash, const Layout& layout) noexcept {
  for (const auto& strides : {layout.a_strides, layout.w_strides, layout.c_strides})
    hash = mixed(mixed(hash, word(strides.leading_dimension)), word(strides.batch));
  return hash;
}

}  // namespace

std::size_t PlanKeyHash::operator()(const PlanKey& key) const noexcept {
  const auto& p = key.problem;
  auto hash = mixed(kinds_of(p), word(p.m));
  hash = mixed(hash, word(p.n) << 32 ^ word(p.k));
  hash = mixed(hash, word(p.batch) ^ key.packed_layout);
  return is_plain(p) ? hash : with_distances(hash, p.layout);
}

class PlanCache::AllLocked {
 public:
  explicit AllLocked(const PlanCache& cache) : locks_(cache.locks_) {
    for (auto& lock : locks_) lock.mutex.lock();
  }
  ~AllLocked() {
    for (auto& lock : locks_) lock.mutex.unlock();
  }
  AllLocked(const AllLocked&) = delete;
  AllLocked& operator=(const AllLocked&) = delete;

 private:
  std::array<Lock, 32>& locks_;
};

std::optional<CachedPlan> PlanCache::find(const PlanKey& key) const {
  const std::lock_guard lock(lock_of_this_thread());
  const auto found = plans_.find(key);
  return found == plans_.end() ? std::nullopt : std::optional(found->second);
}

PlanRef PlanCache::find_plan(const PlanKey& key) const noexcept {
  const std::lock_guard lock(lock_of_this_thread());
  const auto found = plans_.find(key);
  return found == plans_.end() ? PlanRef() : found->second.plan;
}

/// The former plan is destroyed after the locks are given up: it may unload code from the device.
void PlanCache::put(const PlanKey& key, CachedPlan plan) {
  CachedPlan former;
  const AllLocked locked(*this);
  if (plans_.size() >= most_plans && !plans_.contains(key)) {
    former = std::move(plans_.begin()->second);
    plans_.erase(plans_.begin());
  }
  std::swap(plans_[key], plan);
}

std::vector<std::pair<PlanKey, CachedPlan>> PlanCache::all() const {
  const std::lock_guard lock(lock_of_this_thread());
  return {plans_.begin(), plans_.end()};
}

}  // namespace gemmtune
