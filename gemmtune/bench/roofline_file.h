// Files that keep rooflines: one small JSON file for each kind of device, beside the kernel cache.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/bench/roofline.h"

namespace gemmtune {

/// The folder "rooflines" in the user's cache folder, or in the folder that GEMMTUNE_CACHE names.
std::filesystem::path rooflines_folder();

nlohmann::ordered_json roofline_json(const Roofline& roofline);

/// Throws Error{input}, which names `source` and says what is wrong.
Roofline parse_roofline(const std::string& text, const std::string& source);

/// The stored roofline of devices of this kind, if there is one. Throws Error{input} for a file that cannot be read.
std::optional<Roofline> remembered_roofline(const std::filesystem::path& folder, const DeviceInfo& device);

/// All rooflines that are kept. Files that cannot be read are left out.
std::vector<Roofline> remembered_rooflines(const std::filesystem::path& folder);

/// Adds what was measured to what is known of the device, atomically, and returns the file. A file that cannot be
/// read is replaced. Throws Error{io}.
std::filesystem::path remember(const std::filesystem::path& folder, const Roofline& measured);

}  // namespace gemmtune
