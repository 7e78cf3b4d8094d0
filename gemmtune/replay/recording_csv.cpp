#include <fmt/format.h>

#include <array>
#include <optional>

#include "gemmtune/core/csv.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/replay/recording.h"

namespace gemmtune {
namespace {

constexpr std::array<std::string_view, 3> kinds{"cpu", "cuda", "hip"};

const std::vector<std::string> header{"device_kind", "device",      "problem",   "family",
                                      "candidate",   "params",      "split_k",   "memory_bytes",
                                      "failed",      "overhead_us", "screen_us", "confirm_us"};

std::string samples_text(const std::vector<double>& samples) {
  std::vector<std::string> texts;
  for (const double sample : samples) texts.push_back(fmt::format("{:.5g}", sample));
  return join(texts, " ");
}

std::string samples_text(const Samples& samples) {
  if (samples.turns.empty()) return samples_text(samples.us);
  std::vector<std::string> texts;
  for (const auto turn : turns_of(samples)) texts.push_back(samples_text({turn.begin(), turn.end()}));
  return join(texts, " | ");
}

std::string params_text(const std::vector<Param>& params) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : params) texts.push_back(key + '=' + value);
  return join(texts, " ");
}

std::string failed_text(const RecordedCandidate& one) {
  if (one.outcome == Outcome::ok) return "";
  return fmt::format("{} {}", to_string(one.failed_at), to_string(one.outcome));
}

std::string line_of(const RecordedShape& shape, const RecordedCandidate& one) {
  return csv_line({std::string(kinds.at(static_cast<std::size_t>(shape.kind))), shape.device, to_string(shape.problem),
                   one.candidate.family, one.candidate.name, params_text(one.candidate.params),
                   fmt::to_string(one.candidate.split_k), fmt::to_string(one.memory_bytes), failed_text(one),
                   fmt::format("{:.4g}", one.overhead_us), samples_text(one.screen_us), samples_text(one.confirm)});
}

/// Reads the cells of one line.
class Line {
 public:
  Line(const CsvDocument& document, const CsvRow& row) : document_(document), row_(row) {}

  std::string_view text(std::string_view name) const { return document_.text(row_, document_.column(name)); }

  template <typename Parse>
  auto value(std::string_view name, const Parse& parse) const {
    const auto parsed = parse(text(name));
    if (!parsed)
      fail(ErrorCode::input, "{}: {}: found '{}', which cannot be read", document_.where(row_, document_.column(name)),
           name, visible_start(text(name)));
    return *parsed;
  }

 private:
  const CsvDocument& document_;
  const CsvRow& row_;
};

std::optional<DeviceKind> parse_kind(std::string_view text) {
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] == text) return static_cast<DeviceKind>(i);
  return std::nullopt;
}

std::optional<std::vector<double>> parse_samples(std::string_view text) {
  std::vector<double> samples;
  for (const auto piece : split(text, ' ')) {
    if (piece.empty()) continue;
    const auto sample = parse_double(piece);
    if (!sample || !(*sample > 0)) return std::nullopt;
    samples.push_back(*sample);
  }
  return samples;
}

std::optional<Samples> parse_turns(std::string_view text) {
  const auto pieces = split(text, '|');
  Samples samples;
  for (const auto piece : pieces) {
    const auto turn = parse_samples(piece);
    if (!turn || (turn->empty() && pieces.size() > 1)) return std::nullopt;
    samples.us.insert(samples.us.end(), turn->begin(), turn->end());
    if (pieces.size() > 1) samples.turns.push_back(turn->size());
  }
  return samples;
}

std::optional<std::vector<Param>> parse_params(std::string_view text) {
  std::vector<Param> params;
  for (const auto piece : split(text, ' ')) {
    if (piece.empty()) continue;
    const auto at = piece.find('=');
    if (at == std::string_view::npos) return std::nullopt;
    params.push_back({std::string(piece.substr(0, at)), std::string(piece.substr(at + 1))});
  }
  return params;
}

struct Failure {
  Stage stage{Stage::screen};
  Outcome outcome{Outcome::ok};
};

std::optional<Failure> parse_failure(std::string_view text) {
  if (text.empty()) return Failure{};
  const auto pieces = split(text, ' ');
  if (pieces.size() != 2) return std::nullopt;
  const auto stage = parse_stage(pieces[0]);
  const auto outcome = parse_outcome(pieces[1]);
  if (!stage || !outcome) return std::nullopt;
  return Failure{*stage, *outcome};
}

std::optional<Problem> parse_problem_cell(std::string_view text) {
  try {
    return parse_problem(text);
  } catch (const Error&) {
    return std::nullopt;  // the caller's message has the place in the file
  }
}

/// g++ 12 destroys the parts of a nested list twice when a later initialiser throws: hence the type before the list.
RecordedCandidate candidate_of(const Line& line) {
  const auto failure = line.value("failed", parse_failure);
  return {.candidate = Candidate{.family = std::string(line.text("family")),
                                 .name = std::string(line.text("candidate")),
                                 .params = line.value("params", parse_params),
                                 .split_k = line.value("split_k", parse_int)},
          .outcome = failure.outcome,
          .failed_at = failure.stage,
          .memory_bytes = line.value("memory_bytes", parse_int),
          .overhead_us = line.value("overhead_us", parse_double),
          .screen_us = line.value("screen_us", parse_samples),
          .confirm = line.value("confirm_us", parse_turns)};
}

RecordedShape shape_of(const Line& line) {
  return {.kind = line.value("device_kind", parse_kind),
          .device = std::string(line.text("device")),
          .problem = line.value("problem", parse_problem_cell)};
}

}  // namespace

std::string recording_text(const Recording& recording) {
  std::string text = csv_line(header) + '\n';
  for (const auto& shape : recording)
    for (const auto& one : shape.candidates) text += line_of(shape, one) + '\n';
  return text;
}

Recording parse_recording(std::string_view text, const std::string& source) {
  const auto document = parse_csv(text, source);
  for (const auto& name : header)
    if (!document.column(name)) fail(ErrorCode::input, "{} is no recording: it has no column {}", source, name);
  Recording recording;
  for (const auto& row : document.rows) {
    const Line line(document, row);
    auto shape = shape_of(line);
    if (recording.empty() || recording.back().problem != shape.problem || recording.back().device != shape.device)
      recording.push_back(std::move(shape));
    recording.back().candidates.push_back(candidate_of(line));
  }
  return recording;
}

}  // namespace gemmtune
