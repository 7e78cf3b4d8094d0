// What is known about a device. It is stored with each trial, and it decides which candidates make sense.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

enum class DeviceKind : std::uint8_t { cpu, cuda, hip };

struct DeviceInfo {
  DeviceKind kind{DeviceKind::cpu};
  int index{};
  std::string name{};     // "AMD EPYC 7763", "NVIDIA H100 80GB HBM3"
  std::string arch{};     // the CSV's gfx: "x86-64-avx2", "sm90", "gfx950"
  std::int64_t cu_num{};  // SMs or CUs; for a CPU, the cores that this process may use
  std::int64_t last_level_cache_bytes{};
  std::int64_t memory_bytes{};
  std::vector<std::string> features{};             // "avx2", "avx512_vnni", "amx_int8", …
  std::string driver{};                            // driver or kernel version
  std::map<std::string, std::string> libraries{};  // name → version, filled by families

  bool has(const std::string& feature) const;
  bool operator==(const DeviceInfo&) const = default;
};

/// The name of the kind: "cpu", "cuda", "hip".
std::string_view kind_name(DeviceKind kind);

/// The name that selects the device: "cpu:0", "cuda:1".
std::string device_id(const DeviceInfo& device);

}  // namespace gemmtune
