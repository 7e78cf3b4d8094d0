#include "gemmtune/evaluate/workload.h"

#include <algorithm>
#include <numeric>

#include "gemmtune/core/clock.h"
#include "gemmtune/gemm/relayout.h"
#include "gemmtune/verify/negate.h"

namespace gemmtune {
namespace {

/// The reference of the other sign checks this share of the elements. It is to find kernels that do not read their
/// operands anew, which are wrong nearly everywhere.
constexpr std::int64_t share_of_negated = 4;

/// Another number for each recipe, stage and sample: no kernel knows which rows will be compared next.
std::uint64_t sample_seed(const WorkloadKey& key, std::size_t sample) {
  const auto place = (static_cast<std::uint64_t>(key.recipe) << 16) | (static_cast<std::uint64_t>(key.stage) << 8);
  return counter_bits(key.seed, Tensor::a, group_stream | place | sample);
}

}  // namespace

Workload::Workload(Device& device, Examiner& examiner, const WorkloadKey& key, Cost& cost)
    : device_(&device),
      examiner_(&examiner),
      key_(key),
      sets_(device, key.problem),
      states_(sets_.count()),
      random_(key.seed) {
  {
    const ScopedSeconds drawing(cost.operands_s);
    draw();
    fingerprints_ = fingerprints(0);
  }
  const ScopedSeconds computing(cost.reference_s);
  expect_first();
}

void Workload::draw() { examiner_->draw(key_.problem, key_.recipe, key_.seed, sets_.inputs()); }

std::unique_ptr<Expectation> Workload::expect(std::size_t sample, const VerifyPolicy& policy) const {
  return examiner_->expect(key_.problem, sets_.inputs(), policy, sample_seed(key_, sample));
}

void Workload::expect_first() {
  negated_.reset();
  for (auto& expectation : expectations_) expectation.reset();  // before others are made: all may not fit in memory
  expectations_.front() = expect(0, key_.verify);
}

void Workload::enter(Stage stage, Cost& cost) {
  if (stage == key_.stage) return;
  key_.stage = stage;
  if (!expectations_.front()->samples()) return;
  const ScopedSeconds computing(cost.reference_s);
  expect_first();
}

Expectation& Workload::expectation(std::size_t set) {
  const std::size_t sample = set == 0 || !expectations_.front()->samples() ? 0 : 1;
  if (!expectations_[sample]) {
    const auto state = states_.front();
    bring_back(0);  // references are computed from the first set's operands, as they were drawn
    expectations_[sample] = expect(sample, key_.verify);
    if (state.a_is_negated) negate_in_place(&Inputs::a, 0);
    if (state.w_is_negated) negate_in_place(&Inputs::w, 0);
  }
  return *expectations_[sample];
}

std::unique_ptr<Expectation> Workload::expect_negated() {
  auto policy = key_.verify;
  policy.full_reference_flops /= share_of_negated;
  negate_in_place(&Inputs::a, 0);
  auto expectation = expect(samples_of_a_stage, policy);
  negate_in_place(&Inputs::a, 0);
  return expectation;
}

void Workload::grow(std::size_t set_count) {
  auto set = sets_.count();
  sets_.grow(set_count);
  states_.resize(sets_.count());
  for (; set < set_count; ++set) poison(set);  // so that no timed launch is the first to touch its C
}

void Workload::poison(std::size_t set) {
  states_[set].poison = draw_poison(random_());
  device_->fill(sets_.c(set).data(), sets_.c(set).size(), states_[set].poison.pattern);
}

void Workload::negate(Buffer Inputs::*input, std::size_t set, Cost& cost) {
  if (!negated_) {
    const ScopedSeconds computing(cost.reference_s);
    negated_ = expect_negated();
  }
  const ScopedSeconds negating(cost.operands_s);
  negate_in_place(input, set);
}

bool Workload::can_negate_weights() const { return can_negate(key_.problem.w.type); }

bool Workload::has_gaps() const { return !is_plain(stored_c(key_.problem), Major::k); }

void Workload::bring_back(std::size_t set) {
  if (states_[set].a_is_negated) negate_in_place(&Inputs::a, set);
  if (states_[set].w_is_negated) negate_in_place(&Inputs::w, set);
}

void Workload::negate_in_place(Buffer Inputs::*input, std::size_t set) {
  const bool is_a = input == &Inputs::a;
  examiner_->negate(is_a ? key_.problem.a.type : key_.problem.w.type, sets_.inputs(set).*input);
  auto& is_negated = is_a ? states_[set].a_is_negated : states_[set].w_is_negated;
  is_negated = !is_negated;
}

Verdict Workload::judge(std::size_t set) {
  const auto& state = states_[set];
  auto& expected = state.a_is_negated == state.w_is_negated ? expectation(set) : *negated_;
  return expected.judge(sets_.c(set).data(), state.poison);
}

std::vector<std::size_t> Workload::shuffled(std::size_t set_count) {
  std::vector<std::size_t> sets(set_count);
  std::iota(sets.begin(), sets.end(), std::size_t{0});
  std::ranges::shuffle(sets, random_);
  return sets;
}

std::uint64_t Workload::output_fingerprint(std::size_t set) const {
  const auto& c = sets_.c(set);
  return examiner_->fingerprint(Buffer(c.data(), c.size(), [](std::byte*) {}));
}

/// 0 for weights that the set does not have.
Workload::Fingerprints Workload::fingerprints(std::size_t set) const {
  const auto& in = sets_.inputs(set);
  return {examiner_->fingerprint(in.a),       examiner_->fingerprint(in.a_scale), examiner_->fingerprint(in.w),
          examiner_->fingerprint(in.w_scale), examiner_->fingerprint(in.bias),    examiner_->fingerprint(in.residual)};
}

std::string Workload::changed_input(std::size_t set) const {
  static constexpr std::array names{"A",        "the scales of A", "the weights", "the scales of the weights",
                                    "the bias", "the residual"};
  const auto now = fingerprints(set);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (now[i] != fingerprints_[i] && (i != 2 || has_weights(set))) return names[i];
  return "";
}

std::string Workload::changed_input() {
  auto changed = changed_input(0);
  const auto other = draw(sets_.count());
  return changed.empty() && other > 0 ? changed_input(other) : changed;
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
  for (auto& state : states_) state = {.poison = state.poison};
  expect_first();
}

bool WorkloadCache::can_stay_beside(const WorkloadKey& next) const {
  constexpr std::int64_t memory_share = 8;
  if (!last_ || last_->key().recipe != next.recipe || last_->key().problem != next.problem) return false;
  const auto bytes = operand_sizes(next.problem).total() * static_cast<std::int64_t>(last_->sets().count());
  return bytes <= device_->info().memory_bytes / memory_share;
}

Workload& WorkloadCache::get(const WorkloadKey& key, Cost& cost) {
  if (last_ && last_->has_operands_of(key)) {
    last_->enter(key.stage, cost);
    return *last_;
  }
  {
    const ScopedSeconds freeing(cost.operands_s);
    previous_ = can_stay_beside(key) ? std::move(last_) : nullptr;
    last_.reset();  // before the next one is made, because both may not fit in memory
  }
  last_ = std::make_unique<Workload>(*device_, *examiner_, key, cost);
  return *last_;
}

}  // namespace gemmtune
