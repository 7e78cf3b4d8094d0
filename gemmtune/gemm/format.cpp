#include "gemmtune/gemm/format.h"

#include <algorithm>
#include <array>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

constexpr std::array<std::string_view, 17> names{"a16w16",   "a8w8",           "a8w8_blockscale", "a8w8_bpreshuffle",
                                                 "a4w4",     "batched_a16w16", "batched_a8w8",    "a16w4",
                                                 "a8w4",     "a16w4_nvfp4",    "a8w4_nvfp4",      "a8wq4",
                                                 "a8wq8",    "mxfp8",          "a16w8",           "a16w8_blockscale",
                                                 "a16w4_fp8"};
static_assert(names.size() == static_cast<std::size_t>(Format::a16w4_fp8) + 1);

constexpr Side bf16{.type = DType::bf16, .scaling = Scaling::none};
constexpr Side fp8_rows{.type = DType::e4m3, .scaling = Scaling::row};
constexpr Side fp8_tensor{.type = DType::e4m3, .scaling = Scaling::tensor};
constexpr Side int8_rows{.type = DType::i8, .scaling = Scaling::row};
constexpr Side mxfp4{.type = DType::e2m1, .scaling = Scaling::mx_1x32};
constexpr Side mxfp8{.type = DType::e4m3, .scaling = Scaling::mx_1x32};
constexpr Side nvfp4{.type = DType::e2m1, .scaling = Scaling::nv_1x16};
constexpr Side q4_0{.type = DType::i4, .scaling = Scaling::f16_1x32};
constexpr Side q8_0{.type = DType::i8, .scaling = Scaling::f16_1x32};
constexpr Side bf16_q8{.type = DType::bf16, .scaling = Scaling::q8_in_call};

constexpr Side bf16_fp8_1x128{.type = DType::bf16, .scaling = Scaling::fp8_1x128};
constexpr Side bf16_fp8_row{.type = DType::bf16, .scaling = Scaling::fp8_row};
constexpr Side fp8_blocks{.type = DType::e4m3, .scaling = Scaling::block_128x128};

/// Activations that are floats, as they are or for the call to quantise, and weights of a type of their own.
struct FloatFormat {
  Format format{};
  Side a{};
  Side w{};
};

constexpr std::array<FloatFormat, 9> float_formats{{{Format::a16w4, bf16, mxfp4},
                                                    {Format::a8w4, bf16_q8, mxfp4},
                                                    {Format::a16w4_nvfp4, bf16, nvfp4},
                                                    {Format::a8w4_nvfp4, bf16_q8, nvfp4},
                                                    {Format::a8wq4, bf16_q8, q4_0},
                                                    {Format::a8wq8, bf16_q8, q8_0},
                                                    {Format::a16w8, bf16_fp8_row, fp8_rows},
                                                    {Format::a16w8_blockscale, bf16_fp8_1x128, fp8_blocks},
                                                    {Format::a16w4_fp8, bf16_fp8_row, mxfp4}}};

bool is_float(DType type) {
  return type == DType::bf16 || type == DType::f16 || type == DType::tf32 || type == DType::f32;
}
bool is_coarse(Scaling scaling) { return scaling == Scaling::tensor || scaling == Scaling::row; }

bool is_block_scaled(const Problem& problem) {
  return problem.a.scaling == Scaling::block_1x128 && problem.w.scaling == Scaling::block_128x128;
}

std::optional<Format> format_of_8bit(const Problem& problem) {
  if (is_block_scaled(problem)) return Format::a8w8_blockscale;
  if (!is_coarse(problem.a.scaling) || !is_coarse(problem.w.scaling)) return std::nullopt;
  if (problem.batch > 1) return Format::batched_a8w8;
  return problem.packed ? Format::a8w8_bpreshuffle : Format::a8w8;
}

/// Floats of each width count as bf16, but not tf32. One scale for E4M3 weights counts as one for each channel.
std::optional<Format> float_format_of(const Problem& problem) {
  const Side a{.type = is_half(problem.a.type) || problem.a.type == DType::f32 ? DType::bf16 : problem.a.type,
               .scaling = problem.a.scaling};
  const Side w = problem.w == fp8_tensor ? fp8_rows : problem.w;
  const auto is_of = [&](const FloatFormat& each) { return each.a == a && each.w == w; };
  const auto found = std::ranges::find_if(float_formats, is_of);
  return found == float_formats.end() ? std::nullopt : std::optional(found->format);
}

}  // namespace

std::string_view to_string(Format format) { return names[static_cast<std::size_t>(format)]; }

std::optional<Format> parse_format(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (equals_ignoring_case(text, names[i])) return static_cast<Format>(i);
  if (equals_ignoring_case(text, "mxfp4") || equals_ignoring_case(text, "a4w4_blockscale")) return Format::a4w4;
  return std::nullopt;
}

const std::vector<Format>& all_formats() {
  // Never destroyed: problems are read while the process exits, when a capture is written.
  static const auto* const formats = [] {
    auto* all = new std::vector<Format>;
    for (std::size_t i = 0; i < names.size(); ++i) all->push_back(static_cast<Format>(i));
    return all;
  }();
  return *formats;
}

bool is_aiter(Format format) { return format < Format::a16w4; }

Problem format_defaults(Format format) {
  switch (format) {
    case Format::a16w16:
    case Format::batched_a16w16:
      return {.a = bf16, .w = bf16};
    case Format::a8w8:
    case Format::batched_a8w8:
      return {.a = int8_rows, .w = int8_rows};
    case Format::a8w8_bpreshuffle:
      return {.a = fp8_rows, .w = fp8_rows, .packed = true};
    case Format::a8w8_blockscale:
      return {.a = {.type = DType::e4m3, .scaling = Scaling::block_1x128}, .w = fp8_blocks};
    case Format::a4w4:
      return {.a = mxfp4, .w = mxfp4, .packed = true};
    case Format::mxfp8:
      return {.a = mxfp8, .w = mxfp8, .packed = true};
    default:
      break;
  }
  const auto& floats = *std::ranges::find(float_formats, format, &FloatFormat::format);
  return {.a = floats.a, .w = floats.w, .packed = are_block_weights(floats.w)};
}

bool has_own_weight_type(const Problem& problem) {
  return is_fp8_in_call(problem.a) || (are_block_weights(problem.w) && !has_scales(problem.a.scaling));
}

void set_input_types(Problem& problem, DType type) {
  problem.a.type = type;
  if (!has_own_weight_type(problem)) problem.w.type = type;
}

std::optional<Format> format_of(const Problem& problem) {
  if (problem.a == mxfp4 && problem.w == mxfp4) return Format::a4w4;
  if (is_mxfp8(problem.a) && is_mxfp8(problem.w)) return Format::mxfp8;
  if (const auto format = float_format_of(problem)) return format;
  if (problem.a.type != problem.w.type) return std::nullopt;
  if (is_8bit(problem.a.type)) return format_of_8bit(problem);
  if (!is_float(problem.a.type) || problem.a.scaling != Scaling::none || problem.w.scaling != Scaling::none)
    return std::nullopt;
  return problem.batch > 1 ? Format::batched_a16w16 : Format::a16w16;
}

}  // namespace gemmtune
