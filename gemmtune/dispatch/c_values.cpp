#include "gemmtune/dispatch/c_values.h"

#include <algorithm>
#include <cstring>

#include "gemmtune/table/match_kind.h"

namespace gemmtune {
namespace {

/// The last value of each enum of the C interface. An enumerator that is added on one side only does not compile.
constexpr int last_type = GEMMTUNE_INT4;
constexpr int last_scaling_value = GEMMTUNE_E8M0_128X128;
constexpr int last_major = GEMMTUNE_MN_MAJOR;
constexpr int last_activation_value = GEMMTUNE_SILU;
static_assert(static_cast<int>(last_dtype) == last_type && static_cast<int>(DType::e4m3) == GEMMTUNE_E4M3);
static_assert(static_cast<int>(last_scaling) == last_scaling_value &&
              static_cast<int>(Scaling::row) == GEMMTUNE_PER_ROW);
static_assert(static_cast<int>(Major::mn) == last_major && static_cast<int>(Major::k) == GEMMTUNE_K_MAJOR);
static_assert(static_cast<int>(last_activation) == last_activation_value &&
              static_cast<int>(Activation::gelu_erf) == GEMMTUNE_GELU_ERF);
static_assert(match_kind_count == GEMMTUNE_FALLBACK + 1 && static_cast<int>(MatchKind::nearest) == GEMMTUNE_NEAREST);

/// 1 for a value that is no enumerator up to `last`, otherwise 0. Negative values are large ones without a sign.
int is_beyond(int value, int last) noexcept { return static_cast<unsigned>(value) > static_cast<unsigned>(last); }

}  // namespace

/// Every call of a program comes here, so that it hardly branches.
bool is_sound(const gemmtune_problem& p) noexcept {
  const int beyond = is_beyond(p.a_type, last_type) + is_beyond(p.w_type, last_type) +
                     is_beyond(p.out_type, last_type) + is_beyond(p.a_scaling, last_scaling_value) +
                     is_beyond(p.w_scaling, last_scaling_value) + is_beyond(p.a_major, last_major) +
                     is_beyond(p.w_major, last_major) + is_beyond(p.activation, last_activation_value);
  const auto distances = p.lda | p.ldw | p.ldc | p.stride_a | p.stride_w | p.stride_c;  // negative if one is
  return beyond == 0 && distances >= 0;
}

Problem problem_of(const gemmtune_problem& p) noexcept {
  return has_known_size(p) && is_sound(p) ? problem_of_sound(p) : Problem{};
}

Problem problem_of_sound(const gemmtune_problem& p) noexcept {
  return {.m = p.m,
          .n = p.n,
          .k = p.k,
          .batch = p.batch,
          .a = {static_cast<DType>(p.a_type), static_cast<Scaling>(p.a_scaling)},
          .w = {static_cast<DType>(p.w_type), static_cast<Scaling>(p.w_scaling)},
          .out = static_cast<DType>(p.out_type),
          .epilogue = {.bias = p.has_bias != 0,
                       .activation = static_cast<Activation>(p.activation),
                       .residual = p.has_residual != 0},
          .packed = p.is_packed != 0,
          .layout = {.a = static_cast<Major>(p.a_major),
                     .w = static_cast<Major>(p.w_major),
                     .a_strides = {p.lda, p.stride_a},
                     .w_strides = {p.ldw, p.stride_w},
                     .c_strides = {p.ldc, p.stride_c}}};
}

gemmtune_problem c_problem(const Problem& p) {
  const auto& [a, w, a_strides, w_strides, c_strides] = p.layout;
  return {.struct_size = sizeof(gemmtune_problem),
          .m = p.m,
          .n = p.n,
          .k = p.k,
          .batch = p.batch,
          .a_type = static_cast<int>(p.a.type),
          .a_scaling = static_cast<int>(p.a.scaling),
          .w_type = static_cast<int>(p.w.type),
          .w_scaling = static_cast<int>(p.w.scaling),
          .out_type = static_cast<int>(p.out),
          .has_bias = p.epilogue.bias ? 1 : 0,
          .is_packed = p.packed ? 1 : 0,
          .a_major = static_cast<int>(a),
          .w_major = static_cast<int>(w),
          .activation = static_cast<int>(p.epilogue.activation),
          .has_residual = p.epilogue.residual ? 1 : 0,
          .lda = a_strides.leading_dimension,
          .ldw = w_strides.leading_dimension,
          .ldc = c_strides.leading_dimension,
          .stride_a = a_strides.batch,
          .stride_w = w_strides.batch,
          .stride_c = c_strides.batch};
}

gemmtune_status status_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::usage:
      return GEMMTUNE_INVALID_ARGUMENT;
    case ErrorCode::input:
      return GEMMTUNE_BAD_INPUT;
    case ErrorCode::io:
      return GEMMTUNE_SYSTEM_ERROR;
    case ErrorCode::no_device:
      return GEMMTUNE_NO_DEVICE;
    case ErrorCode::unsupported:
      return GEMMTUNE_UNSUPPORTED;
    default:
      return GEMMTUNE_INTERNAL_ERROR;
  }
}

gemmtune_status complain(gemmtune_message* message, gemmtune_status status, const char* text) noexcept {
  if (message == nullptr) return status;
  const auto length = std::min(std::strlen(text), sizeof message->text - 1);
  std::memcpy(message->text, text, length);
  message->text[length] = '\0';
  return status;
}

}  // namespace gemmtune
