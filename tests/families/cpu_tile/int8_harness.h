// Runs candidates of cpu_tile for tests: on a device that pretends to have one instruction set only, with guarded
// buffers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "gemmtune/device/device.h"
#include "gemmtune/families/cpu_tile/isa.h"
#include "gemmtune/families/family.h"
#include "gemmtune/gemm/draw.h"
#include "gemmtune/gemm/numeric.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_cpu_tile_family();

namespace cpu_tile {

inline const std::vector<std::string>& int8_labels() {
  static const std::vector<std::string> labels{"portable", "avx2", "avxvnni", "avx512vnni", "amxint8"};
  return labels;
}

/// A buffer with guard bytes behind it, filled with a poison that is NaN in every output type.
class GuardedBytes {
 public:
  explicit GuardedBytes(std::size_t size) : size_(size), bytes_(size + guard + 64, std::byte{0xff}) {}
  std::byte* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    return bytes_.data() + (64 - address % 64) % 64;
  }
  std::size_t size() const { return size_; }
  bool intact() {
    return std::all_of(data() + size_, data() + size_ + guard - 64, [](std::byte b) { return b == std::byte{0xff}; });
  }

 private:
  static constexpr std::size_t guard = 256;
  std::size_t size_;
  std::vector<std::byte> bytes_;
};

/// This machine, with the features of one instruction set and two cores.
inline DeviceInfo device_with(const std::string& label) {
  DeviceInfo info = open_device("cpu")->info();
  info.features = features_of_isa(label);
  info.cu_num = 2;
  return info;
}

inline bool runs_here(const std::string& label) {
  return why_not_isa(label, open_device("cpu")->info()).empty() && (!label.starts_with("amx") || allow_amx_tiles());
}

/// C of one prepared product, in the output's type. `name` describes it.
inline std::vector<std::byte> run_prepared(PreparedGemm& gemm, const Problem& problem, const HostOperands& host,
                                           const std::string& name) {
  const auto device = open_device("cpu");
  GuardedBytes packed(gemm.packed_weight_bytes());
  GuardedBytes workspace(gemm.workspace_bytes());
  GuardedBytes c(static_cast<std::size_t>(operand_sizes(problem).c));
  Operands operands{.a = host.a.data(),
                    .a_scale = host.a_scale.data(),
                    .w = host.w.data(),
                    .w_scale = host.w_scale.data(),
                    .bias = problem.epilogue.bias ? host.bias.data() : nullptr,
                    .c = c.data(),
                    .packed_w = packed.data(),
                    .workspace = workspace.data()};
  if (problem.packed) {
    gemm.pack_weights(operands, packed.data(), device->stream());
    operands.w = nullptr;
    operands.w_scale = nullptr;
  }
  gemm.launch(operands, device->stream());
  device->stream().synchronize();
  EXPECT_TRUE(packed.intact() && workspace.intact() && c.intact()) << "a guard was overwritten by " << name;
  return {c.data(), c.data() + c.size()};
}

/// C of one candidate, in the output's type.
inline std::vector<std::byte> run_candidate(const Problem& problem, const Candidate& candidate,
                                            const HostOperands& host, const DeviceInfo& info) {
  const auto gemm = make_cpu_tile_family()->prepare(problem, candidate, info);
  return run_prepared(*gemm, problem, host, candidate.name);
}

/// Element i of a tensor of bf16, fp16 or f32, exactly.
inline double element(const std::vector<std::byte>& tensor, DType type, std::int64_t i) {
  if (type == DType::f32) {
    float value{};
    std::memcpy(&value, tensor.data() + i * 4, 4);
    return value;
  }
  std::uint16_t raw{};
  std::memcpy(&raw, tensor.data() + i * 2, 2);
  return type == DType::bf16 ? bf16_to_float(raw) : f16_to_float(raw);
}

/// The distance from 1 to the next number of the type.
inline double spacing(DType type) {
  return type == DType::bf16 ? std::ldexp(1, -7) : type == DType::f16 ? std::ldexp(1, -10) : std::ldexp(1, -23);
}

inline std::string reproducer(const Problem& problem, const Candidate& candidate, std::uint64_t seed) {
  return to_string(problem) + " " + candidate.name + " seed " + std::to_string(seed);
}

}  // namespace cpu_tile
}  // namespace gemmtune
