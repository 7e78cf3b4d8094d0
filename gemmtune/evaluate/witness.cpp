#include "gemmtune/evaluate/witness.h"

#include <utility>

#include "gemmtune/core/clock.h"

namespace gemmtune {

void Witness::prepare(std::int64_t first, std::int64_t count) {
  if (!attempt_->alive() || !attempt_->is_judged()) return;
  const auto launch = static_cast<std::size_t>(first) + workload_->draw(static_cast<std::size_t>(count));
  const auto set = launch % attempt_->set_count();
  const bool poisons =
      workload_->has_gaps() || workload_->draw(2) == 0;  // in gaps an earlier candidate may have written
  const auto change = [&] {
    workload_->negate(&Inputs::a, set, attempt_->cost());
    const ScopedSeconds poisoning(attempt_->cost().operands_s);
    if (poisons) workload_->poison(set);
  };
  set_ = set;
  is_launched_on_ = false;
  static_cast<void>(attempt_->step(blame_launch, change));
}

void Witness::saw(std::int64_t first, std::int64_t count) {
  if (!set_) return;
  const auto sets = static_cast<std::int64_t>(attempt_->set_count());
  const auto until_set = (static_cast<std::int64_t>(*set_) - first % sets + sets) % sets;
  is_launched_on_ = is_launched_on_ || until_set < count;
}

bool Witness::conclude() {
  if (!set_) return false;
  const auto set = *std::exchange(set_, std::nullopt);
  const bool is_judged = is_launched_on_ && attempt_->alive();
  if (is_judged) static_cast<void>(attempt_->judge(*workload_, set, "after timed launches: "));
  attempt_->bring_back(*workload_, set);
  return is_judged;
}

}  // namespace gemmtune
