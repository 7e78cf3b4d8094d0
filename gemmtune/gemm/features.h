// What a problem requires, as a set of features, so that a kernel family can declare what it handles. A family must
// refuse a feature that it does not know: a new type, scaling, layout or epilogue becomes a feature here, and no family
// accepts it until the family says so (families/family.h).
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// Numbers below first_scaling are those of a DType, and numbers from there to first_option those of a Scaling.
enum class Feature : std::uint8_t {
  first_scaling = 16,
  first_option = 32,
  batch = first_option,
  packed_weights,
  bias,
  a_mn_major,          // A stored [K, M]
  w_mn_major,          // weights stored [K, N]
  leading_dimensions,  // gaps between stored rows
  batch_strides,       // gaps between matrices of a batch
  residual,
  relu,
  gelu_tanh,
  gelu_erf,
  silu,
  mxfp8,  // e4m3 with E8M0 scales: types and scales that others have too, but not together
};

constexpr Feature feature_of(DType type) { return static_cast<Feature>(type); }
constexpr Feature feature_of(Scaling scaling) {
  return static_cast<Feature>(static_cast<int>(Feature::first_scaling) + static_cast<int>(scaling));
}

/// Describes a feature: "bf16 operands or outputs", "1x32 scales", "a residual". A number without a name gives "feature
/// 57".
std::string to_string(Feature feature);

class FeatureSet {
 public:
  constexpr FeatureSet() = default;
  constexpr FeatureSet(std::initializer_list<Feature> features) {
    for (const auto feature : features) bits_ |= bit(feature);
  }

  constexpr bool contains(Feature feature) const { return (bits_ & bit(feature)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr FeatureSet with(FeatureSet others) const { return FeatureSet(bits_ | others.bits_); }
  constexpr FeatureSet without(FeatureSet others) const { return FeatureSet(bits_ & ~others.bits_); }
  constexpr bool operator==(const FeatureSet&) const = default;

  /// The feature with the lowest number. The set must not be empty.
  constexpr Feature first() const { return static_cast<Feature>(std::countr_zero(bits_)); }

 private:
  constexpr explicit FeatureSet(std::uint64_t bits) : bits_(bits) {}
  static constexpr std::uint64_t bit(Feature feature) { return std::uint64_t{1} << static_cast<int>(feature); }

  std::uint64_t bits_{};
};

/// Everything that this problem requires.
FeatureSet features_of(const Problem& problem);

/// The types and scalings of AITER's formats, a batch, packed weights and a bias. Each family must check these for
/// itself, and may refuse any of them for reasons of its own.
FeatureSet basic_features();

/// The types and scalings of models with 4-bit and 8-bit blocks: int4, NVFP4, GGUF's blocks with f16 scales, and floats
/// that the call quantises.
FeatureSet block_features();

/// The features of layouts: transpositions, leading dimensions and batch strides.
FeatureSet layout_features();

/// Floats that the call quantises to E4M3 (gemm/fp8_in_call.h).
FeatureSet fp8_in_call_features();

/// E8M0 scales for blocks of 128.
FeatureSet e8m0_block_features();

/// MXFP8, and weights of which 32 rows share scales.
FeatureSet mxfp8_features();

/// All activations, and the residual. A bias is among the basic features.
FeatureSet epilogue_features();

}  // namespace gemmtune
