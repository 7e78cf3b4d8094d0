#include "gemmtune/runtime/runtime.h"

#include <fmt/format.h>

#include <utility>

#include "gemmtune/core/parallel.h"
#include "gemmtune/device/gpu/kernel_compiler.h"

namespace gemmtune {
namespace {

DispatcherOptions for_device(DispatcherOptions options, const DeviceInfo& device) {
  options.gfx = device.arch;
  options.cu_num = device.cu_num;
  options.reload_interval = {};
  return options;
}

PlanKey canonical(PlanKey key) {
  key.problem.layout = canonical_layout(key.problem);
  return key;
}

PlanAnswer answer_of(CachedPlan cached) {
  const auto status = cached.plan ? PlanStatus::ready : PlanStatus::unsupported;
  return {status, std::move(cached.plan), std::move(cached.why_not)};
}

std::string origin_text(const Plan& plan) {
  const auto& origin = plan.origin();
  const auto place = origin.line == 0 ? origin.source : fmt::format("{}:{}", origin.source, origin.line);
  const auto time = origin.expected_us > 0 ? fmt::format(", {:.4g} us expected", origin.expected_us) : std::string();
  return fmt::format("{}: {} {}{} ({})", to_string(origin.match), plan.kernel()->family(), plan.kernel()->name(), time,
                     place);
}

}  // namespace

Runtime::Runtime(RuntimeOptions options)
    : options_(std::move(options)),
      device_(ServingDevice::open(options_.device)),
      dispatcher_(for_device(options_.dispatcher, device_->info())),
      planner_(std::make_shared<const FamilySet>(device_), tally_, options_.planner),
      summary_is_due_(options_.has_summary) {
  if (options_.reload_interval.count() > 0)
    watch_ = std::make_unique<Periodic>(options_.reload_interval, [this] { poll(); });
  ProcessEvents::of_process().add(*this);
}

Runtime::~Runtime() {
  ProcessEvents::of_process().remove(*this);
  watch_.reset();
  say_summary(options_.say);
}

/// A capture counts calls, also those that find a plan.
PlanAnswer Runtime::plan(const PlanKey& key) {
  if (device_->is_forked())
    return {PlanStatus::wrong_process, {}, "this process was forked from the one that opened the runtime"};
  if (options_.dispatcher.capture && plans_.find(key)) static_cast<void>(dispatcher_.lookup(key.problem));
  if (auto plan = plans_.find_plan(key)) return {PlanStatus::ready, std::move(plan), {}};
  if (auto known = plans_.find(key)) return answer_of(*std::move(known));
  if (const auto why = why_invalid(key.problem); !why.empty()) return {PlanStatus::invalid, {}, why};
  if (options_.compile == CompilePolicy::in_prewarm)
    return {PlanStatus::not_ready, {}, fmt::format("{} was not prewarmed", to_string(key.problem))};
  return plan_new(key);
}

PlanAnswer Runtime::plan_new(const PlanKey& key) {
  const std::lock_guard lock(making_);
  if (auto known = plans_.find(key)) return answer_of(*std::move(known));
  auto made = make(canonical(key), {});
  plans_.put(key, made);
  return answer_of(std::move(made));
}

CachedPlan Runtime::make(const PlanKey& key, const PlanRef& former) {
  const PlanWish wish{
      .problem = key.problem, .packed_layout = key.packed_layout, .in_use = former ? former->kernel() : nullptr};
  auto planned = planner_.plan(wish, dispatcher_.lookup(key.problem));
  note(key, planned);
  return {std::move(planned.plan), std::move(planned.why_not)};
}

void Runtime::note(const PlanKey& key, const Planned& planned) {
  tally_->note_declined(planned.declined);
  planned.plan ? tally_->note_plan(planned.plan->origin().match) : tally_->note_miss();
  if (!options_.logs_plans) return;
  if (!planned.plan) return say(planned.why_not);
  say(fmt::format("{}: {}", to_string(key.problem), origin_text(*planned.plan)));
  if (!planned.plan->origin().notes.empty()) say(fmt::format("  declined: {}", planned.plan->origin().notes));
  if (!planned.why_unrehearsed.empty()) say(fmt::format("  not launched in advance: {}", planned.why_unrehearsed));
}

Prewarmed Runtime::prewarm(std::span<const Problem> problems) {
  Prewarmed result;
  compile_ahead(problems);
  for (const auto& problem : problems) {
    auto answer = PlanAnswer{PlanStatus::invalid, {}, why_invalid(problem)};
    if (device_->is_forked())
      answer = plan({.problem = problem});
    else if (answer.why_not.empty())
      answer = plan_new({.problem = problem});
    if (answer.plan)
      ++result.ready;
    else if (result.first_failure.why_not.empty())
      result.first_failure = std::move(answer);
  }
  return result;
}

/// Fills the kernel cache on disk. What cannot be compiled is reported when it is planned.
void Runtime::compile_ahead(std::span<const Problem> problems) const {
  if (device_->info().kind == DeviceKind::cpu || device_->is_forked()) return;
  std::vector<KernelSource> sources;
  for (const auto& problem : problems)
    if (why_invalid(problem).empty())
      for (auto& source : planner_.sources(problem, dispatcher_.lookup(problem))) sources.push_back(std::move(source));
  parallel_pieces(std::ssize(sources), 1, [&](std::int64_t begin, std::int64_t) {
    try {
      compile_kernel(sources[static_cast<std::size_t>(begin)]);
    } catch (const std::exception&) {
      return;
    }
  });
}

Reload Runtime::poll() {
  if (device_->is_forked()) return Reload::failed;
  const auto reload = dispatcher_.poll();
  if (reload == Reload::reloaded) renew();
  return reload;
}

void Runtime::renew() {
  tally_->note_reload();
  for (auto& [key, former] : plans_.all()) {
    const std::lock_guard lock(making_);
    plans_.put(key, make(canonical(key), former.plan));
  }
}

void Runtime::say(const std::string& line) const { options_.say(line); }

void Runtime::say_summary(const LineSink& sink) noexcept {
  if (!summary_is_due_.exchange(false) || device_->is_forked()) return;
  try {
    for (const auto& line : summary()) sink(line);
  } catch (const std::exception&) {  // out of memory: the program ends anyway
  }
}

/// The program's own sink may be gone by now.
void Runtime::before_exit() noexcept { say_summary(stderr_sink()); }

void Runtime::after_fork_in_child() noexcept { summary_is_due_ = false; }

}  // namespace gemmtune
