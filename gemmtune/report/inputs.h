// The files from which a report is made, told apart by their content.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/report/fleet_devices.h"
#include "gemmtune/report/kernel_csv.h"
#include "gemmtune/report/measurement.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

/// A folder stands for all CSVs and trial stores in it, at any depth, in the order of their paths. Throws
/// Error{input} for a path that does not exist.
std::vector<std::filesystem::path> input_files(const std::vector<std::string>& arguments);

bool is_store(const std::filesystem::path& path);

/// Files without times are listed, and files that cannot be read are noted. What a file does not state is taken from
/// the other files (report/join.h).
Readings read_inputs(const std::vector<std::filesystem::path>& files, const ReadingOptions& options);

/// What the stores among the files contain beyond measurements. Stores that cannot be read are left out.
struct StoreContents {
  std::vector<Trial> trials{};
  std::vector<RunResult> results{};                // for each run, the latest result of each shape
  std::vector<FleetDeviceRecord> fleet_devices{};  // of runs over many machines
};

StoreContents contents_of_stores(const std::vector<std::filesystem::path>& files);

}  // namespace gemmtune
