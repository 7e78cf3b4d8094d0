#include "tests/families/check/compile_ahead.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "gemmtune/device/gpu/kernel_compiler.h"

namespace gemmtune::check {
namespace {

std::vector<KernelSource> sources_of(const KernelFamily& family, const Problem& problem, const DeviceInfo& device,
                                     std::span<const Candidate> candidates) {
  std::map<std::string, KernelSource> sources;
  for (const auto& candidate : candidates)
    for (auto& source : family.kernels(problem, candidate, device)) sources.emplace(cache_key(source, ""), source);
  std::vector<KernelSource> all;
  for (auto& [key, source] : sources) all.push_back(std::move(source));
  return all;
}

void compile(const KernelSource& source) {
  try {
    static_cast<void>(compile_kernel(source));
  } catch (const std::exception&) {  // the test compiles it again, and reports this
  }
}

/// In a forked process, which leaves nothing but files.
[[noreturn]] void compile_each(const std::vector<KernelSource>& sources, std::size_t first, std::size_t step) {
  for (std::size_t i = first; i < sources.size(); i += step) compile(sources[i]);
  ::_exit(0);
}

}  // namespace

void compile_ahead(const KernelFamily& family, std::string_view problem, const DeviceInfo& device,
                   std::span<const Candidate> candidates) {
  const auto sources = sources_of(family, parse_problem(problem), device, candidates);
  const auto processes = std::min<std::size_t>(std::max(std::thread::hardware_concurrency(), 1U), sources.size());
  std::vector<pid_t> children;
  for (std::size_t i = 0; i < processes; ++i) {
    const pid_t child = ::fork();
    if (child == 0) compile_each(sources, i, processes);
    if (child > 0) children.push_back(child);
  }
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
}

}  // namespace gemmtune::check
