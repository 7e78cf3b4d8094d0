#include "gemmtune/report/diagnosis.h"

#include <algorithm>
#include <array>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

/// A pattern of the known errors, prepared for searching.
struct Pattern {
  std::string text{};
  const KnownError* error{};
};

std::vector<Pattern> all_patterns() {
  std::vector<Pattern> patterns;
  for (const auto& error : known_errors())
    for (const auto pattern : split(error.patterns, '|')) patterns.push_back({std::string(pattern), &error});
  return patterns;
}

/// Whether the line looks like an error. "errRatio" and "0 errors" do not count, because they are in every log of
/// tuning.
bool looks_like_error(std::string_view line) {
  constexpr std::array<std::string_view, 6> marks{"Error:",       "error:",  "Traceback (most recent call last)",
                                                  "Segmentation", "Aborted", "FATAL"};
  return std::ranges::any_of(marks, [&](auto mark) { return line.find(mark) != std::string_view::npos; });
}

class Reader {
 public:
  Diagnosis read(std::string_view log) {
    for (const auto text : split(log, '\n')) take({++diagnosis_.lines, std::string(trim(text))});
    if (log.empty() || log.ends_with('\n')) --diagnosis_.lines;
    return std::move(diagnosis_);
  }

 private:
  void take(LogLine line) {
    const auto* error = error_in(line.text);
    if (error != nullptr) {
      finding_of(error).lines.push_back(std::move(line));
    } else if (looks_like_error(line.text)) {
      diagnosis_.unknown.push_back(std::move(line));
    }
  }

  const KnownError* error_in(std::string_view line) const {
    const auto at = std::ranges::find_if(patterns_, [&](const Pattern& p) { return fits(p.text, line); });
    return at != patterns_.end() ? at->error : nullptr;
  }

  Recognised& finding_of(const KnownError* error) {
    auto& findings = diagnosis_.findings;
    const auto at = std::ranges::find(findings, error, &Recognised::error);
    return at != findings.end() ? *at : findings.emplace_back(Recognised{error, {}});
  }

  std::vector<Pattern> patterns_{all_patterns()};
  Diagnosis diagnosis_;
};

}  // namespace

Diagnosis diagnose(std::string_view log) { return Reader().read(log); }

}  // namespace gemmtune
