// Several worker processes of one device as one evaluator: gemmtune's own worker, and those of other programs. Each
// candidate goes to the worker of its family. Finalists of different processes are timed in turns (turns_across.h), and
// candidates of workers that are not trusted are audited before they can win (product_audit.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/worker/product_audit.h"

namespace gemmtune {

enum class Trust : std::uint8_t {
  audited,  // its results are checked here
  trusted,  // they are believed: it verifies by gemmtune's own code, or its user vouches for it
};

struct Member {
  std::string name{};  // for messages
  std::unique_ptr<Evaluator> evaluator{};
  Trust trust{Trust::audited};
  std::vector<std::string> families{};    // those that it is asked for; empty: all that it lists
  std::vector<std::string> candidates{};  // the names of those that it is given; empty: all of its families
};

class CompositeEvaluator final : public Evaluator {
 public:
  /// `device` is what trials are stored under. `absent` are families that nobody offers, and why.
  CompositeEvaluator(DeviceInfo device, std::vector<Member> members, std::map<std::string, std::string> absent = {});
  ~CompositeEvaluator() override;

  /// Starts the workers. A worker that says that it cannot start is left out, and its families say why. Throws what
  /// the last one throws if none can start, and Error{protocol} for one of another device.
  DeviceInfo device() override;
  void begin_start() override;
  void expect(const Problem& problem, std::span<const Candidate> candidates) override;

  /// Throws Error{usage} if two workers offer a family of the same name, unless they are given different candidates.
  std::vector<FamilySupport> supports(const Problem& problem) override;
  std::vector<Candidate> candidates(const Problem& problem) override;
  void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override;
  void interrupt() override;
  std::vector<std::string> remarks() const override { return {remarks_.begin(), remarks_.end()}; }

 private:
  struct Asked;
  class Believer;

  void start();
  Member* member_of(const Candidate& candidate);
  std::map<Member*, std::vector<Candidate>> shares(const Asked& asked, EvaluationObserver& observer);
  void evaluate_share(const Asked& asked, Member& member, std::span<const Candidate> candidates,
                      EvaluationObserver& observer);
  void confirm(const Asked& asked, EvaluationObserver& observer);
  bool confirm_together(const Asked& asked, std::map<Member*, std::vector<Candidate>>& shares,
                        EvaluationObserver& observer);
  void begin(const Problem& problem);
  Evaluation judged(const Asked& asked, Member& member, Evaluation evaluation);
  Failure audit(const Asked& asked, Member& member, const Evaluation& evaluation);
  bool needs_audit(const Evaluation& evaluation) const;

  DeviceInfo device_;
  std::vector<Member> members_;
  std::vector<Member*> ready_;                 // those that have started
  std::map<std::string, std::string> absent_;  // families of workers that cannot start, and why
  std::map<std::string, Member*> routes_;      // by family
  std::set<std::string> remarks_;
  std::atomic<bool> interrupted_{false};
  bool is_started_{};
  ProductAudit audit_;
  Problem problem_{};
  std::set<Candidate> audited_;  // on this problem
  double fastest_us_{};          // of the candidates of this problem that are believed
};

}  // namespace gemmtune
