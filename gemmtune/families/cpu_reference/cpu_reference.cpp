// Multiplies every format, summing in double, one element after the other: slow, and right. It works where no other
// family does. It is not used to check other families: verify/ does that, and shares no code with this family except
// the meaning of the bits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "gemmtune/families/space_family.h"
#include "gemmtune/gemm/activation.h"
#include "gemmtune/gemm/numeric.h"

namespace gemmtune {
namespace {

constexpr double flop_limit = 2e8;  // about a tenth of a second: slower calls are of no use

template <typename Stored>
Stored load(const std::byte* from, std::int64_t index) {
  Stored value{};
  std::memcpy(&value, from + index * static_cast<std::int64_t>(sizeof value), sizeof value);
  return value;
}

template <typename Stored>
void store(std::byte* to, std::int64_t index, Stored value) {
  std::memcpy(to + index * static_cast<std::int64_t>(sizeof value), &value, sizeof value);
}

void store_output(DType type, std::byte* to, std::int64_t index, float value) {
  if (type == DType::f32) return store(to, index, value);
  store(to, index, type == DType::bf16 ? float_to_bf16(value) : float_to_f16(value));
}

std::uint8_t nibble(const std::byte* from, std::int64_t index) {
  const auto pair = load<std::uint8_t>(from, index / 2);
  return static_cast<std::uint8_t>(index % 2 == 0 ? pair & 15 : pair >> 4);
}

float stored_value(DType type, const std::byte* from, std::int64_t index) {
  switch (type) {
    case DType::f32:
    case DType::tf32:
      return load<float>(from, index);
    case DType::f16:
      return f16_to_float(load<std::uint16_t>(from, index));
    case DType::bf16:
      return bf16_to_float(load<std::uint16_t>(from, index));
    case DType::e4m3:
      return e4m3_to_float(load<std::uint8_t>(from, index));
    case DType::e4m3fnuz:
      return e4m3fnuz_to_float(load<std::uint8_t>(from, index));
    case DType::i8:
      return static_cast<float>(load<std::int8_t>(from, index));
    case DType::e2m1:
      return e2m1_to_float(nibble(from, index));
    case DType::i4:
      return i4_to_float(nibble(from, index));
    default:
      return std::numeric_limits<float>::quiet_NaN();  // operands have no other type
  }
}

/// Makes of a block what a call that quantises makes of it (gemm/q8.h).
void round_to_q8(float* values, std::int64_t count) {
  float amax = 0.0F;
  bool finite = true;
  for (std::int64_t i = 0; i < count; ++i) {
    finite = finite && std::isfinite(values[i]);
    amax = std::max(amax, std::fabs(values[i]));
  }
  const float scale = !finite ? std::numeric_limits<float>::quiet_NaN() : amax / 127 == 0.0F ? 1.0F : amax / 127;
  for (std::int64_t i = 0; i < count; ++i) values[i] = static_cast<float>(float_to_i8(values[i] / scale)) * scale;
}

/// The same for a call that quantises to E4M3 (gemm/fp8_in_call.h).
void round_to_fp8(float* values, std::int64_t count) {
  float amax = 0.0F;
  bool finite = true;
  for (std::int64_t i = 0; i < count; ++i) {
    finite = finite && std::isfinite(values[i]);
    amax = std::max(amax, std::fabs(values[i]));
  }
  const float scale = !finite ? std::numeric_limits<float>::quiet_NaN() : amax / 448 == 0.0F ? 1.0F : amax / 448;
  for (std::int64_t i = 0; i < count; ++i) values[i] = e4m3_to_float(float_to_e4m3(values[i] / scale)) * scale;
}

void round_as_call(Scaling scaling, float* row, std::int64_t k) {
  const std::int64_t length = scaling == Scaling::q8_in_call ? 32 : scaling == Scaling::fp8_1x128 ? 128 : k;
  const auto round = scaling == Scaling::q8_in_call ? round_to_q8 : round_to_fp8;
  for (std::int64_t i = 0; i < k; i += length) round(row + i, std::min(length, k - i));
}

/// Decodes one operand, element by element, into [batch, rows, K].
struct Decoder {
  Side side{};
  StoredMatrix stored{};
  Major major{};
  std::int64_t batch{};
  std::int64_t rows{};
  std::int64_t k{};

  std::size_t decoded_bytes() const { return sizeof(float) * static_cast<std::size_t>(batch * rows * k); }

  void decode(const std::byte* values, const std::byte* scales, float* out) const {
    const ScaleGrid grid = scale_grid(side.scaling, rows, k);
    for (std::int64_t row = 0; row < batch * rows; ++row) {
      const std::byte* const of_batch = scales + row / rows * grid.bytes();
      const std::int64_t first = row % rows / grid.row_block * grid.cols;
      for (std::int64_t i = 0; i < k; ++i) {
        const float value = stored_value(side.type, values, place(row / rows, row % rows, i));
        out[row * k + i] = value * scale(grid, of_batch, first + i / grid.k_block);
      }
      if (is_q8_in_call(side) || is_fp8_in_call(side)) round_as_call(side.scaling, out + row * k, k);
    }
  }

 private:
  std::int64_t place(std::int64_t b, std::int64_t row, std::int64_t i) const {
    const bool along_k = major == Major::k;
    return b * stored.batch_stride + (along_k ? row : i) * stored.leading_dimension + (along_k ? i : row);
  }

  static float scale(const ScaleGrid& grid, const std::byte* scales, std::int64_t index) {
    if (grid.count() == 0) return 1.0F;
    if (grid.type == DType::e8m0) return e8m0_to_float(load<std::uint8_t>(scales, index));
    const float value = stored_value(grid.type, scales, index);
    return grid.has_tensor_scale ? value * load<float>(scales + grid.tensor_scale_offset(), 0) : value;
  }
};

double dot(const float* a, const float* w, std::int64_t k) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < k; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(w[i]);
  return sum;
}

class ReferenceGemm final : public PreparedGemm {
 public:
  ReferenceGemm(const Problem& problem, int threads)
      : problem_(problem),
        threads_(threads),
        a_{problem.a, stored_a(problem), problem.layout.a, problem.batch, problem.m, problem.k},
        w_{problem.w, stored_w(problem), problem.layout.w, problem.batch, problem.n, problem.k},
        c_(stored_c(problem)) {}

  std::size_t packed_weight_bytes() const override { return problem_.packed ? w_.decoded_bytes() : 0; }

  std::string packed_layout() const override { return "f32"; }

  std::size_t workspace_bytes() const override {
    return a_.decoded_bytes() + (problem_.packed ? 0 : w_.decoded_bytes());
  }

  void pack_weights(const Operands& operands, std::byte* packed, Stream&) override {
    w_.decode(operands.w, operands.w_scale, reinterpret_cast<float*>(packed));
  }

  void launch(const Operands& operands, Stream&) noexcept override {
    auto* a = reinterpret_cast<float*>(operands.workspace);
    a_.decode(operands.a, operands.a_scale, a);
    multiply(a, weights(operands), operands);
  }

 private:
  const float* weights(const Operands& operands) const {
    if (problem_.packed) return reinterpret_cast<const float*>(operands.packed_w);
    auto* w = reinterpret_cast<float*>(operands.workspace + a_.decoded_bytes());
    w_.decode(operands.w, operands.w_scale, w);
    return w;
  }

  void multiply(const float* a, const float* w, const Operands& operands) const {
    const Problem& p = problem_;
#pragma omp parallel for collapse(2) num_threads(threads_) schedule(static)
    for (std::int64_t row = 0; row < p.batch * p.m; ++row) {
      for (std::int64_t n = 0; n < p.n; ++n) {
        double sum = dot(a + row * p.k, w + (row / p.m * p.n + n) * p.k, p.k);
        const std::int64_t at = row / p.m * c_.batch_stride + row % p.m * c_.leading_dimension + n;
        if (p.epilogue.bias) sum += static_cast<double>(stored_value(p.out, operands.bias, n));
        if (p.epilogue.residual) sum += static_cast<double>(stored_value(p.out, operands.residual, at));
        store_output(p.out, operands.c, at, static_cast<float>(activate(p.epilogue.activation, sum)));
      }
    }
  }

  Problem problem_;
  int threads_;
  Decoder a_;
  Decoder w_;
  StoredMatrix c_;
};

Space space_on(const DeviceInfo& device) {
  const std::int64_t cores = device.cu_num;
  return {"cpu_reference_f64",
          {numeric_axis("t", {cores})},
          {{"threads must be from 1 to the cores of this machine",
            [cores](const Point& point) { return point["t"] >= 1 && point["t"] <= cores; }}}};
}

class CpuReferenceFamily final : public SpaceFamily {
 public:
  std::string_view name() const override { return "cpu_reference"; }

  std::string version() const override { return "4"; }

  FeatureSet features() const override {
    return basic_features()
        .with(block_features())
        .with(fp8_in_call_features())
        .with(e8m0_block_features())
        .with(mxfp8_features())
        .with(layout_features())
        .with(epilogue_features());
  }
  DefaultRank default_rank(const Problem&) const override { return DefaultRank::last_resort; }

 private:
  std::string why_not(const Problem& problem, const DeviceInfo&) const override {
    if (flops(problem) <= flop_limit) return {};
    return fmt::format("{:.3g} GFLOP: more than the {:.3g} that a reference is worth", flops(problem) / 1e9,
                       flop_limit / 1e9);
  }

  Space space(const Problem&, const DeviceInfo& device) const override { return space_on(device); }

  std::unique_ptr<PreparedGemm> make_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return std::make_unique<ReferenceGemm>(problem, static_cast<int>(point["t"]));
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_cpu_reference_family() { return std::make_unique<CpuReferenceFamily>(); }

}  // namespace gemmtune
