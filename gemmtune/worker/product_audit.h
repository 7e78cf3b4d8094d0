// Checks a worker's results in the supervisor: operands are drawn here, a few rows of the product are computed here in
// double precision, and the worker's rows are compared with them. The worker does not know the seed and the rows
// before.
//
// Not: whether what a worker says agrees with itself (worker/audit.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "gemmtune/evaluate/failure.h"
#include "gemmtune/evaluate/steps.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

class ProductAudit {
 public:
  /// Draws so many weights at most for one exam, but never fewer than those of two groups of 128 columns. 64 million
  /// take half a second.
  explicit ProductAudit(std::int64_t most_weights = 64 << 20);
  ~ProductAudit();

  struct Subject {
    const Problem& problem;
    const Candidate& candidate;
    const VerifyPolicy& verify;
  };

  /// Whether the candidate multiplies gaussian operands rightly; the outcome is ok if it does. The operands of a
  /// problem are drawn once, and of their rows other ones are asked for each time.
  Failure audit(Steps& steps, const Subject& subject);

  /// The same on operands that this process has not seen yet, gaussian ones and those of an adversarial recipe.
  Failure audit_anew(Steps& steps, const Subject& subject);

 private:
  struct Exam;

  /// An exam, and the processes that know its operands.
  struct FreshExam {
    std::unique_ptr<Exam> exam;
    std::set<const Steps*> known_to;
  };

  std::uint64_t draw();
  std::vector<std::int64_t> draw_row_numbers(std::int64_t of, std::int64_t count);
  std::vector<std::int64_t> draw_column_numbers(const Problem& problem);
  std::unique_ptr<Exam> make_exam(const Problem& problem, Recipe recipe);
  const Exam& exam_new_to(const Steps& steps, const Problem& problem, Recipe recipe);

  std::int64_t most_weights_;
  std::random_device random_;
  std::unique_ptr<Exam> last_;
  std::map<Recipe, FreshExam> fresh_;  // drawing large operands takes seconds: other processes get the same
};

}  // namespace gemmtune
