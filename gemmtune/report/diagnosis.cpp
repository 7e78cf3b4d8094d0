#include "gemmtune/report/diagnosis.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <set>

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

/// The name of an exception or of a status: "KeyError", "hipErrorInvalidValue: …".
bool names_an_error(std::string_view line) {
  for (auto at = line.find("Error"); at != std::string_view::npos; at = line.find("Error", at + 1)) {
    const auto next = at + 5 < line.size() ? line[at + 5] : ' ';
    if (next == ':' || next == '(' || next == ' ' || next == '.' || (next >= 'A' && next <= 'Z')) return true;
  }
  return false;
}

/// Whether the line looks like an error. "errRatio" and "0 errors" do not count, because they are in every log of
/// tuning.
bool looks_like_error(std::string_view line) {
  constexpr std::array<std::string_view, 10> marks{"error:",       "ERROR",       "Traceback (most recent call last)",
                                                   "Segmentation", "Aborted",     "FATAL",
                                                   "Exception:",   "core dumped", "terminate called",
                                                   "Killed"};
  return names_an_error(line) ||
         std::ranges::any_of(marks, [&](auto mark) { return line.find(mark) != std::string_view::npos; });
}

const KnownError* error_named(std::string_view name) {
  return std::to_address(std::ranges::find(known_errors(), name, &KnownError::name));
}

/// The number after "N=", "N:" or "N = "; 0 if the line does not say one.
std::int64_t n_in(std::string_view line) {
  for (auto at = line.find('N'); at != std::string_view::npos; at = line.find('N', at + 1)) {
    if (at > 0 && std::isalnum(static_cast<unsigned char>(line[at - 1])) != 0) continue;
    auto rest = trim(line.substr(at + 1));
    if (!rest.starts_with('=') && !rest.starts_with(':')) continue;
    rest = trim(rest.substr(1));
    const auto end = std::ranges::find_if(rest, [](char c) { return c < '0' || c > '9'; });
    return parse_int(rest.substr(0, static_cast<std::size_t>(end - rest.begin()))).value_or(0);
  }
  return 0;
}

class Reader {
 public:
  Diagnosis read(std::string_view log) {
    for (const auto text : split(log, '\n')) take({++diagnosis_.lines, std::string(trim(text))});
    if (log.empty() || log.ends_with('\n')) --diagnosis_.lines;
    suspect_the_node();
    return std::move(diagnosis_);
  }

 private:
  void take(LogLine line) {
    const auto* error = error_in(line.text);
    if (error != nullptr && error->name == memory_fault)
      error = of_shape(error);
    else if (const auto n = n_in(line.text); n > 0)
      shape_ = {n, line.text};
    if (error != nullptr) {
      finding_of(error).lines.push_back(std::move(line));
    } else if (looks_like_error(line.text)) {
      diagnosis_.unknown.push_back(std::move(line));
    }
  }

  /// What a fault means after the line that named its shape.
  const KnownError* of_shape(const KnownError* fault) {
    if (!shape_.line.empty()) faulty_shapes_.insert(shape_.line);
    return shape_.n % 128 != 0 ? error_named(memory_fault_of_n) : fault;
  }

  /// Faults on three shapes and more are rarely three kernels' fault.
  void suspect_the_node() {
    constexpr std::size_t many = 3;
    if (faulty_shapes_.size() < many) return;
    for (auto& finding : diagnosis_.findings)
      if (finding.error->name == memory_fault) finding.error = error_named(many_memory_faults);
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

  struct ShapeLine {
    std::int64_t n{};
    std::string line{};
  };

  std::vector<Pattern> patterns_{all_patterns()};
  ShapeLine shape_{};                      // the latest that the log names
  std::set<std::string> faulty_shapes_{};  // lines that named them
  Diagnosis diagnosis_;
};

}  // namespace

Diagnosis diagnose(std::string_view log) { return Reader().read(log); }

}  // namespace gemmtune
