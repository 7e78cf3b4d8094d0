#include "gemmtune/gemm/problem.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/gemm/format.h"
#include "gemmtune/gemm/operands.h"

namespace gemmtune {
namespace {

constexpr std::int64_t largest_size = std::int64_t{1} << 31;  // of one dimension: the product of two still fits

constexpr std::int64_t largest_distance = std::int64_t{1} << 53;

/// A distance of a layout and its name in canonical text.
struct Distance {
  std::string_view name{};
  std::int64_t Strides::*which{};
  Strides Layout::*tensor{};

  std::int64_t& operator()(Layout& layout) const { return layout.*tensor.*which; }
  std::int64_t operator()(const Layout& layout) const { return layout.*tensor.*which; }
};

constexpr std::array<Distance, 6> distances{{{"lda=", &Strides::leading_dimension, &Layout::a_strides},
                                             {"ldw=", &Strides::leading_dimension, &Layout::w_strides},
                                             {"ldc=", &Strides::leading_dimension, &Layout::c_strides},
                                             {"stride_a=", &Strides::batch, &Layout::a_strides},
                                             {"stride_w=", &Strides::batch, &Layout::w_strides},
                                             {"stride_c=", &Strides::batch, &Layout::c_strides}}};

constexpr std::array<std::string_view, 4> transpositions{"nt", "nn", "tn", "tt"};

/// Sets the part of a layout that one option of the text states. Returns false if the option states none.
bool set_part(Layout& layout, std::string_view option) {
  if (std::ranges::find(transpositions, option) != transpositions.end()) {
    layout.a = option[0] == 'n' ? Major::k : Major::mn;
    layout.w = option[1] == 't' ? Major::k : Major::mn;
    return true;
  }
  for (const auto& distance : distances) {
    if (!option.starts_with(distance.name)) continue;
    const auto value = parse_int(option.substr(distance.name.size()));
    if (!value || *value < 1 || *value > largest_distance) return false;
    distance(layout) = *value;
    return true;
  }
  return false;
}

bool set_part(Epilogue& epilogue, std::string_view option) {
  if (option == "residual") return epilogue.residual = true;
  const auto activation = parse_activation(option);
  if (activation) epilogue.activation = *activation;
  return activation.has_value();
}

bool says_distance(std::string_view option) {
  return std::ranges::any_of(distances, [&](const Distance& distance) { return option.starts_with(distance.name); });
}

std::string without_first_colon(std::string text) { return text.empty() ? text : text.substr(1); }

std::string side_text(const Side& side) {
  if (side.scaling == Scaling::none) return std::string(to_string(side.type));
  return fmt::format("{}/{}", to_string(side.type), to_string(side.scaling));
}

/// Parses a problem's text piece by piece and keeps the column of each piece.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), pieces_(split(text, ':')) {}

  Problem read() {
    Problem problem = pieces_.size() > 1 ? read_types() : expected("sizes and types, as 64x4096x4096:a4w4");
    read_sizes(problem);
    for (; next_ < pieces_.size(); ++next_) read_option(problem);
    problem.layout = canonical_layout(problem);
    if (const auto why = why_invalid(problem); !why.empty()) fail(ErrorCode::input, "problem '{}': {}", text_, why);
    return problem;
  }

 private:
  /// Reads the three types, or the name of a format. Leaves next_ at the first option.
  Problem read_types() {
    next_ = 1;
    if (const auto format = parse_format(pieces_[1])) {
      next_ = 2;
      return format_defaults(*format);
    }
    Problem problem{};
    problem.a = read_side();
    problem.w = read_side();
    problem.out = read_type(current("the output's type"));
    ++next_;
    return problem;
  }

  Side read_side() {
    const auto parts = split(current("a type, as bf16 or int8/row"), '/');
    if (parts.size() > 2) expected("one type and one scaling, as int8/row");
    Side side{.type = read_type(parts[0]), .scaling = Scaling::none};
    if (parts.size() == 2) side.scaling = read_scaling(parts[1]);
    ++next_;
    return side;
  }

  DType read_type(std::string_view text) {
    if (const auto type = parse_dtype(text)) return *type;
    return expected("a type (f32, f16, bf16, e4m3, int8, e2m1, …) or a format (a16w16, a8w8, a4w4, …)");
  }

  Scaling read_scaling(std::string_view text) {
    if (const auto scaling = parse_scaling(text)) return *scaling;
    return expected(
        "a scaling: tensor, row, 1x128, 128x128, 1x32, 32x32, 1x16, 1x32f16, q8, fp8_1x128, fp8_row, 1x128e8m0 or "
        "128x128e8m0");
  }

  void read_sizes(Problem& problem) {
    const auto resume = next_;
    next_ = 0;
    const auto sizes = split(pieces_[0], 'x');
    if (sizes.size() != 3) expected("sizes as MxNxK");
    problem.m = read_size(sizes[0]);
    problem.n = read_size(sizes[1]);
    problem.k = read_size(sizes[2]);
    next_ = resume;
  }

  std::int64_t read_size(std::string_view text) {
    const auto size = parse_int(text);
    if (size && *size > 0 && *size <= largest_size) return *size;
    return expected("a size from 1 to 2147483648");
  }

  void read_option(Problem& problem) {
    const auto option = pieces_[next_];
    if (option == "packed") {
      problem.packed = true;
    } else if (option == "plain") {
      problem.packed = false;
    } else if (option.starts_with("batch=")) {
      problem.batch = read_size(option.substr(6));
    } else if (option.starts_with("out=")) {
      problem.out = read_type(option.substr(4));
    } else if (option == "bias") {
      problem.epilogue.bias = true;
    } else if (says_distance(option) && !set_part(problem.layout, option)) {
      expected("a number of elements from 1 to 2^53");
    } else if (!says_distance(option) && !set_part(problem.layout, option) && !set_part(problem.epilogue, option)) {
      expected(
          "batch=B, nn, nt, tn, tt, lda=, ldw=, ldc=, stride_a=, stride_w=, stride_c=, bias, relu, gelu_tanh, "
          "gelu_erf, "
          "silu, residual, packed, plain or out=TYPE");
    }
  }

  std::string_view current(std::string_view what) {
    if (next_ >= pieces_.size()) expected(what);
    return pieces_[next_];
  }

  struct Anything {
    template <typename T>
    [[noreturn]] operator T() const {  // never reached, because expected() throws
      std::abort();
    }
  };

  [[noreturn]] void throw_expected(std::string_view what) const {
    const bool missing = next_ >= pieces_.size();
    const auto column = missing ? text_.size() : static_cast<std::size_t>(pieces_[next_].data() - text_.data());
    const auto found = missing ? std::string("the end") : fmt::format("'{}'", pieces_[next_]);
    fail(ErrorCode::input, "problem '{}', column {}: found {}, expected {}", text_, column + 1, found, what);
  }

  Anything expected(std::string_view what) const { throw_expected(what); }

  std::string_view text_;
  std::vector<std::string_view> pieces_;
  std::size_t next_{};
};

std::string why_invalid_side(std::string_view which, const Side& side, std::int64_t k) {
  if (!is_operand(side.type)) return fmt::format("{} cannot be {}", which, to_string(side.type));
  if (is_4bit(side.type) && k % 2 != 0)
    return fmt::format("K = {} must be even: two {} share a byte", k, to_string(side.type));
  const auto why = why_no_pair(side.type, side.scaling);
  return why.empty() ? "" : fmt::format("{}: {}", which, why);
}

std::string why_invalid_matrix(std::string_view which, const StoredMatrix& matrix) {
  if (matrix.leading_dimension < matrix.cols)
    return fmt::format("{}: a leading dimension of {} is less than a row of {}", which, matrix.leading_dimension,
                       matrix.cols);
  const auto one = (matrix.rows - 1) * matrix.leading_dimension + matrix.cols;
  if (matrix.batch > 1 && matrix.batch_stride < one)
    return fmt::format("{}: a batch stride of {} is less than a matrix of {}", which, matrix.batch_stride, one);
  return {};
}

/// Two elements of 4 bits share a byte along the contiguous dimension.
std::string why_invalid_4bit(std::string_view which, const StoredMatrix& matrix, Major major) {
  if (!is_4bit(matrix.type)) return {};
  if (major != Major::k) return fmt::format("{}: {} is stored along K only", which, to_string(matrix.type));
  if (matrix.leading_dimension % 2 != 0 || matrix.batch_stride % 2 != 0)
    return fmt::format("{}: distances must be even: two {} share a byte", which, to_string(matrix.type));
  return {};
}

std::string why_invalid_layout(const Problem& p) {
  const auto a = stored_a(p);
  const auto w = stored_w(p);
  for (auto why :
       {why_invalid_matrix("A", a), why_invalid_matrix("the weights", w), why_invalid_matrix("C", stored_c(p)),
        why_invalid_4bit("A", a, p.layout.a), why_invalid_4bit("the weights", w, p.layout.w)})
    if (!why.empty()) return why;
  return {};
}

bool fits_memory(const StoredMatrix& m) {
  const double elements = static_cast<double>(m.batch) * static_cast<double>(m.batch_stride) +
                          static_cast<double>(m.rows) * static_cast<double>(m.leading_dimension);
  return elements * bits(m.type) / 8 <= static_cast<double>(std::numeric_limits<std::int64_t>::max() / 64);
}

std::string why_invalid_size(const Problem& p) {
  for (const auto size : {p.m, p.n, p.k, p.batch})
    if (size < 1 || size > largest_size) return fmt::format("sizes must be from 1 to {}", largest_size);
  for (const auto& strides : {p.layout.a_strides, p.layout.w_strides, p.layout.c_strides})
    if (std::min(strides.leading_dimension, strides.batch) < 0 ||
        std::max(strides.leading_dimension, strides.batch) > largest_distance)
      return fmt::format("leading dimensions and batch strides must be from 1 to {}", largest_distance);
  for (const auto& matrix : {stored_a(p), stored_w(p), stored_c(p)})
    if (!fits_memory(matrix)) return "the operands fit no memory";
  return {};
}

}  // namespace

std::string layout_text(const Problem& p) {
  const auto layout = canonical_layout(p);
  std::string text;
  if (layout.a != Major::k || layout.w != Major::k)
    text += fmt::format(":{}{}", layout.a == Major::k ? 'n' : 't', layout.w == Major::k ? 't' : 'n');
  for (const auto& distance : distances)
    if (distance(layout) != 0) text += fmt::format(":{}{}", distance.name, distance(layout));
  return without_first_colon(std::move(text));
}

std::string epilogue_text(const Problem& p) {
  std::string text;
  if (p.epilogue.activation != Activation::none) text += fmt::format(":{}", to_string(p.epilogue.activation));
  if (p.epilogue.residual) text += ":residual";
  return without_first_colon(std::move(text));
}

bool set_layout(Problem& problem, std::string_view text) {
  return text.empty() ||
         std::ranges::all_of(split(text, ':'), [&](auto option) { return set_part(problem.layout, option); });
}

bool set_epilogue(Problem& problem, std::string_view text) {
  return text.empty() ||
         std::ranges::all_of(split(text, ':'), [&](auto option) { return set_part(problem.epilogue, option); });
}

std::string to_string(const Problem& p) {
  auto text = fmt::format("{}x{}x{}:{}:{}:{}", p.m, p.n, p.k, side_text(p.a), side_text(p.w), to_string(p.out));
  if (p.batch != 1) text += fmt::format(":batch={}", p.batch);
  if (const auto layout = layout_text(p); !layout.empty()) text += ':' + layout;
  if (p.epilogue.bias) text += ":bias";
  if (const auto epilogue = epilogue_text(p); !epilogue.empty()) text += ':' + epilogue;
  if (p.packed) text += ":packed";
  return text;
}

Problem product_in_call(Problem problem) {
  if (!is_fp8_in_call(problem.a)) return problem;
  problem.a = side_in_call(problem.a);
  problem.layout.a = Major::k;
  problem.layout.a_strides = {};
  return problem;
}

Problem with_float_scales(Problem problem) {
  problem.a.scaling = with_float_scales(problem.a.scaling);
  problem.w.scaling = with_float_scales(problem.w.scaling);
  return problem;
}

Problem parse_problem(std::string_view text) { return Reader(trim(text)).read(); }

std::string why_invalid(const Problem& p) {
  if (auto why = why_invalid_size(p); !why.empty()) return why;
  if (auto why = why_invalid_side("A", p.a, p.k); !why.empty()) return why;
  if (auto why = why_invalid_side("the weights", p.w, p.k); !why.empty()) return why;
  if (p.a.scaling == Scaling::block_128x128) return "128x128 scales are for weights";
  if (p.a.scaling == Scaling::e8m0_128x128) return "128x128e8m0 scales are for weights";
  if (p.a.scaling == Scaling::mx_32x32) return "32x32 scales are for weights";
  if (p.a.type == DType::i4) return "int4 is for weights";
  if (is_q8_in_call(p.w)) return "q8 is for A: a call does not quantise weights";
  if (is_fp8_in_call(p.w)) return "fp8_1x128 and fp8_row are for A: a call does not quantise weights";
  if (auto why = why_invalid_layout(p); !why.empty()) return why;
  if (!is_output(p.out)) return fmt::format("the output cannot be {}", to_string(p.out));
  return {};
}

double flops(const Problem& p) {
  return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) *
         static_cast<double>(p.batch);
}

double operand_bytes(const Problem& p) {
  const auto bytes = [&](std::int64_t rows, std::int64_t cols, DType type) {
    return static_cast<double>(rows) * static_cast<double>(cols) * bits(type) / 8;
  };
  return static_cast<double>(p.batch) *
         (bytes(p.m, p.k, p.a.type) + bytes(p.n, p.k, p.w.type) + bytes(p.m, p.n, p.out));
}

double moved_bytes(const Problem& problem) {
  Problem without_gaps = problem;
  without_gaps.layout = {};
  return static_cast<double>(operand_sizes(without_gaps).total());
}

double tflops(const Problem& problem, double time_us) {
  return time_us > 0 && std::isfinite(time_us) ? flops(problem) / time_us / 1e6 : 0;
}

double bandwidth_gbps(const Problem& problem, double time_us) {
  return time_us > 0 && std::isfinite(time_us) ? operand_bytes(problem) / time_us / 1e3 : 0;
}

}  // namespace gemmtune
