// What tuning gained over all shapes together.
#pragma once

#include <span>
#include <string>

#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// The geometric mean of the gains against the default choices; how long all calls of the list take with the default
/// choices and with the winners, each shape as often as its weight says; and on how many shapes the default is wrong.
/// "" when nothing can be compared.
std::string gain_lines(std::span<const ShapeResult> results);

}  // namespace gemmtune
