#include "gemmtune/dispatch/environment.h"

#include <array>
#include <csignal>
#include <cstdlib>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

constexpr std::array<FamilyVariable, 9> families{{
    {"GEMMTUNE_CONFIG_A16W16", "AITER_CONFIG_GEMM_BF16", {Format::a16w16, false}},
    {"GEMMTUNE_CONFIG_A8W8", "AITER_CONFIG_GEMM_A8W8", {Format::a8w8, false}},
    {"GEMMTUNE_CONFIG_A8W8_BLOCKSCALE", "AITER_CONFIG_GEMM_A8W8_BLOCKSCALE", {Format::a8w8_blockscale, false}},
    {"GEMMTUNE_CONFIG_A8W8_BPRESHUFFLE", "AITER_CONFIG_GEMM_A8W8_BPRESHUFFLE", {Format::a8w8_bpreshuffle, true}},
    {"GEMMTUNE_CONFIG_A8W8_BLOCKSCALE_BPRESHUFFLE",
     "AITER_CONFIG_GEMM_A8W8_BLOCKSCALE_BPRESHUFFLE",
     {Format::a8w8_blockscale, true}},
    {"GEMMTUNE_CONFIG_A4W4", "AITER_CONFIG_GEMM_A4W4", {Format::a4w4, true}},
    {"GEMMTUNE_CONFIG_BATCHED_A8W8", "AITER_CONFIG_A8W8_BATCHED_GEMM", {Format::batched_a8w8, false}},
    {"GEMMTUNE_CONFIG_BATCHED_A16W16", "AITER_CONFIG_BF16_BATCHED_GEMM", {Format::batched_a16w16, false}},
    {"GEMMTUNE_CONFIG_BATCHED_MXSCALE",
     "AITER_CONFIG_BATCHED_GEMM_A8W8_BLOCKSCALE_MXSCALE",
     {Format::batched_a8w8, false, true}},
}};

constexpr std::int64_t longest_interval_s = 86400;

/// Reads one environment, variable by variable.
class Reader {
 public:
  explicit Reader(const Variables& variables) : variables_(variables) {}

  Environment read() {
    environment_.reload_interval = interval("GEMMTUNE_RELOAD_INTERVAL").value_or(std::chrono::milliseconds(0));
    for (const auto& variable : families) {
      if (const auto name = first_set({variable.ours, variable.aiters}); !name.empty())
        add_tables(name, variable.family);
    }
    if (const auto name = first_set({"GEMMTUNE_CONFIG_FMOE", "AITER_CONFIG_FMOE"}); !name.empty())
      environment_.moe_tables = existing(name, Presence::required);
    environment_.log_lookups = is_on("GEMMTUNE_LOG_TUNED_CONFIG") || is_on("AITER_LOG_TUNED_CONFIG");
    environment_.wants_summary = is_on("GEMMTUNE_SUMMARY");
    environment_.is_preload_off = !value_of("GEMMTUNE_PRELOAD").empty() && !is_on("GEMMTUNE_PRELOAD");
    read_capture();
    read_device();
    return std::move(environment_);
  }

 private:
  /// An empty value counts as not set.
  std::string value_of(std::string_view name) const { return std::string(trim(variables_(name).value_or(""))); }

  std::string_view first_set(std::initializer_list<std::string_view> names) const {
    for (const auto name : names)
      if (!value_of(name).empty()) return name;
    return {};
  }

  bool is_on(std::string_view name) const {
    const auto text = value_of(name);
    if (text.empty()) return false;
    const auto on = parse_bool(text);
    if (!on) fail(ErrorCode::input, "{}: found '{}', expected 1 or 0", name, text);
    return *on;
  }

  void add_tables(std::string_view name, const TableFamily& family) {
    const auto presence = environment_.reload_interval.count() > 0 ? Presence::awaited : Presence::required;
    for (auto& path : existing(name, presence))
      environment_.tables.push_back({.path = std::move(path), .family = family});
  }

  /// The variable's seconds.
  std::optional<std::chrono::milliseconds> interval(std::string_view name) const {
    const auto text = value_of(name);
    if (text.empty()) return std::nullopt;
    const auto seconds = parse_double(text);
    if (!seconds || !(*seconds >= 0.001 && *seconds <= longest_interval_s))
      fail(ErrorCode::input, "{}: found '{}', expected a number of seconds from 0.001 to {}", name, text,
           longest_interval_s);
    return std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
  }

  /// The files that the variable names, of which one at least must exist unless they are awaited.
  std::vector<std::filesystem::path> existing(std::string_view name, Presence presence) {
    std::vector<std::filesystem::path> paths;
    const auto value = value_of(name);
    for (auto& path : split_paths(value)) {
      if (std::filesystem::exists(path) || presence == Presence::awaited)
        paths.push_back(std::move(path));
      else
        environment_.notes.push_back(fmt::format("{}: {} does not exist and is left out", name, path.string()));
    }
    if (paths.empty()) fail(ErrorCode::input, "{}: none of its files exists: {}", name, value);
    return paths;
  }

  void read_capture() {
    if (const auto path = value_of("GEMMTUNE_CAPTURE"); !path.empty())
      environment_.capture = CaptureOptions{.path = path};
    else if (is_on("AITER_TUNE_GEMM"))
      environment_.capture = CaptureOptions{.path = default_capture_path};
    if (!environment_.capture) return;
    environment_.capture->signal = capture_signal();
    if (const auto given = interval("GEMMTUNE_CAPTURE_INTERVAL")) environment_.capture->interval = *given;
  }

  std::optional<int> capture_signal() const {
    const auto name = value_of("GEMMTUNE_CAPTURE_SIGNAL");
    if (name.empty()) return std::nullopt;
    if (name == "USR1" || name == "SIGUSR1") return SIGUSR1;
    if (name == "USR2" || name == "SIGUSR2") return SIGUSR2;
    fail(ErrorCode::input, "GEMMTUNE_CAPTURE_SIGNAL: found '{}', expected USR1 or USR2", name);
  }

  void read_device() {
    const auto archs = value_of("GPU_ARCHS");
    const bool is_one = archs.find_first_of(";,") == std::string::npos && archs != "native";
    if (is_one) environment_.gfx = archs;
    const auto units = value_of("CU_NUM");
    if (units.empty()) return;
    const auto cu_num = parse_int(units);
    if (!cu_num || *cu_num < 1) fail(ErrorCode::input, "CU_NUM: found '{}', expected a number of compute units", units);
    environment_.cu_num = *cu_num;
  }

  const Variables& variables_;
  Environment environment_;
};

}  // namespace

std::span<const FamilyVariable> family_variables() { return families; }

Variables process_variables() {
  return [](std::string_view name) {
    const auto* value = std::getenv(std::string(name).c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

Variables process_variables_without_tables() {
  return [process = process_variables()](std::string_view name) {
    return name.find("_CONFIG_") != std::string_view::npos ? std::nullopt : process(name);
  };
}

Environment read_environment(const Variables& variables) { return Reader(variables).read(); }

}  // namespace gemmtune
