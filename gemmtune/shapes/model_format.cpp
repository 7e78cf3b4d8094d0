#include "gemmtune/shapes/model_format.h"

#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/gemm/format.h"

namespace gemmtune {
namespace {

using Json = nlohmann::json;

constexpr Side e4m3(Scaling scaling) { return {.type = DType::e4m3, .scaling = scaling}; }

Problem both_sides(Side side) { return {.a = side, .w = side}; }

/// MXFP8, and of weights of which 32 rows share their scales.
Problem mxfp8_of(Scaling of_weights) {
  auto problem = format_defaults(Format::mxfp8);
  problem.w.scaling = of_weights;
  return problem;
}

/// The member with this name, or null.
const Json& child(const Json& json, const char* name) {
  static const Json nothing;
  return json.is_object() && json.contains(name) ? json[name] : nothing;
}

std::string text(const Json& json, const char* name) {
  const auto& value = child(json, name);
  return value.is_string() ? to_lower(value.get<std::string>()) : std::string();
}

std::int64_t number(const Json& json, const char* name) {
  const auto& value = child(json, name);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

/// Reads a quantization_config. Only one that describes both operands gives a problem.
class QuantisationReader {
 public:
  QuantisationReader(const Json& json, std::string source) : json_(json), source_(std::move(source)) {}

  Problem read() const {
    const auto method = text(json_, "quant_method");
    if (method == "fp8") return fp8();
    if (method == "fbgemm_fp8") return both_sides(e4m3(Scaling::row));
    if (method == "mxfp8") return mxfp8();
    if (method == "mxfp4") return format_defaults(Format::a4w4);
    if (method == "compressed-tensors" || method == "compressed_tensors") return compressed_tensors();
    if (method == "quark") return quark();
    if (method == "int8" || method == "w8a8_int8") return format_defaults(Format::a8w8);
    unknown();
  }

 private:
  [[noreturn]] void unknown() const {
    fail(ErrorCode::input,
         "{}: quantization_config of {} has no counterpart among the formats that are tuned: say with --format which "
         "one "
         "serves it",
         source_, visible_start(json_text(json_, -1), 1000));
  }

  Problem fp8() const {
    const auto& block = child(json_, "weight_block_size");
    if (block.is_null()) return both_sides(e4m3(Scaling::tensor));
    if (text(json_, "scale_fmt") == "ue8m0" && (block == Json({32, 32}) || block == Json({1, 32}))) return mxfp8();
    if (block != Json({128, 128})) unknown();
    return format_defaults(Format::a8w8_blockscale);
  }

  /// Without a size, blocks are those of the OCP's formats: 32 of K in each row.
  Problem mxfp8() const {
    const auto& block = child(json_, "weight_block_size");
    if (block.is_null() || block == Json({1, 32})) return mxfp8_of(Scaling::mx_1x32);
    if (block != Json({32, 32})) unknown();
    return mxfp8_of(Scaling::mx_32x32);
  }

  /// Uses the first group, because all groups in known checkpoints have the same quantisation.
  Problem compressed_tensors() const {
    const auto& groups = child(json_, "config_groups");
    if (!groups.is_object() || groups.empty()) unknown();
    const auto& group = *groups.begin();
    const auto& weights = child(group, "weights");
    if (!child(group, "input_activations").is_object()) unknown();
    const auto type = text(weights, "type");
    const auto strategy = text(weights, "strategy");
    if (number(weights, "num_bits") == 4 && type == "float" && number(weights, "group_size") == 32)
      return format_defaults(Format::a4w4);
    if (number(weights, "num_bits") != 8) unknown();
    if (strategy == "group" && type == "float" && number(weights, "group_size") == 32)
      return mxfp8_of(Scaling::mx_1x32);
    if (strategy == "block" && type == "float" && child(weights, "block_structure") == Json({128, 128}))
      return format_defaults(Format::a8w8_blockscale);
    return of_scale(type == "int" ? DType::i8 : DType::e4m3, strategy);
  }

  Problem quark() const {
    const auto& all = child(json_, "global_quant_config");
    const auto& weights = child(all, "weight");
    if (!child(all, "input_tensors").is_object()) unknown();
    const auto type = text(weights, "dtype");
    if (type == "fp4" && number(weights, "group_size") == 32) return format_defaults(Format::a4w4);
    if (type != "fp8_e4m3" && type != "int8") unknown();
    const auto scheme = text(weights, "qscheme");
    return of_scale(type == "int8" ? DType::i8 : DType::e4m3, scheme == "per_channel" ? "channel" : "tensor");
  }

  Problem of_scale(DType type, std::string_view strategy) const {
    if (strategy == "tensor") return both_sides({.type = type, .scaling = Scaling::tensor});
    if (strategy == "channel") return both_sides({.type = type, .scaling = Scaling::row});
    unknown();
  }

  const Json& json_;
  std::string source_;
};

const Json& quantisation_of(const Json& config) {
  const auto& outer = child(config, "quantization_config");
  return outer.is_object() ? outer : child(language_part(config), "quantization_config");
}

ModulePatterns left_alone(const Json& quantisation) {
  ModulePatterns patterns;
  for (const auto* name : {"modules_to_not_convert", "ignore", "ignored_layers", "exclude"})
    for (const auto& entry : child(quantisation, name))
      if (entry.is_string()) patterns.add(entry.get<std::string>());
  return patterns;
}

Problem plain_types(DType type) {
  const Side side{.type = type, .scaling = Scaling::none};
  return {.a = side, .w = side, .out = type};
}

}  // namespace

Problem types_asked_for(std::string_view asked, DType model_type) {
  const auto format = parse_format(asked);
  if (format == Format::a16w16 || format == Format::batched_a16w16) return plain_types(model_type);
  if (format) {
    auto problem = format_defaults(*format);
    problem.out = model_type;
    if (has_own_weight_type(problem)) problem.a.type = model_type;
    return problem;
  }
  try {
    auto problem = parse_problem(fmt::format("128x128x128:{}", asked));
    problem.batch = 1;
    problem.epilogue.bias = false;  // the model decides about biases
    return problem;
  } catch (const Error&) {
    std::vector<std::string> names;
    for (const auto each : all_formats()) names.emplace_back(to_string(each));
    fail(ErrorCode::usage,
         "--format {}: expected one of {}, or the types of A, weights and output as e4m3/row:e4m3/row:bf16", asked,
         join(names, ", "));
  }
}

std::string types_text(const Problem& problem) {
  auto sized = problem;
  sized.m = sized.n = sized.k = 1;
  return to_string(sized).substr(6);
}

ModelFormat model_format(const nlohmann::json& config, const ModelConfig& model, std::string_view asked) {
  const auto& quantisation = quantisation_of(config);
  ModelFormat format{.plain = plain_types(model.dtype), .left_alone = left_alone(quantisation)};
  if (!asked.empty()) {
    format.quantised = types_asked_for(asked, model.dtype);
    format.because = "it was asked for";
  } else if (quantisation.is_object()) {
    format.quantised = QuantisationReader(quantisation, model.source).read();
    format.quantised.out = model.dtype;
    format.because = fmt::format("its quantization_config is of {}", text(quantisation, "quant_method"));
  } else {
    format.quantised = format.plain;
    format.because = "it has no quantization_config";
  }
  format.because = fmt::format("{}: {}", types_text(format.quantised), format.because);
  return format;
}

}  // namespace gemmtune
