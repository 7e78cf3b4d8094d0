#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>

#include "gemmtune/cli/command_group.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/text_grid.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/device/gpu/vendor.h"
#include "gemmtune/families/registry.h"

namespace gemmtune {
namespace {

/// "2026-11-28 05:17:00" in UTC.
std::string utc(std::filesystem::file_time_type time) {
  const auto system = std::chrono::file_clock::to_sys(time);
  return fmt::format(
      "{:%Y-%m-%d %H:%M:%S}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::time_point_cast<std::chrono::seconds>(system))));
}

std::string as_json(const std::vector<CachedKernel>& kernels) {
  auto list = nlohmann::json::array();
  for (const auto& kernel : kernels)
    list.push_back({{"key", kernel.key}, {"bytes", kernel.bytes}, {"used_utc", utc(kernel.used)}});
  return json_text(list);
}

std::string as_text(const std::vector<CachedKernel>& kernels) {
  std::vector<std::vector<std::string>> rows{{"kernel", "bytes", "last used (UTC)"}};
  for (const auto& kernel : kernels) rows.push_back({kernel.key, std::to_string(kernel.bytes), utc(kernel.used)});
  const auto bytes = std::accumulate(kernels.begin(), kernels.end(), std::int64_t{0},
                                     [](std::int64_t sum, const CachedKernel& kernel) { return sum + kernel.bytes; });
  return fmt::format("{}\n{} kernels, {} bytes in {}", trim(text_grid(rows, {Align::left, Align::right})),
                     kernels.size(), bytes, default_kernel_cache().string());
}

class CacheListCommand final : public Command {
 public:
  void declare(Options& options) override { options.add_flag("--json", json_); }

  int run() override {
    const auto kernels = KernelCache(default_kernel_cache()).list();
    print_text("{}\n", json_ ? as_json(kernels) : as_text(kernels));
    return 0;
  }

 private:
  bool json_{};
};

class CacheClearCommand final : public Command {
 public:
  void declare(Options& /*options*/) override {}

  int run() override {
    print_text("{} kernels removed from {}\n", KernelCache(default_kernel_cache()).clear(),
               default_kernel_cache().string());
    return 0;
  }
};

class CacheFillCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("--problem", problem_).required();
    options.add_option("--candidate", names_).expected(1, -1);
    options.add_option("--arch", arch_);
  }

  int run() override {
    const auto kind = gpu::kind_of_arch(arch_);
    const auto compiler = KernelCompiler::open(KernelCache(default_kernel_cache()), kind);
    if (!compiler) fail(ErrorCode::no_device, "{}", KernelCompiler::why_not(kind));
    const auto problem = parse_problem(problem_);
    const DeviceInfo device{.kind = kind, .arch = arch_, .cu_num = 132};
    std::int64_t compiled = 0;
    for (const auto& [family, candidate] : named(problem, device))
      for (const auto& source : family->kernels(problem, candidate, device)) {
        if (compiler->has(cache_key(source, compiler->version()))) continue;
        static_cast<void>(compiler->compile(source));
        ++compiled;
      }
    print_text("{} kernels compiled into {}\n", compiled, default_kernel_cache().string());
    return 0;
  }

 private:
  using Owned = std::pair<const KernelFamily*, Candidate>;

  std::vector<Owned> named(const Problem& problem, const DeviceInfo& device) const {
    if (names_.empty()) return all(problem, device);
    std::vector<Owned> candidates;
    for (const auto& name : names_) {
      const auto* family = find_family_of(families_, name);
      if (family == nullptr) fail(ErrorCode::usage, "--candidate: '{}' starts with no family's name", name);
      candidates.push_back({family, {.family = std::string(family->name()), .name = name}});
    }
    return candidates;
  }

  /// The candidates of the families that can list them without the device.
  std::vector<Owned> all(const Problem& problem, const DeviceInfo& device) const {
    std::vector<Owned> candidates;
    for (const auto& family : families_)
      if (family->supports(problem, device))
        for (auto& candidate : family->candidates(problem, device))
          candidates.emplace_back(family.get(), std::move(candidate));
    return candidates;
  }

  std::vector<std::unique_ptr<KernelFamily>> families_ = make_families();
  std::string problem_;
  std::string arch_{"sm90"};
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<Command> make_cache_command() {
  std::vector<NamedCommand> commands;
  commands.push_back({"list", std::make_unique<CacheListCommand>()});
  commands.push_back({"fill", std::make_unique<CacheFillCommand>()});
  commands.push_back({"clear", std::make_unique<CacheClearCommand>()});
  return make_command_group("cache", std::move(commands));
}

}  // namespace gemmtune
