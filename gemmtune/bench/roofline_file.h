// Rooflines as they are remembered: one small JSON file for each kind of device, beside the kernel cache.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/bench/roofline.h"

namespace gemmtune {

/// "rooflines" in the user's cache folder; in the folder that GEMMTUNE_CACHE names, where it does.
std::filesystem::path rooflines_folder();

nlohmann::ordered_json roofline_json(const Roofline& roofline);

/// Throws Error{input} that names `source` and what is wrong.
Roofline parse_roofline(const std::string& text, const std::string& source);

/// What is known of devices of this kind, if anything. Throws Error{input} for a file that does not read.
std::optional<Roofline> remembered_roofline(const std::filesystem::path& folder, const DeviceInfo& device);

/// All that are remembered. Files that do not read are left out.
std::vector<Roofline> remembered_rooflines(const std::filesystem::path& folder);

/// Adds what was measured to what is known of the device, atomically, and returns the file. One that does not read is
/// written anew. Throws Error{io}.
std::filesystem::path remember(const std::filesystem::path& folder, const Roofline& measured);

}  // namespace gemmtune
