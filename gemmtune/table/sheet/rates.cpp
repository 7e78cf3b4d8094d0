#include "gemmtune/table/sheet/rates.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gemmtune/core/text.h"
#include "gemmtune/gemm/format.h"

namespace gemmtune {
namespace {

/// The cells of one row, by name.
class Cells {
 public:
  Cells(const Sheet& sheet, const SheetRow& row) : sheet_(sheet), row_(row) {}

  std::string_view text(std::string_view column) const { return sheet_.text(row_, sheet_.column(column)); }
  double number(std::string_view column) const { return parse_double(text(column)).value_or(0); }

  /// Bytes of an element of the type in the cell, or `fallback` without one. As AITER counts them: two packed FP4 are
  /// one element of one byte, an int4 is half a byte.
  std::optional<double> bytes(std::string_view column, double fallback) const {
    const auto name = text(column);
    if (name.empty()) return fallback;
    if (name.ends_with("_x2")) return 1;
    if (name.ends_with("int4") || name.ends_with("i4")) return 0.5;
    const auto type = parse_dtype(name);
    return type ? std::optional(bits(*type) / 8.0) : std::nullopt;
  }

 private:
  const Sheet& sheet_;
  const SheetRow& row_;
};

struct ElementBytes {
  double a{};
  double w{};
  double out{};
};

std::optional<ElementBytes> element_bytes(const Cells& cells, Format format) {
  if (format != Format::a16w16 && format != Format::batched_a16w16) {
    const auto types = format_defaults(format);
    return ElementBytes{bits(types.a.type) / 8.0, bits(types.w.type) / 8.0, 2};
  }
  const auto in = cells.bytes("dtype", 2);
  const auto out = cells.bytes("outdtype", in.value_or(2));
  if (!in || !out) return std::nullopt;
  return ElementBytes{*in, *in, *out};
}

std::optional<Work> gemm_work(const Cells& cells, Format format) {
  const auto element = element_bytes(cells, format);
  if (!element) return std::nullopt;
  const auto m = cells.number("M");
  const auto n = cells.number("N");
  const auto k = cells.number("K");
  const auto batch = cells.text("B").empty() ? 1 : cells.number("B");
  const auto bytes = [&](double out) { return batch * (m * k * element->a + n * k * element->w + m * n * out); };
  Work work{.flops = 2 * m * n * k * batch, .bytes = {bytes(element->out)}};
  if (element->out != 2) work.bytes.push_back(bytes(2));
  return work;
}

/// AITER's formulas for both stages together.
std::optional<Work> moe_work(const Cells& cells) {
  const auto tokens = cells.number("token");
  const auto model = cells.number("model_dim");
  const auto inter = cells.number("inter_dim");
  const auto n = parse_bool(cells.text("use_g1u1")).value_or(false) ? 2 * inter : inter;
  Work work{.flops = tokens * cells.number("topk") * (n * model + inter * model) * 2};
  const auto a = cells.bytes("q_dtype_a", 2);
  const auto w = cells.bytes("q_dtype_w", 2);
  const auto out = cells.bytes("dtype", 2);
  if (a && w && out)
    work.bytes = {tokens * model * *a + (n + inter) * model * *w * cells.number("expert") + tokens * model * *out};
  return work;
}

}  // namespace

std::optional<Work> work_of(const Sheet& sheet, const SheetRow& row, const std::optional<FormatGuess>& format) {
  const Cells cells(sheet, row);
  if (sheet.kind == TableKind::fused_moe) return moe_work(cells);
  return format ? gemm_work(cells, format->format) : std::nullopt;
}

int decimals_in(std::string_view number) {
  const auto point = number.find('.');
  if (point == std::string_view::npos || !parse_double(number)) return 0;
  const auto end = std::min(number.find_first_of("eE"), number.size());
  return static_cast<int>(std::min<std::size_t>(end - point - 1, 12));
}

int decimals_of(const Sheet& sheet, std::optional<std::size_t> column) {
  int most = 0;
  for (const auto& row : sheet.rows) most = std::max(most, decimals_in(sheet.text(row, column)));
  return most;
}

bool agrees(const Rounded& rate, double work_per_us, const Rounded& time) {
  constexpr double slack = 1e-6;  // the rate may have been computed in another order
  const auto lowest = work_per_us / (time.value + time.half_step);
  const auto fastest = time.value - time.half_step;
  const auto highest = fastest > 0 ? work_per_us / fastest : std::numeric_limits<double>::infinity();
  const auto step = 2 * rate.half_step;  // a whole step, because times that are sums were rounded more than once
  return rate.value >= lowest * (1 - slack) - step && rate.value <= highest * (1 + slack) + step;
}

}  // namespace gemmtune
