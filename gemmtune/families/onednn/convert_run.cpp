#include "gemmtune/families/onednn/convert_run.h"

#include "gemmtune/families/onednn/element.h"
#include "gemmtune/gemm/activation.h"

#if defined(__x86_64__)
#define GEMMTUNE_WIDE __attribute__((target("avx2,fma")))
#endif

namespace gemmtune::onednn {
namespace {

template <typename From, typename To>
GEMMTUNE_INLINE void convert_run(const std::byte* from, std::int64_t count, float scale, std::byte* to) {
  const auto* in = reinterpret_cast<const typename From::Stored*>(from);
  auto* out = reinterpret_cast<typename To::Stored*>(to);
  for (std::int64_t i = 0; i < count; ++i) out[i] = To::stored(From::value(in[i]) * scale);
}

/// `count` must be even, because two elements share a byte.
template <typename To>
GEMMTUNE_INLINE void convert_e2m1_run(const std::byte* from, std::int64_t count, float scale, std::byte* to) {
  const auto* in = reinterpret_cast<const std::uint8_t*>(from);
  auto* out = reinterpret_cast<typename To::Stored*>(to);
  for (std::int64_t i = 0; i < count / 2; ++i) {
    out[2 * i] = To::stored(e2m1_value(in[i] & 15) * scale);
    out[2 * i + 1] = To::stored(e2m1_value(in[i] >> 4) * scale);
  }
}

template <typename To>
GEMMTUNE_INLINE void convert_any_run(const Run& r) {
  switch (r.type) {
    case DType::f32:
      return convert_run<F32, To>(r.from, r.count, r.scale, r.to);
    case DType::bf16:
      return convert_run<BF16, To>(r.from, r.count, r.scale, r.to);
    case DType::f16:
      return convert_run<F16, To>(r.from, r.count, r.scale, r.to);
    case DType::i8:
      return convert_run<I8, To>(r.from, r.count, r.scale, r.to);
    case DType::e4m3:
      return convert_run<E4M3, To>(r.from, r.count, r.scale, r.to);
    case DType::e4m3fnuz:
      return convert_run<E4M3Fnuz, To>(r.from, r.count, r.scale, r.to);
    case DType::e2m1:
      return convert_e2m1_run<To>(r.from, r.count, r.scale, r.to);
    default:
      return;  // operands have no other type
  }
}

GEMMTUNE_INLINE void run_body(const Run& run, DType to) {
  to == DType::bf16 ? convert_any_run<ToBF16>(run) : convert_any_run<ToF32>(run);
}

/// An element of C before the activation. `Addend` is the type of bias and residual.
template <typename Product, typename Addend>
GEMMTUNE_INLINE float sum_at(const FinishRow& row, std::int64_t n) {
  using Stored = typename Addend::Stored;
  float value = static_cast<float>(reinterpret_cast<const Product*>(row.product)[n]);
  if (row.w_scale != nullptr) value *= row.a_scale * row.w_scale[n * row.w_step];
  if (row.bias != nullptr) value += Addend::value(reinterpret_cast<const Stored*>(row.bias)[n]);
  if (row.residual != nullptr) value += Addend::value(reinterpret_cast<const Stored*>(row.residual)[n]);
  return value;
}

/// Has a separate loop without an activation, which the compiler vectorises.
template <typename Product, typename Out, typename Addend>
GEMMTUNE_INLINE void finish_columns(const FinishRow& row) {
  auto* out = reinterpret_cast<typename Out::Stored*>(row.c);
  if (row.activation == Activation::none) {
    for (std::int64_t n = 0; n < row.n; ++n) out[n] = Out::stored(sum_at<Product, Addend>(row, n));
    return;
  }
  for (std::int64_t n = 0; n < row.n; ++n)
    out[n] = Out::stored(activate(row.activation, sum_at<Product, Addend>(row, n)));
}

template <typename Product>
GEMMTUNE_INLINE void finish_as(const FinishRow& row, DType out) {
  if (out == DType::bf16) return finish_columns<Product, ToBF16, BF16>(row);
  if (out == DType::f16) return finish_columns<Product, ToF16, F16>(row);
  finish_columns<Product, ToF32, F32>(row);
}

GEMMTUNE_INLINE void finish_body(const FinishRow& row, DType product, DType out) {
  product == DType::i32 ? finish_as<std::int32_t>(row, out) : finish_as<float>(row, out);
}

void run_narrow(const Run& run, DType to) { run_body(run, to); }
void finish_narrow(const FinishRow& row, DType product, DType out) { finish_body(row, product, out); }

#if defined(__x86_64__)
GEMMTUNE_WIDE void run_wide(const Run& run, DType to) { run_body(run, to); }
GEMMTUNE_WIDE void finish_wide(const FinishRow& row, DType product, DType out) { finish_body(row, product, out); }

bool is_wide() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

#endif

}  // namespace

#if defined(__x86_64__)
ConvertRun pick_convert_run() { return is_wide() ? run_wide : run_narrow; }
FinishColumns pick_finish_columns() { return is_wide() ? finish_wide : finish_narrow; }
#else
ConvertRun pick_convert_run() { return run_narrow; }
FinishColumns pick_finish_columns() { return finish_narrow; }
#endif

}  // namespace gemmtune::onednn
