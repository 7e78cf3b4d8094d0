#include "gemmtune/gemm/features.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace gemmtune {
namespace {

static_assert(static_cast<int>(last_dtype) < static_cast<int>(Feature::first_scaling));
static_assert(static_cast<int>(feature_of(last_scaling)) < static_cast<int>(Feature::first_option));

constexpr std::array<std::string_view, 13> option_names{"a batch",
                                                        "packed weights",
                                                        "a bias",
                                                        "A stored [K, M]",
                                                        "weights stored [K, N]",
                                                        "leading dimensions",
                                                        "batch strides",
                                                        "a residual",
                                                        "a ReLU",
                                                        "a GELU (tanh)",
                                                        "a GELU (erf)",
                                                        "a SiLU",
                                                        "e4m3 with E8M0 scales"};
static_assert(option_names.size() ==
              static_cast<std::size_t>(Feature::mxfp8) - static_cast<std::size_t>(Feature::batch) + 1);

/// The feature of any activation except Activation::none.
constexpr Feature feature_of(Activation activation) {
  return static_cast<Feature>(static_cast<int>(Feature::relu) + static_cast<int>(activation) -
                              static_cast<int>(Activation::relu));
}
static_assert(feature_of(last_activation) == Feature::silu);
static_assert(feature_of(Activation::gelu_erf) == Feature::gelu_erf);

std::string words_for(Scaling scaling) {
  if (scaling == Scaling::q8_in_call) return "A quantised in the call";
  if (scaling == Scaling::fp8_1x128) return "A quantised in the call to e4m3 with 1x128 scales";
  if (scaling == Scaling::fp8_row) return "A quantised in the call to e4m3 with scales of rows";
  return fmt::format("{} scales", to_string(scaling));
}

bool has_gaps_between_rows(const Layout& layout) {
  return layout.a_strides.leading_dimension != 0 || layout.w_strides.leading_dimension != 0 ||
         layout.c_strides.leading_dimension != 0;
}

bool has_gaps_between_matrices(const Layout& layout) {
  return layout.a_strides.batch != 0 || layout.w_strides.batch != 0 || layout.c_strides.batch != 0;
}

FeatureSet features_of(const Layout& layout) {
  FeatureSet set;
  if (layout.a == Major::mn) set = set.with({Feature::a_mn_major});
  if (layout.w == Major::mn) set = set.with({Feature::w_mn_major});
  if (has_gaps_between_rows(layout)) set = set.with({Feature::leading_dimensions});
  if (has_gaps_between_matrices(layout)) set = set.with({Feature::batch_strides});
  return set;
}

FeatureSet features_of(const Epilogue& epilogue) {
  FeatureSet set;
  if (epilogue.bias) set = set.with({Feature::bias});
  if (epilogue.residual) set = set.with({Feature::residual});
  if (epilogue.activation != Activation::none) set = set.with({feature_of(epilogue.activation)});
  return set;
}

}  // namespace

std::string to_string(Feature feature) {
  const int number = static_cast<int>(feature);
  const auto option = static_cast<std::size_t>(number - static_cast<int>(Feature::first_option));
  if (number <= static_cast<int>(last_dtype))
    return fmt::format("{} operands or outputs", to_string(static_cast<DType>(number)));
  if (feature >= Feature::first_scaling && feature <= gemmtune::feature_of(last_scaling))
    return words_for(static_cast<Scaling>(number - static_cast<int>(Feature::first_scaling)));
  if (feature >= Feature::first_option && option < option_names.size()) return std::string(option_names[option]);
  return fmt::format("feature {}", number);
}

FeatureSet features_of(const Problem& p) {
  FeatureSet set{gemmtune::feature_of(p.a.type), gemmtune::feature_of(p.w.type), gemmtune::feature_of(p.out),
                 gemmtune::feature_of(p.a.scaling), gemmtune::feature_of(p.w.scaling)};
  if (p.batch > 1) set = set.with({Feature::batch});
  if (p.packed) set = set.with({Feature::packed_weights});
  if (is_mxfp8(p.a) || is_mxfp8(p.w)) set = set.with({Feature::mxfp8});
  return set.with(features_of(canonical_layout(p))).with(features_of(p.epilogue));
}

// Every feature is listed, so that a type or scaling that is added later is not included.
FeatureSet basic_features() {
  FeatureSet set{Feature::batch, Feature::packed_weights, Feature::bias};
  for (const auto type : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::e4m3, DType::e4m3fnuz, DType::i8,
                          DType::i32, DType::e2m1, DType::e8m0, DType::tf32})
    set = set.with({gemmtune::feature_of(type)});
  for (const auto scaling :
       {Scaling::none, Scaling::tensor, Scaling::row, Scaling::block_1x128, Scaling::block_128x128, Scaling::mx_1x32})
    set = set.with({gemmtune::feature_of(scaling)});
  return set;
}

FeatureSet block_features() {
  return {gemmtune::feature_of(DType::i4), gemmtune::feature_of(Scaling::nv_1x16),
          gemmtune::feature_of(Scaling::f16_1x32), gemmtune::feature_of(Scaling::q8_in_call)};
}

FeatureSet fp8_in_call_features() {
  return {gemmtune::feature_of(Scaling::fp8_1x128), gemmtune::feature_of(Scaling::fp8_row)};
}

FeatureSet e8m0_block_features() {
  return {gemmtune::feature_of(Scaling::e8m0_1x128), gemmtune::feature_of(Scaling::e8m0_128x128)};
}

FeatureSet mxfp8_features() { return {Feature::mxfp8, gemmtune::feature_of(Scaling::mx_32x32)}; }

FeatureSet layout_features() {
  return {Feature::a_mn_major, Feature::w_mn_major, Feature::leading_dimensions, Feature::batch_strides};
}

FeatureSet epilogue_features() {
  return {Feature::residual, Feature::relu, Feature::gelu_tanh, Feature::gelu_erf, Feature::silu};
}

}  // namespace gemmtune
