#include "gemmtune/exchange/server_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "gemmtune/core/text.h"
#include "gemmtune/table/triton/triton_params.h"
#include "gemmtune/table/triton/triton_table.h"

namespace gemmtune {
namespace {

constexpr std::int64_t block = 128;

/// The parameters that the servers' kernel has.
constexpr std::array<std::string_view, 9> server_params{
    "BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K",         "GROUP_SIZE_M", "num_warps",
    "num_stages",   "waves_per_eu", "matrix_instr_nonkdim", "kpack"};

std::int64_t number(const std::vector<Param>& params, std::string_view key, std::int64_t usual) {
  const auto found = std::ranges::find(params, key, &Param::key);
  return found == params.end() ? usual : parse_int(found->value).value_or(-1);
}

bool has_blocks_of_128(const Problem& problem) {
  const bool is_fp8 =
      problem.a.type == problem.w.type && (problem.a.type == DType::e4m3 || problem.a.type == DType::e4m3fnuz);
  return is_fp8 && problem.a.scaling == Scaling::block_1x128 && problem.w.scaling == Scaling::block_128x128;
}

std::string why_no_problem(const Problem& problem) {
  if (!has_blocks_of_128(problem)) return "the servers read files only for FP8 with blocks of 128";
  if (problem.packed || problem.batch > 1 || !is_plain(problem) || problem.epilogue.bias)
    return "the servers' kernel multiplies plain matrices";
  return "";
}

std::string why_no_kernel(const TunedRow& row, const std::vector<Param>& params) {
  if (row.libtype != triton_family_name) return fmt::format("{} is none of the servers' kernels", row.libtype);
  if (!has_time(row)) return "no time";
  if (const auto beyond = parts_beyond_files(row.kernel_name); !beyond.empty())
    return fmt::format("files have no parameter for {}", join(beyond, " and "));
  if (!says_tile(params)) return "its name does not say the tile";
  if (number(params, "NUM_KSPLIT", 1) != 1) return "the servers' kernel does not split K";
  const auto k = number(params, "BLOCK_SIZE_K", -1);
  return k < 1 || block % k != 0 ? "the servers' kernel needs a BLOCK_SIZE_K that divides 128" : "";
}

/// Without what only other kernels have, and without the numbers that stand for "not said".
std::vector<Param> known_to_servers(const std::vector<Param>& params) {
  std::vector<Param> known;
  for (const auto name : server_params) {
    const auto found = std::ranges::find(params, name, &Param::key);
    if (found != params.end()) known.push_back(*found);
  }
  return known;
}

struct Timed {
  double time_us{};
  ServerConfigEntry entry{};
};

using ByM = std::map<std::int64_t, Timed>;

ServerConfig config_of(const ServerConfigName& name, const ByM& entries) {
  ServerConfig config{.name = name};
  for (const auto& [m, timed] : entries) config.entries.push_back(timed.entry);
  return config;
}

}  // namespace

ServerExport server_export(const TunedTable& table, const std::string& device_name) {
  ServerExport result;
  std::map<ServerConfigName, ByM> files;
  for (const auto& row : table.rows) {
    const auto params = params_in_name(row.kernel_name);
    auto why = why_no_problem(row.problem);
    if (why.empty()) why = why_no_kernel(row, params);
    if (!why.empty()) {
      result.left_out.push_back({fmt::format("{}, {}", to_string(row.problem), row.kernel_name), why});
      continue;
    }
    const ServerConfigName name{.n = row.problem.n,
                                .k = row.problem.k,
                                .device_name = device_name,
                                .dtype = "fp8_w8a8",
                                .block_shape = "[128,128]"};
    auto& timed = files[name][row.problem.m];
    if (timed.time_us == 0 || row.time_us < timed.time_us)
      timed = {row.time_us, {.m = row.problem.m, .params = known_to_servers(params)}};
  }
  for (const auto& [name, entries] : files) result.configs.push_back(config_of(name, entries));
  return result;
}

std::string server_device_name(std::string device) {
  std::ranges::replace_if(
      device, [](char c) { return c == ' ' || c == '/'; }, '_');
  return device.find("H200") != std::string::npos ? "NVIDIA_H200" : device;
}

}  // namespace gemmtune
