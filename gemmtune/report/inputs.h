// The files that a report is made of, told apart by what is in them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/report/kernel_csv.h"
#include "gemmtune/report/measurement.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

/// Folders stand for the CSVs and the trial stores in them, however deep, in the order of their paths. Throws
/// Error{input} for a path that is not there.
std::vector<std::filesystem::path> input_files(const std::vector<std::string>& arguments);

bool is_store(const std::filesystem::path& path);

/// Files without times are listed, and those that cannot be read noted. What files leave unsaid is taken from the
/// others (report/join.h).
Readings read_inputs(const std::vector<std::filesystem::path>& files, const ReadingOptions& options);

/// What the stores among the files have beyond measurements. Those that cannot be read are left out.
struct StoreContents {
  std::vector<Trial> trials{};
  std::vector<RunResult> results{};  // of runs, the latest of each shape
};

StoreContents contents_of_stores(const std::vector<std::filesystem::path>& files);

}  // namespace gemmtune
