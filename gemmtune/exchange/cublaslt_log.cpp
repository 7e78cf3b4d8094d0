#include "gemmtune/exchange/cublaslt_log.h"

#include <algorithm>
#include <array>
#include <optional>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/exchange/blas_call.h"
#include "gemmtune/exchange/line_shapes.h"

namespace gemmtune {
namespace {

template <typename Value>
struct Word {
  std::string_view name;
  Value value;
};

constexpr std::array<Word<DType>, 7> types{{{"R_16BF", DType::bf16},
                                            {"R_16F", DType::f16},
                                            {"R_32F", DType::f32},
                                            {"R_8F_E4M3", DType::e4m3},
                                            {"R_8F_E4M3_FNUZ", DType::e4m3fnuz},
                                            {"R_8I", DType::i8},
                                            {"R_4F_E2M1", DType::e2m1}}};

constexpr std::array<Word<Scaling>, 5> scale_modes{{{"", Scaling::tensor},
                                                    {"OUTER_VEC_32F", Scaling::row},
                                                    {"VEC128_32F", Scaling::block_1x128},
                                                    {"BLK128x128_32F", Scaling::block_128x128},
                                                    {"VEC32_UE8M0", Scaling::mx_1x32}}};

constexpr std::array<Word<Epilogue>, 7> epilogues{
    {{"", {}},
     {"EPILOGUE_DEFAULT", {}},
     {"EPILOGUE_BIAS", {.bias = true}},
     {"EPILOGUE_RELU", {.activation = Activation::relu}},
     {"EPILOGUE_RELU_BIAS", {.bias = true, .activation = Activation::relu}},
     {"EPILOGUE_GELU", {.activation = Activation::gelu_tanh}},
     {"EPILOGUE_GELU_BIAS", {.bias = true, .activation = Activation::gelu_tanh}}}};

template <typename Value, std::size_t count>
Value known(const std::array<Word<Value>, count>& words, std::string_view name, std::string_view what) {
  const auto found = std::ranges::find_if(words, [&](const auto& word) { return word.name == name; });
  if (found == words.end()) fail(ErrorCode::input, "{}: found '{}', which is not known here", what, name);
  return found->value;
}

/// "key=value" pieces between the brackets of `name=[…]`, or of a whole line.
class Fields {
 public:
  explicit Fields(std::string_view text) : text_(text) {}

  /// "" if there is none.
  std::string_view text(std::string_view key) const {
    for (const auto piece : split(text_, ' '))
      if (piece.size() > key.size() && piece[key.size()] == '=' && piece.starts_with(key))
        return piece.substr(key.size() + 1);
    return {};
  }

  std::int64_t number(std::string_view key) const { return parse_int(text(key)).value_or(0); }

 private:
  std::string_view text_;
};

std::optional<std::string_view> group_text(std::string_view line, std::string_view start) {
  const auto from = line.find(start);
  const auto to = from == std::string_view::npos ? from : line.find(']', from);
  if (to == std::string_view::npos) return std::nullopt;
  return line.substr(from + start.size(), to - from - start.size());
}

Fields group(std::string_view line, std::string_view start) {
  const auto text = group_text(line, start);
  if (!text) fail(ErrorCode::input, "found no {}…]", start);
  return Fields(*text);
}

void insist_on_columns(const Fields& matrix) {
  const auto order = matrix.text("order");
  if (!order.empty() && order != "ORDER_COL") fail(ErrorCode::input, "order: found '{}', expected ORDER_COL", order);
}

/// An operand has scales if it has their address.
Side side(const Fields& matrix, const Fields& compute, std::string_view letter) {
  insist_on_columns(matrix);
  Side side{.type = known(types, matrix.text("type"), "type")};
  const std::string name(letter);
  if (!compute.text(name + "ScalePointer").empty())
    side.scaling = known(scale_modes, compute.text(name + "ScaleMode"), name + "ScaleMode");
  if (side.type == DType::f32 && compute.text("computeType").ends_with("TF32")) side.type = DType::tf32;
  return side;
}

}  // namespace

bool is_cublaslt_matmul_line(std::string_view line) {
  return line.find("[cublasLt]") != std::string_view::npos && line.find("Matmul] A=") != std::string_view::npos;
}

Problem cublaslt_log_problem(std::string_view line) {
  const auto a = group(line, " Adesc=[");
  const auto b = group(line, " Bdesc=[");
  const auto d = group(line, " Ddesc=[");
  const auto compute = group(line, " computeDesc=[");
  const Fields rest(line.substr(line.find(" computeDesc=[")));
  const bool transpose_a = compute.text("transa") == "OP_T";
  insist_on_columns(d);
  BlasCall call{.transpose_a = transpose_a,
                .transpose_b = compute.text("transb") == "OP_T",
                .m = d.number("rows"),
                .n = d.number("cols"),
                .k = a.number(transpose_a ? "rows" : "cols"),
                .batch = std::max<std::int64_t>(a.number("batchCount"), 1),
                .lda = a.number("ld"),
                .ldb = b.number("ld"),
                .ldc = d.number("ld"),
                .stride_a = a.number("stridedBatchOffset"),
                .stride_b = b.number("stridedBatchOffset"),
                .stride_c = d.number("stridedBatchOffset"),
                .a = side(a, compute, "a"),
                .b = side(b, compute, "b"),
                .out = known(types, d.text("type"), "type of D"),
                .epilogue = known(epilogues, compute.text("epilogue"), "epilogue")};
  if (call.batch > 1 && (call.stride_a == 0 || call.stride_b == 0))
    fail(ErrorCode::input, "one matrix for the whole batch");
  const auto beta = rest.text("beta");
  call.epilogue.residual = !beta.empty() && beta != "0";
  return problem_of(call);
}

ShapeList cublaslt_log_shapes(std::string_view text, const std::string& source) {
  return shapes_of_lines(text, source, [](std::string_view line) {
    return is_cublaslt_matmul_line(line) ? std::optional(cublaslt_log_problem(line)) : std::nullopt;
  });
}

}  // namespace gemmtune
