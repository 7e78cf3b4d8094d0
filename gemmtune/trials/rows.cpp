#include "gemmtune/trials/rows.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/space/plausibility.h"
#include "gemmtune/trials/context.h"
#include "gemmtune/trials/json_cell.h"

namespace gemmtune {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::string params_text(const Candidate& candidate) {
  ordered_json params = ordered_json::object();
  for (const Param& param : candidate.params) params[param.key] = param.value;
  return params.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::vector<Param> parse_params(const std::string& text) {
  return read_json_cell("parameters", text, [](const ordered_json& object) {
    std::vector<Param> params;
    for (const auto& [key, value] : object.items()) params.push_back({key, value});
    return params;
  });
}

// JSON has no infinities and NaN. They are written as null, and null is read as NaN.
std::vector<double> parse_samples(const std::string& text) {
  return read_json_cell("samples", text, [](const ordered_json& cell) {
    std::vector<double> samples;
    for (const auto& sample : cell)
      samples.push_back(sample.is_null() ? std::numeric_limits<double>::quiet_NaN() : sample.get<double>());
    return samples;
  });
}

std::vector<std::int64_t> parse_turns(const std::string& text) {
  return read_json_cell<std::vector<std::int64_t>>("turns", text);
}

void bind_timing(Query& query, const Timing& timing) {
  query.bind(timing.median_us).bind(timing.min_us).bind(timing.mean_us).bind(timing.low_us).bind(timing.high_us);
  query.bind(timing.dispersion).bind(timing.sample_count).bind(json(timing.samples_us).dump());
  query.bind(json(timing.turns).dump());
  query.bind(timing.pack_us).bind(timing.packed_bytes).bind(timing.workspace_bytes);
  query.bind(timing.clock_mhz).bind(int{timing.throttled});
}

/// What divides samples into turns relies on it.
void insist_on_whole_turns(const Timing& timing) {
  if (timing.turns.empty()) return;
  auto left = static_cast<std::int64_t>(timing.samples_us.size());
  const auto fits = [&left](std::int64_t turn) {
    const bool is_there = turn > 0 && turn <= left;
    left -= is_there ? turn : 0;
    return is_there;
  };
  if (!std::ranges::all_of(timing.turns, fits) || left != 0)
    fail(ErrorCode::input, "its turns do not add up to its {} samples", timing.samples_us.size());
}

Timing read_timing(Query& query) {
  Timing timing{.median_us = query.real(),
                .min_us = query.real(),
                .mean_us = query.real(),
                .low_us = query.real(),
                .high_us = query.real(),
                .dispersion = query.real(),
                .sample_count = query.integer(),
                .samples_us = parse_samples(query.text()),
                .turns = parse_turns(query.text()),
                .pack_us = query.real(),
                .packed_bytes = query.integer(),
                .workspace_bytes = query.integer(),
                .clock_mhz = query.real(),
                .throttled = query.flag()};
  insist_on_whole_turns(timing);
  return timing;
}

void bind_accuracy(Query& query, const Accuracy& accuracy) {
  query.bind(accuracy.err_ratio).bind(accuracy.worst_error).bind(accuracy.worst_share_of_bound);
  query.bind(accuracy.unwritten).bind(accuracy.checked).bind(int{accuracy.guards_intact});
}

Accuracy read_accuracy(Query& query) {
  return {.err_ratio = query.real(),
          .worst_error = query.real(),
          .worst_share_of_bound = query.real(),
          .unwritten = query.integer(),
          .checked = query.integer(),
          .guards_intact = query.flag()};
}

void bind_cost(Query& query, const Cost& cost) {
  query.bind(cost.kernel_s).bind(cost.prepare_s).bind(cost.operands_s).bind(cost.reference_s).bind(cost.verify_s);
}

Cost read_cost(Query& query) {
  return {.kernel_s = query.real(),
          .prepare_s = query.real(),
          .operands_s = query.real(),
          .reference_s = query.real(),
          .verify_s = query.real()};
}

template <typename Value>
Value parsed(std::optional<Value> value, const std::string& text) {
  if (!value) fail(ErrorCode::input, "it has the unknown word '{}'", visible_start(text, 100));
  return *value;
}

Outcome read_outcome(Query& query) {
  const std::string text = query.text();
  return parsed(parse_outcome(text), text);
}

Stage read_stage(Query& query) {
  const std::string text = query.text();
  return parsed(parse_stage(text), text);
}

Candidate read_candidate(Query& query) {
  return {.family = query.shown_text(),
          .name = query.shown_text(),
          .params = parse_params(query.text()),
          .split_k = query.integer(),
          .library_id = query.integer()};
}

Evaluation read_evaluation(Query& query) {
  return {.candidate = read_candidate(query),
          .stage = read_stage(query),
          .outcome = read_outcome(query),
          .reason = query.shown_text(),
          .timing = read_timing(query),
          .accuracy = read_accuracy(query),
          .cost = read_cost(query)};
}

#define GEMMTUNE_EVALUATION_COLUMNS                                                                              \
  "family, candidate, params, split_k, library_id, stage, outcome, reason, median_us, min_us, mean_us, low_us, " \
  "high_us, dispersion, sample_count, samples_us, turns, pack_us, packed_bytes, workspace_bytes, clock_mhz, "    \
  "throttled, "                                                                                                  \
  "err_ratio, worst_error, worst_share_of_bound, unwritten, checked, guards_intact, kernel_s, prepare_s, "       \
  "operands_s, reference_s, verify_s"

#define GEMMTUNE_TRIAL_COLUMNS                                                                                      \
  "trial_id, time_utc, problem, " GEMMTUNE_EVALUATION_COLUMNS                                                       \
  ", kind, device_index, device, arch, cu_num, last_level_cache_bytes, memory_bytes, features, driver, libraries, " \
  "family_version, policy_stage, warmup, min_samples, max_samples, max_sampling_s, target_dispersion, "             \
  "keep_samples, cold_cache, err_ratio_limit, atol, rtol, full_reference_flops, seed, cold_instructions"

Trial read_trial(Query& query, std::int64_t id) {
  Trial trial{.id = id, .time_utc = query.text()};
  trial.problem = parse_problem(query.text());
  trial.evaluation = read_evaluation(query);
  trial.context = read_context(query, read_device(query));
  trial.evaluation.seed = trial.context.policy.seed;
  return trial;
}

std::vector<Trial> read_trials(Connection& connection, Query& query) {
  std::vector<Trial> trials;
  while (query.step()) {
    const auto id = query.integer();
    connection.read_row("trials", id, [&] { trials.push_back(read_trial(query, id)); });
  }
  return trials;
}

Quarantined read_quarantined(Query& query, std::int64_t id) {
  Quarantined entry{.id = id, .time_utc = query.text(), .device = query.shown_text()};
  entry.problem = parse_problem(query.text());
  entry.candidate = read_candidate(query);
  entry.outcome = read_outcome(query);
  entry.reason = query.shown_text();
  entry.reproducer = query.text();
  return entry;
}

/// A crash or a hang from before the candidate was taken out of the quarantine (model_of() says the device likewise).
#define GEMMTUNE_IS_LIFTED                                                                                 \
  "(outcome IN ('crashed', 'timed_out') AND EXISTS (SELECT 1 FROM lifts"                                   \
  " WHERE lifts.problem_id = trial_details.problem_id AND lifts.candidate_id = trial_details.candidate_id" \
  " AND lifts.device = trial_details.device || ' (' || arch || ')' AND last_trial >= trial_id))"

std::optional<std::int64_t> first_integer(Query& query) {
  return query.step() ? std::optional(query.integer()) : std::nullopt;
}

}  // namespace

std::int64_t id_of(Connection& connection, const Problem& problem) {
  const std::string text = to_string(problem);
  Query known(connection.prepared("SELECT id FROM problems WHERE text = ?"));
  if (const auto id = first_integer(known.bind(text))) return *id;
  Query insert(connection.prepared("INSERT INTO problems (text, m, n, k, batch) VALUES (?, ?, ?, ?, ?)"));
  insert.bind(text).bind(problem.m).bind(problem.n).bind(problem.k).bind(problem.batch).run();
  return connection.database().getLastInsertRowid();
}

std::int64_t id_of(Connection& connection, const Candidate& candidate) {
  Query known(connection.prepared("SELECT id FROM candidates WHERE family = ? AND name = ?"));
  if (const auto id = first_integer(known.bind(candidate.family).bind(candidate.name))) return *id;
  Query insert(connection.prepared("INSERT INTO candidates (family, name, params, split_k) VALUES (?, ?, ?, ?)"));
  insert.bind(candidate.family).bind(candidate.name).bind(params_text(candidate)).bind(candidate.split_k).run();
  return connection.database().getLastInsertRowid();
}

std::int64_t id_of(Connection& connection, const DeviceInfo& device) {
  const std::string description = describe(device);
  Query known(connection.prepared("SELECT id FROM devices WHERE description = ?"));
  if (const auto id = first_integer(known.bind(description))) return *id;
  Query insert(connection.prepared(
      "INSERT INTO devices (description, kind, device_index, name, arch, cu_num, last_level_cache_bytes, memory_bytes,"
      " features, driver, libraries) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  bind_device(insert.bind(description), device);
  insert.run();
  return connection.database().getLastInsertRowid();
}

std::int64_t id_of(Connection& connection, const TrialContext& context) {
  const std::string identity = identity_of(context);
  Query known(connection.prepared("SELECT id FROM contexts WHERE identity = ?"));
  if (const auto id = first_integer(known.bind(identity))) return *id;
  Query insert(connection.prepared(
      "INSERT INTO contexts (identity, family_version, policy_stage, warmup, min_samples, max_samples, max_sampling_s,"
      " target_dispersion, keep_samples, cold_cache, err_ratio_limit, atol, rtol, full_reference_flops, seed,"
      " cold_instructions) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  bind_context(insert.bind(identity), context);
  insert.run();
  return connection.database().getLastInsertRowid();
}

void insert_trial(Connection& connection, const Problem& problem, const Evaluation& evaluation,
                  const TrialContext& context) {
  Query insert(connection.prepared(
      "INSERT INTO trials (time_utc, problem_id, candidate_id, library_id, context_id, device_id, stage, outcome, "
      "reason,"
      " median_us, min_us, mean_us, low_us, high_us, dispersion, sample_count, samples_us, turns, pack_us, "
      "packed_bytes,"
      " workspace_bytes, clock_mhz, throttled, err_ratio, worst_error, worst_share_of_bound, unwritten, checked,"
      " guards_intact, kernel_s, prepare_s, operands_s, reference_s, verify_s)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?)"));
  insert.bind(utc_now()).bind(id_of(connection, problem)).bind(id_of(connection, evaluation.candidate));
  insert.bind(evaluation.candidate.library_id).bind(id_of(connection, context)).bind(id_of(connection, context.device));
  insert.bind(to_string(evaluation.stage)).bind(to_string(evaluation.outcome)).bind(evaluation.reason);
  bind_timing(insert, evaluation.timing);
  bind_accuracy(insert, evaluation.accuracy);
  bind_cost(insert, evaluation.cost);
  insert.run();
}

namespace {

#define GEMMTUNE_LATEST_TRIAL(IN_CONTEXT)                                         \
  "SELECT trial_id, " GEMMTUNE_EVALUATION_COLUMNS                                 \
  " FROM trial_details"                                                           \
  " WHERE problem_id = (SELECT id FROM problems WHERE text = ?)"                  \
  " AND candidate_id = (SELECT id FROM candidates WHERE family = ? AND name = ?)" \
  " AND " IN_CONTEXT " AND stage = ? AND NOT " GEMMTUNE_IS_LIFTED " ORDER BY trial_id DESC LIMIT 1"

constexpr const char* latest_in_context =
    GEMMTUNE_LATEST_TRIAL("context_id = (SELECT id FROM contexts WHERE identity = ?)");

// The `libraries` of a context's device are the versions of all families. Only that of the candidate's own family says
// whether a trial is still valid, and it stands in the context's identity once more: adding a family, or a new version
// of another one, repeats no trial.
constexpr const char* latest_whatever_other_families = GEMMTUNE_LATEST_TRIAL(
    "context_id IN (SELECT id FROM contexts WHERE json_remove(identity, '$.device.libraries')"
    " = json_remove(?, '$.device.libraries'))");

std::optional<Evaluation> latest_trial(Connection& connection, const char* sql, const Problem& problem,
                                       const Evaluation& asked, const TrialContext& context) {
  const auto& candidate = asked.candidate;
  Query query(connection.prepared(sql));
  query.bind(to_string(problem)).bind(candidate.family).bind(candidate.name).bind(identity_of(context));
  if (!query.bind(to_string(asked.stage)).step()) return std::nullopt;
  std::optional<Evaluation> evaluation;
  connection.read_row("trials", query.integer(), [&] { evaluation = read_evaluation(query); });
  if (evaluation) evaluation->seed = context.policy.seed;
  return evaluation;
}

}  // namespace

std::optional<Evaluation> latest_trial(Connection& connection, const Problem& problem, const Candidate& candidate,
                                       Stage stage, const TrialContext& context) {
  const Evaluation asked{.candidate = candidate, .stage = stage};
  auto found = latest_trial(connection, latest_in_context, problem, asked, context);
  return found ? found : latest_trial(connection, latest_whatever_other_families, problem, asked, context);
}

std::vector<Trial> all_trials(Connection& connection) {
  Query query(connection.prepared("SELECT " GEMMTUNE_TRIAL_COLUMNS " FROM trial_details ORDER BY trial_id"));
  return read_trials(connection, query);
}

std::vector<Trial> trials_of(Connection& connection, const Problem& problem) {
  Query query(
      connection.prepared("SELECT " GEMMTUNE_TRIAL_COLUMNS " FROM trial_details WHERE problem = ? ORDER BY trial_id"));
  query.bind(to_string(problem));
  return read_trials(connection, query);
}

std::vector<TrialTime> times_on(Connection& connection, const DeviceInfo& device) {
  Query query(
      connection.prepared("SELECT trial_id, problem, family, candidate, median_us FROM trial_details"
                          " WHERE outcome = 'ok' AND median_us BETWEEN ? AND ? AND device = ? AND arch = ?"
                          " ORDER BY trial_id"));
  query.bind(shortest_time_us).bind(longest_time_us).bind(device.name).bind(device.arch);
  std::vector<TrialTime> times;
  while (query.step()) {
    const auto id = query.integer();
    connection.read_row("trials", id, [&] {
      times.push_back({.problem = parse_problem(query.text()),
                       .family = query.text(),
                       .candidate = query.text(),
                       .median_us = query.real()});
    });
  }
  return times;
}

void insert_quarantined(Connection& connection, const Quarantined& entry) {
  Query insert(connection.prepared(
      "INSERT INTO quarantine (time_utc, device, problem_id, candidate_id, outcome, reason, reproducer)"
      " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (device, problem_id, candidate_id) DO NOTHING"));
  insert.bind(utc_now()).bind(entry.device).bind(id_of(connection, entry.problem));
  insert.bind(id_of(connection, entry.candidate)).bind(to_string(entry.outcome)).bind(entry.reason);
  insert.bind(entry.reproducer).run();
}

std::vector<Quarantined> all_quarantined(Connection& connection) {
  Query query(connection.prepared(
      "SELECT quarantine.id, time_utc, device, text, family, name, params, split_k, -1, outcome, reason, reproducer "
      "FROM quarantine"
      " JOIN problems ON problems.id = problem_id JOIN candidates ON candidates.id = candidate_id ORDER BY "
      "quarantine.id"));
  std::vector<Quarantined> entries;
  while (query.step()) {
    const auto id = query.integer();
    connection.read_row("quarantine", id, [&] { entries.push_back(read_quarantined(query, id)); });
  }
  return entries;
}

void lift_quarantined(Connection& connection, std::int64_t id) {
  Query note(
      connection.prepared("INSERT INTO lifts (time_utc, device, problem_id, candidate_id, outcome, reason, last_trial)"
                          " SELECT ?, device, problem_id, candidate_id, outcome, reason,"
                          " (SELECT coalesce(max(id), 0) FROM trials) FROM quarantine WHERE id = ?"));
  note.bind(utc_now()).bind(id).run();
  Query(connection.prepared("DELETE FROM quarantine WHERE id = ?")).bind(id).run();
}

}  // namespace gemmtune
