// Kernels that are compiled at run time take a second each, and a search tries a hundred: other processes compile what
// the candidates of a shape need while the first of them are measured. Through the cache on disk alone, so that nothing
// is lost when such a process dies.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gemmtune/core/subprocess.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/families/family.h"

namespace gemmtune {

struct CompileAheadOptions {
  std::vector<std::string> command{};  // argv, to which "--problem P --arch A --candidate NAME…" is added
  std::size_t processes{};             // at once
};

/// Does what the evaluator inside does, and starts the processes when it is asked for a problem's candidates; those of
/// the last problem are ended then. For one thread, as long as it lives: see Subprocess.
class CompileAhead final : public Evaluator {
 public:
  /// With the families that are to be asked what they compile; without a compiler for them nothing is started.
  CompileAhead(std::unique_ptr<Evaluator> inner, std::vector<std::unique_ptr<KernelFamily>> families,
               std::unique_ptr<KernelCompiler> compiler, CompileAheadOptions options);
  ~CompileAhead() override;

  DeviceInfo device() override { return inner_->device(); }
  std::vector<FamilySupport> supports(const Problem& problem) override { return inner_->supports(problem); }
  std::vector<Candidate> candidates(const Problem& problem) override;
  void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override {
    inner_->evaluate(problem, candidates, policy, observer);
  }
  void interrupt() override { inner_->interrupt(); }

 private:
  void start(const Problem& problem, const DeviceInfo& device, const std::vector<std::string>& names);

  std::unique_ptr<Evaluator> inner_;
  std::vector<std::unique_ptr<KernelFamily>> families_;
  std::unique_ptr<KernelCompiler> compiler_;
  CompileAheadOptions options_;
  std::vector<Subprocess> children_;
};

/// Of these candidates, in their order, those that need kernels that neither the compiler's cache has nor one before
/// them needs.
std::vector<std::string> names_to_compile(const Problem& problem, const DeviceInfo& device,
                                          std::span<const Candidate> candidates,
                                          std::span<const std::unique_ptr<KernelFamily>> families,
                                          const KernelCompiler& compiler);

}  // namespace gemmtune
