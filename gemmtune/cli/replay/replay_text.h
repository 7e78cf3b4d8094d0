// The text that a replay prints.
#pragma once

#include <string>

#include "gemmtune/replay/score.h"

namespace gemmtune {

/// One line for each search: regret, cost as a share of the exhaustive search's cost (if that is included), and
/// claims. If wanted, the shapes come first, one by one.
enum class ReplayDetail { summary, shapes };
std::string replay_text(const Replay& replay, ReplayDetail detail);

}  // namespace gemmtune
