// A kernel that is compiled at run time takes about a second to compile, and a search tries a hundred of them. While
// the first candidates of a shape are measured, other processes compile the kernels of the remaining ones. The
// processes share results only through the kernel cache on disk, so nothing is lost when one of them dies.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gemmtune/core/subprocess.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/evaluate/passing_evaluator.h"
#include "gemmtune/families/family.h"

namespace gemmtune {

struct CompileAheadOptions {
  std::vector<std::string> command{};  // argv, to which "--problem P --arch A --candidate NAME…" is added
  std::size_t processes{};             // at a time
};

/// Passes every call on to the inner evaluator. When it is asked for a problem's candidates, it also starts the
/// compiling processes, after it has ended those of the previous problem. All calls must come from one thread, which
/// must outlive this object: see Subprocess.
class CompileAhead final : public PassingEvaluator {
 public:
  /// `families` say which kernels a candidate needs. Without a compiler no process is started.
  CompileAhead(std::unique_ptr<Evaluator> inner, std::vector<std::unique_ptr<KernelFamily>> families,
               std::unique_ptr<KernelCompiler> compiler, CompileAheadOptions options);
  ~CompileAhead() override;

  std::vector<Candidate> candidates(const Problem& problem) override;

 private:
  void start(const Problem& problem, const DeviceInfo& device, const std::vector<std::string>& names);

  std::vector<std::unique_ptr<KernelFamily>> families_;
  std::unique_ptr<KernelCompiler> compiler_;
  CompileAheadOptions options_;
  std::vector<Subprocess> children_;
};

/// The candidates, in their order, that need at least one kernel that is not in the compiler's cache and that no
/// earlier candidate needs.
std::vector<std::string> names_to_compile(const Problem& problem, const DeviceInfo& device,
                                          std::span<const Candidate> candidates,
                                          std::span<const std::unique_ptr<KernelFamily>> families,
                                          const KernelCompiler& compiler);

}  // namespace gemmtune
