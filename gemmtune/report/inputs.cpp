#include "gemmtune/report/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/report/bench_csv.h"
#include "gemmtune/report/join.h"
#include "gemmtune/report/store_readings.h"

namespace gemmtune {
namespace fs = std::filesystem;

bool is_store(const fs::path& path) {
  constexpr std::string_view magic = "SQLite format 3";
  std::array<char, magic.size()> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == magic;
}

namespace {

/// Whether a file in a folder is an input. The log and the lock beside a store, and files of other kinds, are not.
bool is_of_interest(const fs::path& path) {
  return equals_ignoring_case(path.extension().string(), ".csv") || is_store(path);
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied))
    if (entry.is_regular_file() && is_of_interest(entry.path())) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// Reads one CSV. Lists of shapes, tables of fused MoE and other files have no times of GEMM kernels.
Readings read_csv_input(const fs::path& path, const ReadingOptions& options) {
  const auto document = read_csv(path);
  if (is_kernel_csv(document)) return read_kernel_csv(document, options);
  if (is_bench_csv(document)) return read_bench_csv(document, options);
  return {.without_times = {path.string()}};
}

Readings read_input(const fs::path& path, const ReadingOptions& options) {
  try {
    return is_store(path) ? read_store(path) : read_csv_input(path, options);
  } catch (const Error& error) {
    return {.notes = {fmt::format("{}; left out", error.what())}};
  }
}

}  // namespace

std::vector<fs::path> input_files(const std::vector<std::string>& arguments) {
  std::vector<fs::path> files;
  for (const fs::path path : arguments) {
    std::error_code error;
    if (!fs::exists(path, error)) fail(ErrorCode::input, "{}: there is no such file or folder", path.string());
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    const auto found = files_in(path);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

Readings read_inputs(const std::vector<fs::path>& files, const ReadingOptions& options) {
  Readings all;
  for (const auto& file : files) append(all, read_input(file, options));
  return joined(std::move(all));
}

/// Each once: a run that was resumed names its file again.
std::set<fs::path> device_files_of(const TrialStore& store) {
  std::set<fs::path> paths;
  std::error_code error;
  for (const auto& run : store.runs())
    for (const auto& file : store.files(run.id))
      if (file.kind == "devices" && fs::exists(file.path, error)) paths.insert(file.path);
  return paths;
}

StoreContents contents_of_stores(const std::vector<fs::path>& files) {
  StoreContents contents;
  std::map<Problem, RunResult> results;
  for (const auto& file : files) {
    if (!is_store(file)) continue;
    try {
      const auto store = TrialStore::open_read_only(file);
      std::ranges::move(store.all(), std::back_inserter(contents.trials));
      for (const auto& run : store.runs())
        for (auto& result : store.results(run.id)) results.insert_or_assign(result.problem, std::move(result));
      for (const auto& path : device_files_of(store))
        std::ranges::move(read_fleet_devices(path), std::back_inserter(contents.fleet_devices));
    } catch (const Error&) {
      continue;  // read_inputs() has reported it
    }
  }
  for (auto& [problem, result] : results) contents.results.push_back(std::move(result));
  return contents;
}

}  // namespace gemmtune
