#include "gemmtune/tune/limits.h"

#include <fmt/format.h>

namespace gemmtune {

bool Limits::reached() const { return aborted_ || *stop_ || budget_is_spent(); }

std::string Limits::reason() const {
  if (aborted_) return "the run ended in an error";
  if (*stop_) return "the run was stopped";
  if (budget_is_spent()) return fmt::format("the budget of {} is spent", human_duration(*budget_s_));
  return "";
}

}  // namespace gemmtune
