// What a replay says on a terminal.
#pragma once

#include <string>

#include "gemmtune/replay/score.h"

namespace gemmtune {

/// One line for each search: regret, cost as a share of the exhaustive search's where that is among them, and claims.
/// With each shape on its own before that, when wanted.
enum class ReplayDetail { summary, shapes };
std::string replay_text(const Replay& replay, ReplayDetail detail);

}  // namespace gemmtune
