// A store's trials as measurements: one for each candidate of a shape on a kind of device.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/report/measurement.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

/// A candidate is judged by the latest trial of the furthest stage it got to: a confirmed time counts more than that of
/// its screening, and one that was disproved has failed. `source` is the store's path.
std::vector<Measurement> measurements_of(std::span<const Trial> trials, const std::string& source);

/// What a trial's measurement is of, and its backend and kernel.
ShapeId shape_of(const Trial& trial);
std::pair<std::string, std::string> kernel_of(const Trial& trial);

Readings read_store(const std::filesystem::path& path);

}  // namespace gemmtune
