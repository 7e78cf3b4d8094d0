#include "gemmtune/worker/compile_ahead.h"

#include <algorithm>
#include <set>
#include <utility>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

/// Empty for a candidate that its family no longer knows: prepare() will report that.
std::vector<KernelSource> kernels_of(std::span<const std::unique_ptr<KernelFamily>> families, const Problem& problem,
                                     const Candidate& candidate, const DeviceInfo& device) {
  const auto family =
      std::ranges::find(families, candidate.family, [](const auto& each) { return std::string(each->name()); });
  if (family == families.end()) return {};
  try {
    return (*family)->kernels(problem, candidate, device);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::vector<std::string> names_to_compile(const Problem& problem, const DeviceInfo& device,
                                          std::span<const Candidate> candidates,
                                          std::span<const std::unique_ptr<KernelFamily>> families,
                                          const KernelCompiler& compiler) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const auto& candidate : candidates) {
    bool is_new = false;
    for (const auto& source : kernels_of(families, problem, candidate, device)) {
      const auto key = cache_key(source, compiler.version());
      if (seen.insert(key).second && !compiler.has(key)) is_new = true;
    }
    if (is_new) names.push_back(candidate.name);
  }
  return names;
}

CompileAhead::CompileAhead(std::unique_ptr<Evaluator> inner, std::vector<std::unique_ptr<KernelFamily>> families,
                           std::unique_ptr<KernelCompiler> compiler, CompileAheadOptions options)
    : PassingEvaluator(std::move(inner)),
      families_(std::move(families)),
      compiler_(std::move(compiler)),
      options_(std::move(options)) {}

CompileAhead::~CompileAhead() = default;

std::vector<Candidate> CompileAhead::candidates(const Problem& problem) {
  children_.clear();
  auto candidates = inner().candidates(problem);
  if (!compiler_) return candidates;
  const auto device = inner().device();
  start(problem, device, names_to_compile(problem, device, candidates, families_, *compiler_));
  return candidates;
}

/// Process i of n takes the names i, i + n, i + 2n, …, so that the candidates that are tried first are compiled first.
/// The very first candidate is left to the worker, which needs it immediately.
void CompileAhead::start(const Problem& problem, const DeviceInfo& device, const std::vector<std::string>& names) {
  const auto ahead = names.size() > 1 ? names.size() - 1 : 0;
  const auto processes = std::min(options_.processes, ahead);
  for (std::size_t process = 0; process < processes; ++process) {
    auto command = options_.command;
    command.insert(command.end(), {"--problem", to_string(problem), "--arch", device.arch, "--candidate"});
    for (std::size_t i = 1 + process; i < names.size(); i += processes) command.push_back(names[i]);
    children_.emplace_back(command);
  }
}

}  // namespace gemmtune
