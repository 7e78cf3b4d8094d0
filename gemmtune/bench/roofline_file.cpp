#include "gemmtune/bench/roofline_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/gpu/kernel_cache.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

using nlohmann::ordered_json;

constexpr int version = 1;

/// The name of the file: "NVIDIA H100 80GB HBM3" on sm90 with 132 units gives nvidia-h100-80gb-hbm3_sm90_132.json.
std::string file_name(const Roofline& roofline) {
  auto name = to_lower(roofline.device_name);
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  return fmt::format("{}_{}_{}.json", name, roofline.arch, roofline.cu_num);
}

std::string file_name(const DeviceInfo& device) {
  return file_name(Roofline{.device_name = device.name, .arch = device.arch, .cu_num = device.cu_num});
}

MatrixPeak peak_from(const ordered_json& value) {
  return {.tflops = value.at("tflops"),
          .problem = parse_problem(value.at("problem").get<std::string>()),
          .kernel = value.at("kernel"),
          .date = value.at("date")};
}

Roofline roofline_from(const ordered_json& value) {
  if (value.at("version").get<int>() != version)
    fail(ErrorCode::input, "found version {}, expected {}", value.at("version").get<int>(), version);
  Roofline roofline{.device_name = value.at("device"),
                    .arch = value.at("gfx"),
                    .cu_num = value.at("cu_num"),
                    .driver = value.at("driver"),
                    .date = value.at("date"),
                    .copy_gbps = value.at("copy_gbps")};
  for (const auto& [type, peak] : value.at("peaks").items()) roofline.peaks[type] = peak_from(peak);
  return roofline;
}

std::optional<Roofline> read_if_it_reads(const fs::path& path) {
  try {
    return parse_roofline(read_file(path), path.string());
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

fs::path rooflines_folder() {
  const auto kernels = default_kernel_cache();
  return (kernels.filename() == "kernels" ? kernels.parent_path() : kernels) / "rooflines";
}

ordered_json roofline_json(const Roofline& roofline) {
  auto peaks = ordered_json::object();
  for (const auto& [type, peak] : roofline.peaks)
    peaks[type] = {
        {"tflops", peak.tflops}, {"problem", to_string(peak.problem)}, {"kernel", peak.kernel}, {"date", peak.date}};
  return {{"version", version},
          {"device", roofline.device_name},
          {"gfx", roofline.arch},
          {"cu_num", roofline.cu_num},
          {"driver", roofline.driver},
          {"date", roofline.date},
          {"copy_gbps", roofline.copy_gbps},
          {"peaks", std::move(peaks)}};
}

Roofline parse_roofline(const std::string& text, const std::string& source) {
  try {
    return roofline_from(parse_ordered_json(text, source));
  } catch (const nlohmann::json::exception& error) {
    fail(ErrorCode::input, "{}: this is no roofline: {}", source, error.what());
  } catch (const Error& error) {
    fail(ErrorCode::input, "{}: this is no roofline: {}", source, error.what());
  }
}

std::optional<Roofline> remembered_roofline(const fs::path& folder, const DeviceInfo& device) {
  const auto path = folder / file_name(device);
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  auto roofline = parse_roofline(read_file(path), path.string());
  return is_of(roofline, device) ? std::optional(std::move(roofline)) : std::nullopt;
}

std::vector<Roofline> remembered_rooflines(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Roofline> rooflines;
  for (const auto& path : paths)
    if (auto roofline = read_if_it_reads(path)) rooflines.push_back(std::move(*roofline));
  return rooflines;
}

fs::path remember(const fs::path& folder, const Roofline& measured) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail(ErrorCode::io, "cannot make the folder {}: {}", folder.string(), error.message());
  const auto path = folder / file_name(measured);
  const auto known = fs::exists(path, error) ? read_if_it_reads(path) : std::nullopt;
  write_file_atomically(path, json_text(roofline_json(known ? updated(*known, measured) : measured)) + '\n');
  return path;
}

}  // namespace gemmtune
