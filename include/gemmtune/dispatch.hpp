// The C++ interface of gemmtune's dispatcher, for C++17 and newer: gemmtune/dispatch.h with RAII, default values and
// exceptions. All of its code is in this header, so that only the C interface crosses the boundary of the library.
#pragma once

#include <gemmtune/dispatch.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace gemmtune::dispatch {

class Error : public std::runtime_error {
 public:
  Error(gemmtune_status status, const char* message) : std::runtime_error(message), status_(status) {}
  gemmtune_status status() const noexcept { return status_; }

 private:
  gemmtune_status status_;
};

namespace detail {

inline void check(gemmtune_status status, const gemmtune_message& message) {
  if (status != GEMMTUNE_OK) throw Error(status, message.text);
}

}  // namespace detail

/// A problem as parse_problem() or gemmtune_problem_init() makes it. Without its struct_size, a lookup answers as for a
/// problem that no table and no rule covers.
using Problem = gemmtune_problem;

/// Parses a problem such as "64x4096x4096:a4w4". Throws Error with the column that cannot be parsed.
inline Problem parse_problem(const std::string& text) {
  Problem problem = gemmtune_problem_init();
  gemmtune_message message{};
  detail::check(gemmtune_parse_problem(text.c_str(), &problem, &message), message);
  return problem;
}

/// A kernel. Its texts are valid as long as the answer that contains it.
struct Choice {
  std::string_view libtype{};
  std::string_view kernel_name{};  // "": the library's own heuristic chooses
  std::int64_t kernel_id{-1};
  std::int64_t split_k{};
  double time_us{};
  std::string_view source{};
  std::int64_t line{};
};

/// The answer to a lookup. It is valid until this thread's next lookup with the same dispatcher. gemmtune_answer in
/// gemmtune/dispatch.h describes its members.
struct Answer {
  gemmtune_match match{GEMMTUNE_FALLBACK};
  std::int64_t tuned_m{};
  std::optional<Choice> choice{};
  std::optional<Choice> runner_up{};
  double expected_us{};
  bool is_scaled{};
};

struct Options {
  std::optional<std::string> tables{};  // separated by colons; empty: as environment variables say
  std::optional<std::string> gfx{};
  std::int64_t cu_num{};
  std::int64_t nearest_factor{2};
  std::chrono::milliseconds reload_interval{0};
  std::function<void(const char*)> say{};  // receives messages, on any thread; must not throw
};

class Dispatcher {
 public:
  explicit Dispatcher(const Options& options) : say_(std::make_unique<Say>(options.say)) {
    const gemmtune_dispatcher_options raw{sizeof(gemmtune_dispatcher_options),
                                          options.tables ? options.tables->c_str() : nullptr,
                                          options.gfx ? options.gfx->c_str() : nullptr,
                                          options.cu_num,
                                          options.nearest_factor,
                                          options.reload_interval.count(),
                                          *say_ ? &Dispatcher::pass_on : nullptr,
                                          say_.get()};
    gemmtune_dispatcher* opened = nullptr;
    gemmtune_message message{};
    detail::check(gemmtune_dispatcher_open(&raw, &opened, &message), message);
    handle_.reset(opened);
  }

  [[nodiscard]] Answer lookup(const Problem& problem) const noexcept {
    gemmtune_answer found = gemmtune_answer_init();
    if (gemmtune_lookup(handle_.get(), &problem, &found) != GEMMTUNE_OK) return {};
    return {found.match,
            found.tuned_m,
            found.has_choice != 0 ? std::optional(choice_of(found.choice)) : std::nullopt,
            found.has_runner_up != 0 ? std::optional(choice_of(found.runner_up)) : std::nullopt,
            found.expected_us,
            found.is_scaled != 0};
  }

  /// Explains the answer to a problem, with one line for each level that was tried.
  [[nodiscard]] std::string explain(const Problem& problem) const {
    std::string text(gemmtune_explain(handle_.get(), &problem, nullptr, 0) + 1, '\0');
    text.resize(std::min(gemmtune_explain(handle_.get(), &problem, text.data(), text.size()), text.size() - 1));
    return text;
  }

  gemmtune_reload poll() { return gemmtune_dispatcher_poll(handle_.get()); }

 private:
  using Say = std::function<void(const char*)>;

  struct Close {
    void operator()(gemmtune_dispatcher* dispatcher) const noexcept { gemmtune_dispatcher_close(dispatcher); }
  };

  static void pass_on(const char* line, void* say) { (*static_cast<const Say*>(say))(line); }

  static Choice choice_of(const gemmtune_choice& c) noexcept {
    return {c.libtype, c.kernel_name, c.kernel_id, c.split_k, c.time_us, c.source, c.line};
  }

  std::unique_ptr<Say> say_;  // must outlive the handle, whose threads call it
  std::unique_ptr<gemmtune_dispatcher, Close> handle_;
};

}  // namespace gemmtune::dispatch
