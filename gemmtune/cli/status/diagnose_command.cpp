#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "gemmtune/cli/command.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/report/diagnosis.h"

namespace gemmtune {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t lines_shown = 3;

std::string read_log(const std::string& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  return read_file(path);
}

/// Breaks words into lines of at most a hundred characters, indented by two blanks and the width of the lead.
std::string wrapped(std::string_view lead, std::string_view text) {
  const std::string indent(lead.size() + 2, ' ');
  std::string result = "  " + std::string(lead);
  std::size_t width = result.size();
  for (const auto word : split(text, ' ')) {
    if (width + 1 + word.size() > 100 && width > indent.size()) {
      result += '\n' + indent;
      width = indent.size();
    }
    if (width > indent.size()) result += ' ';
    result += word;
    width += 1 + word.size();
  }
  return result + '\n';
}

std::string lines_text(const std::vector<LogLine>& lines) {
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), lines_shown); ++i)
    text += fmt::format("  {}: {}\n", lines[i].number, lines[i].text);
  if (lines.size() > lines_shown) text += fmt::format("  and {} more\n", lines.size() - lines_shown);
  return text;
}

std::string finding_text(const Recognised& finding) {
  return fmt::format("{}, {} line{}\n{}{}{}\n", finding.error->name, finding.lines.size(),
                     finding.lines.size() == 1 ? "" : "s", lines_text(finding.lines),
                     wrapped("cause  ", finding.error->cause), wrapped("fix    ", finding.error->fix));
}

std::string diagnosis_text(const std::string& log, const Diagnosis& diagnosis) {
  const auto unknown = diagnosis.unknown.size();
  auto text = fmt::format("{}: {} lines, {} known error{}", log, diagnosis.lines, diagnosis.findings.size(),
                          diagnosis.findings.size() == 1 ? "" : "s");
  if (unknown > 0) text += fmt::format(", {} unknown error{}", unknown, unknown == 1 ? "" : "s");
  text += "\n\n";
  for (const auto& finding : diagnosis.findings) text += finding_text(finding);
  if (!diagnosis.unknown.empty())
    text += fmt::format("not known, {} lines that look like errors\n{}\n", diagnosis.unknown.size(),
                        lines_text(diagnosis.unknown));
  return text;
}

ordered_json lines_json(const std::vector<LogLine>& lines) {
  auto list = ordered_json::array();
  for (const auto& line : lines) list.push_back({{"line", line.number}, {"text", line.text}});
  return list;
}

ordered_json diagnosis_json(const std::string& log, const Diagnosis& diagnosis) {
  auto findings = ordered_json::array();
  for (const auto& [error, lines] : diagnosis.findings)
    findings.push_back(
        {{"error", error->name}, {"cause", error->cause}, {"fix", error->fix}, {"lines", lines_json(lines)}});
  return {{"log", log},
          {"lines", diagnosis.lines},
          {"findings", std::move(findings)},
          {"unknown", lines_json(diagnosis.unknown)}};
}

class DiagnoseCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("logs", logs_).required();
    options.add_flag("--json", json_);
  }

  int run() override {
    auto list = ordered_json::array();
    bool all_known = true;
    for (const auto& log : logs_) {
      const auto diagnosis = diagnose(read_log(log));
      all_known = all_known && diagnosis.unknown.empty();
      if (json_)
        list.push_back(diagnosis_json(log, diagnosis));
      else
        print_text("{}", diagnosis_text(log, diagnosis));
    }
    if (json_) print_text("{}\n", json_text(list));
    return all_known ? 0 : 1;
  }

 private:
  std::vector<std::string> logs_;
  bool json_{};
};

}  // namespace

std::unique_ptr<Command> make_diagnose_command() { return std::make_unique<DiagnoseCommand>(); }

}  // namespace gemmtune
