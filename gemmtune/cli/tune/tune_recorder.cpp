#include "gemmtune/cli/tune/tune_recorder.h"

#include <spdlog/spdlog.h>

#include "gemmtune/cli/tune/relatives_text.h"
#include "gemmtune/core/clock.h"
#include "gemmtune/table/aiter_csv.h"

namespace gemmtune {

TunedRow with_origin(TunedRow row, const DeviceInfo& device, std::string library, std::string policy) {
  row.origin.library = std::move(library);
  row.origin.device_name = device.name;
  row.origin.driver = device.driver;
  row.origin.policy = std::move(policy);
  row.origin.date = utc_now();
  return row;
}

TuneRecorder::TuneRecorder(const DeviceInfo& device, TuneOutputs outputs, Progress& progress,
                           const std::atomic<bool>& stop)
    : device_(device), outputs_(std::move(outputs)), progress_(progress), stop_(stop) {}

void TuneRecorder::begin(const std::string& command_line, std::size_t shape_count) {
  outputs_.table.write();
  shapes_ = static_cast<std::int64_t>(shape_count);
  run_ = outputs_.store.begin_run(command_line, shapes_);
  for (const auto& [kind, path] :
       {std::pair("table", outputs_.table.path()), std::pair("profile", outputs_.profile.path())})
    if (!path.empty()) outputs_.store.add_file(run_, {kind, std::filesystem::absolute(path).string()});
}

void TuneRecorder::end(const std::string& state) {
  outputs_.table.finish();
  outputs_.profile.finish();
  outputs_.store.update_run(run_, done_, failed_, state);
}

void TuneRecorder::shape_started(const Shape& shape, std::size_t candidate_count) {
  evaluations_[shape.problem].clear();
  progress_.shape_started(shape.problem, candidate_count);
}

void TuneRecorder::candidate_done(const Shape& shape, const Evaluation& evaluation, bool /*from_store*/) {
  // A proof takes no times: a candidate that passes it keeps the times of its confirmation.
  const bool passed_proof = evaluation.stage == Stage::prove && evaluation.outcome == Outcome::ok;
  if (!passed_proof) evaluations_[shape.problem].insert_or_assign(evaluation.candidate, evaluation);
  progress_.candidate_done(shape.problem, evaluation);
  beat();
}

void TuneRecorder::shape_done(const ShapeResult& result) {
  const bool is_to_be_continued = !result.complete && stop_;
  if (!is_to_be_continued) write(result);
  evaluations_.erase(result.shape.problem);
  progress_.shape_done(result);
}

void TuneRecorder::worker_remark(std::size_t worker, const std::string& remark) {
  spdlog::warn("worker {} {}", worker, remark);
  outputs_.store.add_line(run_, fmt::format("worker {} {}", worker, remark));
}

void TuneRecorder::worker_lost(std::size_t worker, const std::string& why) {
  spdlog::warn("worker {} is given up: {}", worker, why);
  outputs_.store.add_line(run_, fmt::format("worker {} is given up: {}", worker, why));
}

TunedRow TuneRecorder::row_for(const Problem& problem, const Evaluation& evaluation) const {
  const auto version = outputs_.library_versions.find(evaluation.candidate.family);
  return with_origin(tuned_row(problem, evaluation, device_.arch, device_.cu_num), device_,
                     version != outputs_.library_versions.end() ? library_text(version->first, version->second) : "",
                     outputs_.policy);
}

// The times that count stand in the profile too: the latest ones may be those of a second look at the gain.
void TuneRecorder::write(const ShapeResult& result) {
  const auto& problem = result.shape.problem;
  auto& evaluations = evaluations_[problem];
  for (const auto* counted : {&result.winner, &result.default_choice})
    if (*counted && (*counted)->outcome == Outcome::ok) evaluations.insert_or_assign((*counted)->candidate, **counted);
  for (const auto& [candidate, evaluation] : evaluations)
    outputs_.profile.add(row_for(problem, evaluation), evaluation);
  outputs_.profile.write();
  if (result.winner) {
    outputs_.table.add(row_for(problem, *result.winner));
    outputs_.table.write();
  }
  ++done_;
  if (!result.winner) ++failed_;
  tell(result);
  outputs_.store.update_run(run_, done_, failed_, "running");
}

void TuneRecorder::tell(const ShapeResult& result) {
  const auto shapes = static_cast<std::size_t>(shapes_);
  outputs_.store.add_line(run_, shape_line(result, static_cast<std::size_t>(done_), shapes));
  if (const auto line = relatives_text(result); !line.empty()) outputs_.store.add_line(run_, line);
  RunResult told{.problem = result.shape.problem,
                 .why_failed = result.why_failed,
                 .weight = result.shape.weight,
                 .layer = result.shape.layer};
  if (const auto& winner = result.winner) {
    told.winner = winner->candidate.name;
    told.time_us = winner->timing.median_us;
    told.low_us = winner->timing.low_us;
    told.high_us = winner->timing.high_us;
    told.claim = claim_in_words(result);
  }
  if (const auto& default_choice = result.default_choice; default_choice && !default_is_wrong(result)) {
    told.default_choice = default_choice->candidate.name;
    told.default_us = default_choice->timing.median_us;
    told.default_low_us = default_choice->timing.low_us;
    told.default_high_us = default_choice->timing.high_us;
  }
  outputs_.store.add_result(run_, told);
}

/// A shape may take long. The heartbeat shows that the run is alive.
void TuneRecorder::beat() {
  constexpr double interval_s = 5;
  if (seconds_since(last_beat_) < interval_s) return;
  last_beat_ = SteadyClock::now();
  outputs_.store.update_run(run_, done_, failed_, "running");
}

}  // namespace gemmtune
