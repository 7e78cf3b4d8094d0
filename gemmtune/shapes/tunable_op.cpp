#include "gemmtune/shapes/tunable_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

using Words = std::vector<std::string_view>;

struct TypeName {
  std::string_view torchs;
  DType type;
};

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

/// The pieces of an operation and of its sizes.
struct Call {
  std::string_view line{};
  std::string_view operation{};
  Words sizes{};

  /// The number after this word, after the word at `from`.
  std::int64_t number_after(std::string_view word, std::size_t offset = 1) const {
    const auto at = static_cast<std::size_t>(std::ranges::find(sizes, word) - sizes.begin()) + offset;
    const auto value = at < sizes.size() ? parse_int(sizes[at]) : std::nullopt;
    if (!value || *value < 0) wrong(line, fmt::format("a number after {} in the sizes", word));
    return *value;
  }

  std::int64_t size(std::size_t at) const {
    const auto value = at < sizes.size() ? parse_int(sizes[at]) : std::nullopt;
    if (!value || *value < 1) wrong(line, "transposes and sizes, as tn_256_37_7168_ld_7168_7168_256");
    return *value;
  }

  bool has(std::string_view word) const { return std::ranges::find(sizes, word) != sizes.end(); }
};

Call call_of(std::string_view line) {
  const auto fields = split(line, ',');
  if (fields.size() < 2) wrong(line, "an operation and its sizes");
  return {.line = line, .operation = trim(fields[0]), .sizes = split(trim(fields[1]), '_')};
}

/// The types in the operation's name, weights first.
std::vector<DType> types_of(const Call& call, std::string_view prefix) {
  auto rest = call.operation.substr(prefix.size());
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

/// Older versions say only whether there is a scale for each row.
Scaling scaling_of(const Call& call, std::string_view word) {
  if (!call.has(word)) return call.number_after("rw") == 1 ? Scaling::row : Scaling::tensor;
  const auto number = static_cast<std::size_t>(call.number_after(word));
  if (number >= scalings_by_number.size() || !scalings_by_number[number])
    wrong(call.line, "a scaling that is known here");
  return *scalings_by_number[number];
}

void set_types(const Call& call, Problem& problem) {
  constexpr std::string_view scaled = "ScaledGemmTunableOp";
  const bool is_scaled = call.operation.starts_with(scaled);
  const auto end = call.operation.find("TunableOp");
  const auto types = types_of(call, call.operation.substr(0, end + 9));
  if (types.size() != (is_scaled ? 3U : 1U)) wrong(call.line, "types that are known here");
  problem.w.type = types.front();
  problem.a.type = types[is_scaled ? 1 : 0];
  problem.out = types.back() == DType::tf32 ? DType::f32 : types.back();
  if (!is_scaled) return;
  problem.w.scaling = scaling_of(call, "ast");
  problem.a.scaling = scaling_of(call, "bst");
}

/// BLAS's A is our weights, its B our activations, and "not transposed" means stored along the first size.
void set_layout_of(const Call& call, Problem& problem) {
  const auto transposes = call.sizes.front();
  if (transposes.size() != 2 || transposes.find_first_not_of("tn") != std::string_view::npos)
    wrong(call.line, "transposes, as tn");
  std::string text{transposes[1] == 'n' ? 'n' : 't', transposes[0] == 'n' ? 'n' : 't'};
  if (text == "nt") text.clear();
  const auto add = [&](const char* name, std::size_t offset) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ":", name, call.number_after("ld", offset));
  };
  add("lda", 2);
  add("ldw", 1);
  add("ldc", 3);
  if (!set_layout(problem, text)) wrong(call.line, "leading dimensions");
  problem.layout = canonical_layout(problem);
}

}  // namespace

bool is_tunable_op_line(std::string_view line) {
  return line.starts_with("Validator,") || line.substr(0, line.find(',')).find("TunableOp_") != std::string_view::npos;
}

Problem tunable_op_problem(std::string_view line) {
  const auto call = call_of(line);
  if (call.operation.find("TunableOp") == std::string_view::npos) wrong(line, "an operation of TunableOp");
  Problem problem{.m = call.size(2), .n = call.size(1), .k = call.size(3)};
  if (call.has("B")) problem.batch = call.number_after("B");
  set_types(call, problem);
  problem.epilogue.bias = call.operation.starts_with("GemmAndBias") || (call.has("bias") && !call.has("None"));
  set_layout_of(call, problem);
  if (const auto why = why_invalid(problem); !why.empty()) fail(ErrorCode::input, "'{}': {}", line, why);
  return problem;
}

ShapeList read_tunable_op(std::string_view text, const std::string& source) {
  ShapeList list;
  std::map<Problem, std::size_t> seen;
  std::int64_t number = 0;
  for (const auto raw : split(text, '\n')) {
    ++number;
    const auto line = trim(raw);
    if (line.empty() || line.starts_with("Validator,")) continue;
    try {
      const Shape shape{.problem = tunable_op_problem(line), .where = fmt::format("{}:{}", source, number)};
      const auto [at, is_new] = seen.try_emplace(shape.problem, list.shapes.size());
      if (is_new)
        list.shapes.push_back(shape);
      else
        add_shape(list.shapes[at->second], shape);
    } catch (const Error& error) {
      list.rejected.push_back({fmt::format("{}:{}:1", source, number), error.what()});
    }
  }
  return list;
}

}  // namespace gemmtune
