// The C++ interface of gemmtune's runtime, for C++17 and newer: gemmtune/runtime.h with RAII, default values and
// exceptions. All of its code is in this header, so that only the C interface crosses the boundary of the library.
#pragma once

#include <gemmtune/runtime.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gemmtune/dispatch.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gemmtune::runtime {

using dispatch::Error;
using dispatch::parse_problem;
using dispatch::Problem;

/// The memory of one launch: Operands o{}; o.a = …; the struct size is set.
struct Operands : gemmtune_operands {
  Operands() : gemmtune_operands(gemmtune_operands_init()) {}
};

struct Options {
  std::optional<std::string> tables{};  // "a.csv:b.csv"; not set: GEMMTUNE_CONFIG_…
  std::optional<std::string> device{};  // "cpu", "cuda:1"; not set: the first GPU, or else the CPU
  std::int64_t workspace_limit_bytes{};
  std::int64_t nearest_factor{};
  std::chrono::milliseconds reload_interval{0};
  gemmtune_fallback_policy fallback{GEMMTUNE_FALLBACK_TO_DEFAULT};
  gemmtune_compile_policy compile{GEMMTUNE_COMPILE_IN_PLAN};
  gemmtune_stale_policy stale{GEMMTUNE_DECLINE_STALE};
  std::function<void(const char*)> say{};  // receives messages, on any thread; empty: stderr
};

/// A kernel that is ready for one problem. Copies hold the same plan.
class Plan {
 public:
  explicit Plan(gemmtune_plan* held) noexcept : plan_(held) {}
  Plan(const Plan& other) noexcept : plan_(other.plan_) { gemmtune_plan_retain(plan_); }
  Plan(Plan&& other) noexcept : plan_(std::exchange(other.plan_, nullptr)) {}
  Plan& operator=(Plan other) noexcept {
    std::swap(plan_, other.plan_);
    return *this;
  }
  ~Plan() { gemmtune_plan_release(plan_); }

  [[nodiscard]] gemmtune_plan_info info() const noexcept {
    gemmtune_plan_info info = gemmtune_plan_info_init();
    gemmtune_plan_get_info(plan_, &info);
    return info;
  }

  /// Throws Error, for example GEMMTUNE_UNSUPPORTED for weights that the kernel cannot multiply exactly.
  void pack_weights(const void* w, const void* w_scale, void* packed, void* stream = nullptr) const {
    gemmtune_message message{};
    dispatch::detail::check(gemmtune_pack_weights(plan_, w, w_scale, packed, stream, &message), message);
  }

  /// Enqueues one multiplication. Throws Error if it is refused.
  void launch(const gemmtune_operands& operands, void* stream = nullptr) const {
    gemmtune_message message;
    message.text[0] = '\0';
    const auto status = gemmtune_launch(plan_, &operands, stream, &message);
    if (status != GEMMTUNE_OK) throw Error(status, message.text);
  }

  /// The same, but answers with the status and throws nothing.
  [[nodiscard]] gemmtune_status try_launch(const gemmtune_operands& operands, void* stream = nullptr) const noexcept {
    return gemmtune_launch(plan_, &operands, stream, nullptr);
  }

  [[nodiscard]] gemmtune_plan* get() const noexcept { return plan_; }

 private:
  gemmtune_plan* plan_{};
};

/// Serves one device. Any number of threads may use it.
class Runtime {
 public:
  Runtime() : Runtime(Options{}) {}

  /// Throws Error: GEMMTUNE_NO_DEVICE, or GEMMTUNE_BAD_INPUT for a table that cannot be read.
  explicit Runtime(const Options& options) : say_(std::make_unique<Say>(options.say)) {
    gemmtune_runtime_options raw = gemmtune_runtime_options_init();
    raw.tables = options.tables ? options.tables->c_str() : nullptr;
    raw.device = options.device ? options.device->c_str() : nullptr;
    raw.workspace_limit_bytes = options.workspace_limit_bytes;
    raw.nearest_factor = options.nearest_factor;
    raw.reload_interval_ms = options.reload_interval.count();
    raw.fallback = options.fallback;
    raw.compile = options.compile;
    raw.stale = options.stale;
    raw.say = *say_ ? pass_on : nullptr;
    raw.context = say_.get();
    gemmtune_runtime* opened = nullptr;
    gemmtune_message message{};
    dispatch::detail::check(gemmtune_runtime_open(&raw, &opened, &message), message);
    handle_.reset(opened);
  }

  [[nodiscard]] std::string device() const { return gemmtune_runtime_device(handle_.get()); }

  /// Throws Error: GEMMTUNE_UNSUPPORTED with all reasons if no kernel can be run, GEMMTUNE_NOT_READY if one would have
  /// to be compiled and may not.
  [[nodiscard]] Plan plan(const Problem& problem) { return plan_packed(problem, 0); }

  /// Takes only kernels that read weights packed in this layout (gemmtune_plan_info::packed_layout).
  [[nodiscard]] Plan plan_packed(const Problem& problem, std::uint64_t packed_layout) {
    gemmtune_plan* plan = nullptr;
    gemmtune_message message{};
    dispatch::detail::check(gemmtune_plan_problem_packed(handle_.get(), &problem, packed_layout, &plan, &message),
                            message);
    return Plan(plan);
  }

  /// Compiles ahead. Throws Error with the first failure; the other problems are ready all the same.
  void prewarm(const std::vector<Problem>& problems) {
    gemmtune_message message{};
    dispatch::detail::check(gemmtune_prewarm(handle_.get(), problems.data(), problems.size(), nullptr, &message),
                            message);
  }

  gemmtune_reload poll() { return gemmtune_runtime_poll(handle_.get()); }

  [[nodiscard]] gemmtune_counters counters() const noexcept {
    gemmtune_counters counters = gemmtune_counters_init();
    gemmtune_runtime_count(handle_.get(), &counters);
    return counters;
  }

  /// The counters as text, with one line for each kernel that was launched.
  [[nodiscard]] std::string summary() const {
    std::string text(gemmtune_runtime_summary(handle_.get(), nullptr, 0) + 1, '\0');
    text.resize(std::min(gemmtune_runtime_summary(handle_.get(), text.data(), text.size()), text.size() - 1));
    return text;
  }

  [[nodiscard]] gemmtune_runtime* get() const noexcept { return handle_.get(); }

 private:
  using Say = std::function<void(const char*)>;

  struct Close {
    void operator()(gemmtune_runtime* runtime) const noexcept { gemmtune_runtime_close(runtime); }
  };

  static void pass_on(const char* line, void* say) { (*static_cast<const Say*>(say))(line); }

  std::unique_ptr<Say> say_;  // must outlive the handle, whose threads call it
  std::unique_ptr<gemmtune_runtime, Close> handle_;
};

}  // namespace gemmtune::runtime
