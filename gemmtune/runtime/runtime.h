// Serves one device inside a program: plans for problems, kept and found again, renewed when tables change.
//
// The kernels that it runs are the families'; which one serves a problem is the dispatcher's answer (dispatch/) and the
// planner's choice (planner.h). The installed interface is include/gemmtune/runtime.h.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/dispatch/dispatcher.h"
#include "gemmtune/dispatch/periodic.h"
#include "gemmtune/dispatch/process_events.h"
#include "gemmtune/runtime/plan_cache.h"
#include "gemmtune/runtime/planner.h"
#include "gemmtune/runtime/quantising.h"
#include "gemmtune/runtime/runtime_options.h"

namespace gemmtune {

enum class PlanStatus : std::uint8_t { ready, invalid, unsupported, not_ready, wrong_process };

struct PlanAnswer {
  PlanStatus status{PlanStatus::ready};
  PlanRef plan{};
  std::string why_not{};
};

struct Prewarmed {
  std::size_t ready{};
  PlanAnswer first_failure{};  // of the first problem that has no plan
};

class Runtime final : private ProcessListener {
 public:
  /// Throws Error{no_device}, and what a Dispatcher throws.
  explicit Runtime(RuntimeOptions options);
  ~Runtime() override;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  const DeviceInfo& device() const { return device_->info(); }

  /// A known plan is found without waiting for plans that are being made.
  PlanAnswer plan(const PlanKey& key);

  /// Compiles in parallel, then plans one after the other, whatever the compile policy is.
  Prewarmed prewarm(std::span<const Problem> problems);

  /// Reads changed tables and plans the known problems anew. Their old plans serve until each new one is ready.
  Reload poll();

  Quantising& quantising() { return quantising_; }

  Totals totals() const { return tally_->totals(); }
  std::vector<std::string> summary() const { return tally_->summary(); }

 private:
  PlanAnswer plan_new(const PlanKey& key);
  CachedPlan make(const PlanKey& key, const PlanRef& former);
  void note(const PlanKey& key, const Planned& planned);
  void renew();
  void compile_ahead(std::span<const Problem> problems) const;
  void say(const std::string& line) const;
  void say_summary(const LineSink& sink) noexcept;
  void before_exit() noexcept override;
  void after_fork_in_child() noexcept override;

  RuntimeOptions options_;
  std::shared_ptr<const ServingDevice> device_;
  Dispatcher dispatcher_;
  std::shared_ptr<Tally> tally_{std::make_shared<Tally>()};
  Planner planner_;
  Quantising quantising_{device_};
  PlanCache plans_;
  std::mutex making_;  // one plan is made at a time
  std::atomic<bool> summary_is_due_;
  std::unique_ptr<Periodic> watch_;  // the last member, so that it is destroyed first
};

}  // namespace gemmtune
