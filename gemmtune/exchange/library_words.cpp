#include "gemmtune/exchange/library_words.h"

#include <array>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/exchange/blas_call.h"
#include "gemmtune/exchange/blas_types.h"

namespace gemmtune {
namespace {

std::int64_t number(const SaidWord& said, std::string_view name, std::optional<std::int64_t> usual = std::nullopt) {
  const auto text = said(name);
  if (text.empty() && usual) return *usual;
  const auto value = parse_int(text);
  if (!value || *value < 0) fail(ErrorCode::input, "{}: found '{}', expected a number", name, text);
  return *value;
}

bool is_transposed(const SaidWord& said, std::string_view name) {
  const auto text = said(name);
  if (text != "T" && text != "N") fail(ErrorCode::input, "{}: found '{}', expected T or N", name, text);
  return text == "T";
}

DType type(const SaidWord& said, std::string_view name) {
  const auto text = said(name);
  const auto known = parse_blas_type(text);
  if (!known) fail(ErrorCode::input, "{}: found '{}', which is not known here", name, text);
  return *known;
}

/// 0 none, 1 one scale, 2 one for each row.
Scaling scaling(const SaidWord& said, std::string_view name) {
  constexpr std::array<Scaling, 3> scalings{Scaling::none, Scaling::tensor, Scaling::row};
  const auto kind = number(said, name, 0);
  if (kind >= static_cast<std::int64_t>(scalings.size()))
    fail(ErrorCode::input, "{}: found {}, expected 0 to 2", name, kind);
  return scalings.at(static_cast<std::size_t>(kind));
}

Activation activation(const SaidWord& said) {
  const auto text = said("activation_type");
  if (text.empty() || text == "none") return Activation::none;
  if (text == "relu") return Activation::relu;
  if (text == "gelu") return Activation::gelu_tanh;
  if (text == "swish" || text == "silu") return Activation::silu;
  fail(ErrorCode::input, "activation_type: found '{}', which is not known here", text);
}

bool adds_c(const SaidWord& said) {
  const auto text = said("beta");
  const auto beta = text.empty() ? std::optional(0.0) : parse_double(text);
  if (!beta || (*beta != 0 && *beta != 1)) fail(ErrorCode::input, "beta: found '{}', expected 0 or 1", text);
  return *beta == 1;
}

/// A batch may multiply one matrix by many: there is no such problem here. rocBLAS's files say no strides.
std::int64_t stride(const SaidWord& said, std::string_view name, std::int64_t batch) {
  if (batch <= 1 || said(name).empty()) return 0;
  const auto value = number(said, name);
  if (value == 0) fail(ErrorCode::input, "{}: found 0, expected one matrix for each of the batch", name);
  return value;
}

void set_types(const SaidWord& said, BlasCall& call) {
  call.a = {.type = type(said, "a_type"), .scaling = scaling(said, "scaleA")};
  call.b = {.type = type(said, "b_type"), .scaling = scaling(said, "scaleB")};
  call.out = type(said, said("d_type").empty() ? "c_type" : "d_type");
  const bool is_tf32 = said("compute_type").starts_with("xf32") || said("compute_type").starts_with("c_xf32");
  if (!is_tf32) return;
  call.a.type = call.b.type = DType::tf32;
}

}  // namespace

Problem problem_of_words(const SaidWord& said) {
  if (number(said, "grouped_gemm", 0) != 0) fail(ErrorCode::input, "grouped_gemm: several products in one call");
  const auto batch = number(said, "batch_count", 1);
  BlasCall call{.transpose_a = is_transposed(said, "transA"),
                .transpose_b = is_transposed(said, "transB"),
                .m = number(said, "m"),
                .n = number(said, "n"),
                .k = number(said, "k"),
                .batch = batch,
                .lda = number(said, "lda", 0),
                .ldb = number(said, "ldb", 0),
                .ldc = number(said, said("ldd").empty() ? "ldc" : "ldd", 0),
                .stride_a = stride(said, "stride_a", batch),
                .stride_b = stride(said, "stride_b", batch),
                .stride_c = stride(said, said("stride_d").empty() ? "stride_c" : "stride_d", batch)};
  set_types(said, call);
  call.epilogue = {
      .bias = number(said, "bias_vector", 0) != 0, .activation = activation(said), .residual = adds_c(said)};
  return problem_of(call);
}

}  // namespace gemmtune
