// Turns a store's trials into measurements: one for each candidate of a shape on a kind of device.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/report/measurement.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

/// A candidate is judged by the latest trial of the furthest stage that it reached: a confirmed time replaces a
/// screened one, and a candidate that failed its proof has failed. Without a passed proof a candidate is unproven.
/// `source` is the store's path.
std::vector<Measurement> measurements_of(std::span<const Trial> trials, const std::string& source);

/// The shape and device of a trial, as its measurement states them.
ShapeId shape_of(const Trial& trial);
std::pair<std::string, std::string> kernel_of(const Trial& trial);

Readings read_store(const std::filesystem::path& path);

}  // namespace gemmtune
