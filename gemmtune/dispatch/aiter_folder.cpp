#include "gemmtune/dispatch/aiter_folder.h"

#include <algorithm>
#include <array>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

struct FamilyFile {
  std::string_view name{};  // of its file, without .csv
  TableFamily family{};
};

constexpr std::array<FamilyFile, 9> family_files{
    {{"bf16_tuned_gemm", {Format::a16w16, false}},
     {"a8w8_tuned_gemm", {Format::a8w8, false}},
     {"a8w8_blockscale_tuned_gemm", {Format::a8w8_blockscale, false}},
     {"a8w8_bpreshuffle_tuned_gemm", {Format::a8w8_bpreshuffle, true}},
     {"a8w8_blockscale_bpreshuffle_tuned_gemm", {Format::a8w8_blockscale, true}},
     {"a4w4_blockscale_tuned_gemm", {Format::a4w4, true}},
     {"a8w8_tuned_batched_gemm", {Format::batched_a8w8, false}},
     {"bf16_tuned_batched_gemm", {Format::batched_a16w16, false}},
     {"batched_gemm_a8w8_blockscale_mxscale_tuned", {Format::batched_a8w8, false, true}}}};

fs::path configs_in(const fs::path& folder) {
  for (const auto& configs : {folder / "aiter" / "configs", folder / "configs"})
    if (fs::is_directory(configs)) return configs;
  fail(ErrorCode::input, "{}: expected a folder with aiter/configs in it", folder.string());
}

/// In an order that does not depend on the file system.
std::vector<fs::path> csv_files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// The family's own table, then those of models.
std::vector<fs::path> files_of(const fs::path& configs, std::string_view name) {
  std::vector<fs::path> files;
  if (const auto own = configs / (std::string(name) + ".csv"); fs::exists(own)) files.push_back(own);
  for (const auto& file : csv_files_in(configs / "model_configs")) {
    const auto stem = file.stem().string();
    if (stem.find(name) != std::string::npos && stem.find("untuned") == std::string::npos) files.push_back(file);
  }
  return files;
}

}  // namespace

AiterTables aiter_tables(const fs::path& folder) {
  const auto configs = configs_in(folder);
  AiterTables found{.moe_tables = files_of(configs, "tuned_fmoe")};
  for (const auto& [name, family] : family_files)
    for (auto& file : files_of(configs, name)) found.tables.push_back({.path = std::move(file), .family = family});
  if (found.tables.empty() && found.moe_tables.empty())
    fail(ErrorCode::input, "{}: found no tuned tables there", configs.string());
  return found;
}

std::vector<fs::path> files_of(const AiterTables& tables) {
  std::vector<fs::path> files;
  for (const auto& source : tables.tables) files.push_back(source.path);
  files.insert(files.end(), tables.moe_tables.begin(), tables.moe_tables.end());
  return files;
}

}  // namespace gemmtune
