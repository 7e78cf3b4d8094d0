// Converts between evaluations and rows of the store. Lists of columns and their order are defined here and in
// schema.cpp only.
#pragma once

#include <string>

#include "gemmtune/trials/query.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

/// Each returns the id of the row with this value, and inserts the row if it does not exist.
std::int64_t id_of(Connection& connection, const Problem& problem);
std::int64_t id_of(Connection& connection, const Candidate& candidate);
std::int64_t id_of(Connection& connection, const DeviceInfo& device);
std::int64_t id_of(Connection& connection, const TrialContext& context);

void insert_trial(Connection& connection, const Problem& problem, const Evaluation& evaluation,
                  const TrialContext& context);

std::optional<Evaluation> latest_trial(Connection& connection, const Problem& problem, const Candidate& candidate,
                                       Stage stage, const TrialContext& context);

std::vector<Trial> all_trials(Connection& connection);
std::vector<Trial> trials_of(Connection& connection, const Problem& problem);
std::vector<TrialTime> times_on(Connection& connection, const DeviceInfo& device);

void insert_quarantined(Connection& connection, const Quarantined& entry);
std::vector<Quarantined> all_quarantined(Connection& connection);
void lift_quarantined(Connection& connection, std::int64_t id);

}  // namespace gemmtune
