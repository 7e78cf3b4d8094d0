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

/// A candidate is judged by the latest trial of the furthest stage that it reached: a confirmed time counts more than
/// a screening's, and a candidate that failed its proof has failed. `source` is the store's path.
std::vector<Measurement> measurements_of(std::span<const Trial> trials, const std::string& source);

/// The shape, device, backend and kernel of a trial's measurement.
ShapeId shape_of(const Trial& trial);
std::pair<std::string, std::string> kernel_of(const Trial& trial);

Readings read_store(const std::filesystem::path& path);

}  // namespace gemmtune
