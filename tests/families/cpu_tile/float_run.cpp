#include "tests/families/cpu_tile/float_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "gemmtune/device/cpu/cpu_info.h"
#include "gemmtune/families/cpu_tile/isa.h"
#include "gemmtune/gemm/numeric.h"
#include "gemmtune/gemm/quantise.h"
#include "tests/families/cpu_tile/host_stream.h"

namespace gemmtune {
namespace {

constexpr std::size_t guard_bytes = 256;
constexpr std::byte guard{0xa5};
constexpr std::byte poison{0xff};  // NaN in every output type

/// `size` bytes of poison, aligned as device memory is, with a guard on each side.
class Guarded {
 public:
  explicit Guarded(std::size_t size) : size_(size), bytes_(size + 3 * guard_bytes, guard) {
    void* start = bytes_.data() + guard_bytes;
    std::size_t room = bytes_.size() - guard_bytes;
    data_ = static_cast<std::byte*>(std::align(guard_bytes, size, start, room));
    std::fill_n(data_, size, poison);
  }

  std::byte* data() const { return data_; }

  bool intact() const {
    const auto is_guard = [](std::byte b) { return b == guard; };
    const std::byte* first = bytes_.data();
    const std::byte* last = first + bytes_.size();
    return std::all_of(first, static_cast<const std::byte*>(data_), is_guard) &&
           std::all_of(static_cast<const std::byte*>(data_) + size_, last, is_guard);
  }

 private:
  std::size_t size_;
  std::vector<std::byte> bytes_;
  std::byte* data_{};
};

double decode_out(DType type, const std::byte* bytes, std::int64_t index) {
  if (type == DType::f32) {
    float value = 0;
    std::memcpy(&value, bytes + index * 4, 4);
    return value;
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes + index * 2, 2);
  return type == DType::bf16 ? bf16_to_float(bits) : f16_to_float(bits);
}

double epsilon(DType out) {
  if (out == DType::f32) return std::ldexp(1.0, -23);
  return std::ldexp(1.0, out == DType::bf16 ? -8 : -11);
}

struct Stored {
  const Side& side;
  const std::vector<std::byte>& values;
  const std::vector<std::byte>& scales;
  std::int64_t rows{};
};

std::vector<float> real_values(const Stored& stored, const Problem& problem) {
  std::vector<float> real;
  const ScaleGrid grid = scale_grid(stored.side.scaling, stored.rows, problem.k);
  const std::int64_t value_bytes = stored.rows * storage_bytes(stored.side.type, problem.k);
  const std::int64_t scale_bytes = storage_bytes(grid.type, grid.count());
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    const auto value = stored.values.begin() + b * value_bytes;
    const auto scale = stored.scales.begin() + b * scale_bytes;
    const Quantised one{{value, value + value_bytes}, {scale, scale + scale_bytes}};
    const std::vector<float> part = dequantise(one, stored.rows, problem.k, stored.side);
    real.insert(real.end(), part.begin(), part.end());
  }
  return real;
}

struct Dot {
  double sum{};
  double norm_a{};
  double norm_w{};
};

Dot dot(const float* a, const float* w, std::int64_t k) {
  Dot dot;
  for (std::int64_t i = 0; i < k; ++i) {
    dot.sum += static_cast<double>(a[i]) * w[i];
    dot.norm_a += static_cast<double>(a[i]) * a[i];
    dot.norm_w += static_cast<double>(w[i]) * w[i];
  }
  return dot;
}

}  // namespace

FloatRun::FloatRun(const Problem& problem, Recipe recipe, std::uint64_t seed)
    : problem_(problem), seed_(seed), host_(draw_operands(problem, recipe, seed)) {
  update_reference();
}

void FloatRun::update_reference() {
  const Problem& p = problem_;
  expected_.clear();
  bounds_.clear();
  const std::vector<float> a = real_values({p.a, host_.a, host_.a_scale, p.m}, p);
  const std::vector<float> w = real_values({p.w, host_.w, host_.w_scale, p.n}, p);
  for (std::int64_t row = 0; row < p.batch * p.m; ++row) {
    for (std::int64_t n = 0; n < p.n; ++n) {
      const Dot d = dot(a.data() + row * p.k, w.data() + (row / p.m * p.n + n) * p.k, p.k);
      const double value = d.sum + (p.epilogue.bias ? decode_out(p.out, host_.bias.data(), n) : 0);
      expected_.push_back(value);
      bounds_.push_back(epsilon(p.out) * std::abs(value) + 4 * std::ldexp(1.0, -24) *
                                                               std::sqrt(static_cast<double>(p.k)) *
                                                               std::sqrt(d.norm_a * d.norm_w));
    }
  }
}

std::string FloatRun::why_wrong(PreparedGemm& gemm) const {
  const Guarded c(static_cast<std::size_t>(operand_sizes(problem_).c));
  const Guarded workspace(gemm.workspace_bytes());
  const Guarded packed(gemm.packed_weight_bytes());
  const auto data = [](const std::vector<std::byte>& bytes) { return bytes.empty() ? nullptr : bytes.data(); };
  Operands operands{.a = data(host_.a),
                    .a_scale = data(host_.a_scale),
                    .w = data(host_.w),
                    .w_scale = data(host_.w_scale),
                    .bias = data(host_.bias),
                    .c = c.data(),
                    .workspace = workspace.data()};
  HostStream stream;
  if (gemm.packed_weight_bytes() > 0) {
    gemm.pack_weights(operands, packed.data(), stream);
    operands.packed_w = packed.data();
    operands.w = nullptr;
    operands.w_scale = nullptr;
  }
  gemm.launch(operands, stream);
  if (!stream.failure.empty()) return stream.failure;
  if (!c.intact()) return "wrote outside of C";
  if (!workspace.intact()) return "wrote outside of the workspace";
  if (!packed.intact()) return "wrote outside of the packed weights";
  return why_wrong_output(c.data());
}

std::string FloatRun::why_wrong_output(const std::byte* c) const {
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    const double out = decode_out(problem_.out, c, static_cast<std::int64_t>(i));
    const bool both_nan = std::isnan(out) && std::isnan(expected_[i]);
    if (both_nan || std::abs(out - expected_[i]) <= bounds_[i]) continue;
    const auto n = static_cast<std::size_t>(problem_.n);
    return fmt::format("{} seed {}: row {} column {} is {}, expected {} ± {}", to_string(problem_), seed_, i / n, i % n,
                       out, expected_[i], bounds_[i]);
  }
  return "";
}

DeviceInfo device_with_isa(std::string_view isa, std::int64_t cores) {
  DeviceInfo device{.kind = DeviceKind::cpu, .name = "test", .arch = std::string(isa), .cu_num = cores};
  device.features = cpu_tile::features_of_isa(isa);
  return device;
}

std::string why_skipped(std::string_view isa) {
  std::string why = cpu_tile::why_not_isa(isa, read_cpu_info(SystemTree{}));
  if (why.empty() && isa.starts_with("amx") && !cpu_tile::allow_amx_tiles()) why = "the system grants no AMX tiles";
  return why.empty() ? why : fmt::format("{}: {}", isa, why);
}

}  // namespace gemmtune
