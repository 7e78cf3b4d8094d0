// What the failures of a winner's relatives mean for the winner, in words.
#pragma once

#include <string>

#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// How many candidates of the winner's family crashed, hung or could not be launched on this shape, why the first one
/// did, and the command that stresses the winner. "" when there are none (tune/relatives.h).
std::string relatives_text(const ShapeResult& result);

}  // namespace gemmtune
