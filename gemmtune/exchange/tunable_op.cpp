#include "gemmtune/exchange/tunable_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/exchange/blas_call.h"

namespace gemmtune {
namespace {

using Words = std::vector<std::string_view>;

struct TypeName {
  std::string_view torchs;
  DType type;
};

/// Of several names for a type, operations are written with the first.
constexpr std::array<TypeName, 7> type_names{{{"BFloat16", DType::bf16},
                                              {"Half", DType::f16},
                                              {"float", DType::f32},
                                              {"Float", DType::f32},
                                              {"tf32", DType::tf32},
                                              {"Float8_e4m3fnuz", DType::e4m3fnuz},
                                              {"Float8_e4m3fn", DType::e4m3}}};

/// How TunableOp numbers the scalings of scaled products.
constexpr std::array<std::optional<Scaling>, 6> scalings_by_number{
    Scaling::tensor, Scaling::row, std::nullopt, Scaling::mx_1x32, Scaling::block_1x128, Scaling::block_128x128};

[[noreturn]] void wrong(std::string_view line, std::string_view expected) {
  fail(ErrorCode::input, "found '{}', expected {}", line, expected);
}

/// The pieces of an operation and of its parameters.
struct Line {
  std::string_view text{};
  std::string_view operation{};
  Words words{};

  /// The number after this word, or after the word at `offset` from it.
  std::int64_t number_after(std::string_view word, std::size_t offset = 1) const {
    const auto at = static_cast<std::size_t>(std::ranges::find(words, word) - words.begin()) + offset;
    const auto value = at < words.size() ? parse_int(words[at]) : std::nullopt;
    if (!value || *value < 0) wrong(text, fmt::format("a number after {} in the parameters", word));
    return *value;
  }

  std::int64_t size(std::size_t at) const {
    if (at < words.size() && words[at] == "*") wrong(text, "sizes: a wildcard stands for no one problem");
    const auto value = at < words.size() ? parse_int(words[at]) : std::nullopt;
    if (!value || *value < 1) wrong(text, "transposes and sizes, as tn_256_37_7168_ld_7168_7168_256");
    return *value;
  }

  bool has(std::string_view word) const { return std::ranges::find(words, word) != words.end(); }
  bool is(std::string_view kind) const { return operation.starts_with(kind); }
};

Line line_of(std::string_view text) {
  const auto fields = split(text, ',');
  if (fields.size() < 2) wrong(text, "an operation and its parameters");
  return {.text = text, .operation = trim(fields[0]), .words = split(trim(fields[1]), '_')};
}

/// The types in the operation's name, those of the weights first.
std::vector<DType> types_of(const Line& line) {
  auto rest = line.operation.substr(line.operation.find("TunableOp") + 9);
  std::vector<DType> types;
  while (rest.starts_with('_')) {
    rest.remove_prefix(1);
    const auto known = std::ranges::find_if(type_names, [&](const TypeName& name) {
      return rest.starts_with(name.torchs) && rest.substr(name.torchs.size()).starts_with('_');
    });
    if (known == type_names.end()) break;
    types.push_back(known->type);
    rest.remove_prefix(known->torchs.size());
  }
  return types;
}

/// PyTorch on ROCm says only whether there is a scale for each row.
Scaling scaling_of(const Line& line, std::string_view word) {
  if (!line.has(word)) return line.number_after("rw") == 1 ? Scaling::row : Scaling::tensor;
  const auto number = static_cast<std::size_t>(line.number_after(word));
  if (number >= scalings_by_number.size() || !scalings_by_number[number])
    wrong(line.text, "a scaling that is known here");
  return *scalings_by_number[number];
}

void set_types(const Line& line, BlasCall& call) {
  const bool is_scaled = line.is("ScaledGemm");
  const auto types = types_of(line);
  if (types.size() != (is_scaled ? 3U : 1U)) wrong(line.text, "types that are known here");
  call.a.type = types.front();
  call.b.type = types[is_scaled ? 1 : 0];
  call.out = types.back() == DType::tf32 ? DType::f32 : types.back();
  if (!is_scaled) return;
  call.a.scaling = scaling_of(line, "ast");
  call.b.scaling = scaling_of(line, "bst");
}

void set_sizes(const Line& line, BlasCall& call) {
  const auto transposes = line.words.front();
  if (transposes.size() != 2 || transposes.find_first_not_of("tn") != std::string_view::npos)
    wrong(line.text, "transposes, as tn");
  call.transpose_a = transposes[0] == 't';
  call.transpose_b = transposes[1] == 't';
  call.m = line.size(1);
  call.n = line.size(2);
  call.k = line.size(3);
  call.lda = line.number_after("ld", 1);
  call.ldb = line.number_after("ld", 2);
  call.ldc = line.number_after("ld", 3);
  if (line.has("B")) call.batch = line.number_after("B");
}

/// The name in operations (`float`) or, of a scalar type, in parameters (`Float`).
std::string_view torch_word(DType type, bool is_scalar_type) {
  if (is_scalar_type && type == DType::f32) return "Float";
  return std::ranges::find(type_names, type, &TypeName::type)->torchs;
}

std::size_t number_of(Scaling scaling) {
  return static_cast<std::size_t>(std::ranges::find(scalings_by_number, std::optional(scaling)) -
                                  scalings_by_number.begin());
}

bool is_scaled(const Problem& problem) { return problem.w.scaling != Scaling::none; }

std::string letters(const BlasCall& call, std::string_view n_and_t) {
  return {n_and_t[call.transpose_a ? 1 : 0], n_and_t[call.transpose_b ? 1 : 0]};
}

std::string operation_of(const Problem& problem, const BlasCall& call) {
  const auto types = is_scaled(problem) ? fmt::format("{}_{}_{}", torch_word(call.a.type, false),
                                                      torch_word(call.b.type, false), torch_word(call.out, false))
                                        : std::string(torch_word(call.a.type, false));
  const char* kind = "Gemm";
  if (problem.batch > 1) kind = "GemmStridedBatched";
  if (problem.epilogue.bias) kind = "GemmAndBias";
  if (is_scaled(problem)) kind = "ScaledGemm";
  return fmt::format("{}TunableOp_{}_{}", kind, types, letters(call, "NT"));
}

std::string scales_text(const TunedCall& tuned, const BlasCall& call, TorchBuild build) {
  const auto bias = call.epilogue.bias ? torch_word(call.out, true) : std::string_view("None");
  if (build == TorchBuild::rocm)
    return fmt::format("_rw_{:d}_bias_{}", call.a.scaling == Scaling::row && call.b.scaling == Scaling::row, bias);
  const auto scale = [](const Side& side) { return side.scaling == Scaling::mx_1x32 ? "Float8_e8m0fnu" : "Float"; };
  return fmt::format("_a_{}_b_{}_c_{}_as_{}_bs_{}_ast_{}_bst_{}_dscale_0_fast_{:d}_bias_{}",
                     torch_word(call.a.type, true), torch_word(call.b.type, true), torch_word(call.out, true),
                     scale(call.a), scale(call.b), number_of(call.a.scaling), number_of(call.b.scaling),
                     tuned.fast_accumulation, bias);
}

std::string why_no_scaled_op(const Problem& problem) {
  const bool is_fp8 =
      problem.a.type == problem.w.type && (problem.a.type == DType::e4m3 || problem.a.type == DType::e4m3fnuz);
  if (!is_fp8) return "PyTorch tunes products with scales only of FP8";
  if (problem.batch > 1) return "PyTorch has no batched products with scales";
  if (problem.a.scaling == Scaling::none) return "PyTorch scales both sides";
  const auto most = std::max(number_of(problem.a.scaling), number_of(problem.w.scaling));
  return most < scalings_by_number.size() ? "" : "PyTorch has no such scales";
}

std::string why_no_plain_op(const Problem& problem) {
  const auto type = problem.w.type;
  const bool is_known = is_half(type) || type == DType::f32 || type == DType::tf32;
  if (!is_known || problem.a != problem.w) return "PyTorch tunes products without scales only of bf16, f16 and f32";
  if (problem.out != (type == DType::tf32 ? DType::f32 : type)) return "PyTorch's output has the type of the operands";
  if (problem.batch > 1 && problem.epilogue.bias) return "PyTorch has no batched products with a bias";
  return "";
}

}  // namespace

bool is_tunable_op_line(std::string_view line) {
  return line.starts_with("Validator,") || line.substr(0, line.find(',')).find("TunableOp_") != std::string_view::npos;
}

TunedCall tunable_op_call(std::string_view text) {
  const auto line = line_of(text);
  if (line.operation.find("TunableOp") == std::string_view::npos) wrong(text, "an operation of TunableOp");
  BlasCall call;
  set_sizes(line, call);
  set_types(line, call);
  call.epilogue.bias = line.is("GemmAndBias") || (line.has("bias") && !line.has("None"));
  try {
    return {.problem = problem_of(call), .fast_accumulation = line.has("fast") && line.number_after("fast") == 1};
  } catch (const Error& error) {
    fail(ErrorCode::input, "'{}': {}", text, error.what());
  }
}

std::string why_no_tunable_op(const Problem& problem) {
  if (problem.packed) return "PyTorch does not pack weights";
  if (problem.epilogue.residual || problem.epilogue.activation != Activation::none)
    return "PyTorch's key does not say the epilogue";
  if (problem.n == 1 || problem.k == 1) return "PyTorch writes vectors in another way";
  return is_scaled(problem) || problem.a.scaling != Scaling::none ? why_no_scaled_op(problem)
                                                                  : why_no_plain_op(problem);
}

TunableOpKey tunable_op_key(const TunedCall& tuned, TorchBuild build) {
  const auto call = blas_call_of(tuned.problem);
  const auto batch = tuned.problem.batch > 1 ? fmt::format("_B_{}", tuned.problem.batch) : "";
  auto parameters = fmt::format("{}_{}_{}_{}{}_ld_{}_{}_{}", letters(call, "nt"), call.m, call.n, call.k, batch,
                                call.lda, call.ldb, call.ldc);
  if (is_scaled(tuned.problem)) parameters += scales_text(tuned, call, build);
  return {operation_of(tuned.problem, call), std::move(parameters)};
}

}  // namespace gemmtune
