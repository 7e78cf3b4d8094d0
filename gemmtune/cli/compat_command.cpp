// gemmtune compat: the command lines of AITER's tuner scripts, word for word.
#include <algorithm>
#include <array>
#include <filesystem>

#include "gemmtune/cli/app.h"
#include "gemmtune/cli/command.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// A tuner script, and what it tunes.
struct Script {
  std::string_view name;
  std::string_view format;
  std::string_view list;  // its default list, in aiter/configs
};

constexpr std::array<Script, 10> scripts{
    {{"gemm_a4w4_blockscale_tune.py", "a4w4", "a4w4_blockscale_untuned_gemm.csv"},
     {"gemm_a8w8_tune.py", "a8w8", "a8w8_untuned_gemm.csv"},
     {"gemm_a8w8_blockscale_tune.py", "a8w8_blockscale", "a8w8_blockscale_untuned_gemm.csv"},
     {"gemm_a8w8_bpreshuffle_tune.py", "a8w8_bpreshuffle", "a8w8_bpreshuffle_untuned_gemm.csv"},
     {"gemm_a8w8_blockscale_bpreshuffle_tune.py", "a8w8_blockscale", "a8w8_blockscale_bpreshuffle_untuned_gemm.csv"},
     {"batched_gemm_a8w8_tune.py", "batched_a8w8", "a8w8_untuned_batched_gemm.csv"},
     {"batched_gemm_bf16_tune.py", "batched_a16w16", "bf16_untuned_batched_gemm.csv"},
     {"gemm_a16w16_tune.py", "a16w16", "bf16_untuned_gemm.csv"},
     {"gemm_tuner.py", "a16w16", "bf16_untuned_gemm.csv"},
     {"gemm_tune.py", "a16w16", "bf16_untuned_gemm.csv"}}};

Words script_names() {
  Words names;
  for (const auto& script : scripts) names.emplace_back(script.name);
  return names;
}

const Script& script_named(const std::string& path) {
  const auto name = fs::path(path).filename().string();
  const auto found = std::ranges::find(scripts, name, &Script::name);
  if (found != scripts.end()) return *found;
  if (name.find("moe") != std::string::npos)
    fail(ErrorCode::usage, "{} tunes fused MoE, for which there are no kernels here", name);
  fail(ErrorCode::usage, "found '{}', expected one of AITER's tuner scripts: {}", path, join(script_names(), ", "));
}

/// "python3" and assignments of variables before the script.
Words from_the_script_on(Words words) {
  const auto is_before = [](const std::string& word) {
    const bool assigns = word.find('=') != std::string::npos && !word.starts_with('-');
    return assigns || fs::path(word).filename().string().starts_with("python");
  };
  words.erase(words.begin(), std::ranges::find_if_not(words, is_before));
  return words;
}

bool has_any(const Words& words, std::initializer_list<std::string_view> options) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::any_of(
        options, [&](auto option) { return word == option || word.starts_with(std::string(option) + "="); });
  });
}

/// Options that say how AITER's own kernels are compiled or chosen: with their values they are left out.
Words without_foreign_options(const Words& words) {
  Words kept;
  bool drops = false;
  for (const auto& word : words) {
    const bool is_value = !word.starts_with('-');
    drops = drops && is_value;
    if (word == "--blockPerCu" || word == "--with-hipblaslt" || word == "--no-graph") {
      print_note("gemmtune: {} is of AITER's own kernels, and is left out\n", word);
      drops = word == "--blockPerCu";
    } else if (!drops) {
      kept.push_back(word);
    }
  }
  return kept;
}

/// Where AITER keeps its lists, if this is such a folder.
fs::path default_list(const Script& script) {
  const auto in_aiter = fs::path("aiter/configs") / script.list;
  return fs::exists(in_aiter) ? in_aiter : fs::path(script.list);
}

std::string tuned_name(std::string list) {
  if (const auto at = list.rfind("untuned"); at != std::string::npos) list.replace(at, 7, "tuned");
  return list;
}

/// The words of `gemmtune tune` that mean the same.
Words translated(const Script& script, Words words) {
  Words tune{"tune", "--format", std::string(script.format)};
  const auto add = [&](const char* option, const std::string& value) { tune.insert(tune.end(), {option, value}); };
  const bool from_model = has_any(words, {"--model_dir", "--model-dir"});
  const bool names_list = has_any(words, {"-i", "--untune_file", "--untune-file", "--input_file", "--input-file"});
  if (!names_list && !from_model && !has_any(words, {"--run_config"})) add("-i", default_list(script).string());
  if (!has_any(words, {"-o", "--tune_file", "--tune-file", "--tuned_file", "--tuned-file"}))
    add("-o", tuned_name(default_list(script).string()));
  if (!has_any(words, {"--schema"})) add("--schema", "seed");
  const bool is_preshuffled = script.list.find("blockscale_bpreshuffle") != std::string_view::npos;
  if (is_preshuffled && !has_any(words, {"--preshuffle"})) tune.emplace_back("--preshuffle");
  words = without_foreign_options(words);
  tune.insert(tune.end(), words.begin(), words.end());
  return tune;
}

class CompatCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.keep_rest();
    options_ = options;
  }

  int run() override {
    auto words = from_the_script_on(options_->rest());
    if (words.empty())
      fail(ErrorCode::usage, "expected one of AITER's tuner scripts and its arguments: {}", join(script_names(), ", "));
    const auto& script = script_named(words.front());
    words.erase(words.begin());
    auto arguments = translated(script, std::move(words));
    print_note("gemmtune: this is gemmtune {}\n", join(arguments, " "));
    arguments.insert(arguments.begin(), "gemmtune");
    return run_app(arguments);
  }

 private:
  std::optional<Options> options_{};
};

}  // namespace

std::unique_ptr<Command> make_compat_command() { return std::make_unique<CompatCommand>(); }

}  // namespace gemmtune
