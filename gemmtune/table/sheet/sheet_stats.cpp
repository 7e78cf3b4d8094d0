#include "gemmtune/table/sheet/sheet_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gemmtune/core/text.h"
#include "gemmtune/table/error_ratio.h"

namespace gemmtune {
namespace {

class Counter {
 public:
  explicit Counter(const Sheet& sheet) : sheet_(sheet), keys_(sheet), m_(column_of_m(sheet)) {}

  SheetStats count() {
    stats_ = {.kind = sheet_.kind, .rows = sheet_.rows.size(), .unusable = sheet_.unusable.size()};
    for (const auto& row : sheet_.rows) add(row);
    stats_.keys = distinct_keys_.size();
    stats_.layers = layers_.size();
    stats_.kernels = kernels_.size();
    return std::move(stats_);
  }

 private:
  static std::optional<std::size_t> column_of_m(const Sheet& sheet) {
    return sheet.kind == TableKind::fused_moe ? sheet.column("token") : sheet.column("M");
  }

  void add(const SheetRow& row) {
    distinct_keys_.insert(keys_.text(row));
    layers_.insert(layer(row));
    if (time_us(sheet_, row)) ++stats_.timed;
    if (is_wrong(sheet_, row)) ++stats_.wrong;
    if (const auto device = this->device(row); !device.empty()) ++stats_.devices[device];
    if (const auto library = sheet_.text(row, sheet_.column("libtype")); !library.empty())
      ++stats_.libraries[std::string(library)];
    add_kernels(row);
    widen(row);
  }

  /// The row's key without the device and M.
  std::string layer(const SheetRow& row) const {
    std::string text;
    for (std::size_t i = 0; i < sheet_.columns.size(); ++i)
      if (sheet_.columns[i].role == Role::key && i != m_)
        text += canonical_value(sheet_.columns[i].kind, row.cells[i]) + ',';
    return text;
  }

  std::string device(const SheetRow& row) const {
    const auto gfx = gfx_of(sheet_, row);
    const auto cu_num = canonical_value(CellKind::whole, sheet_.text(row, sheet_.column("cu_num")));
    if (gfx.empty() && cu_num.empty()) return {};
    return fmt::format("{}/{}", gfx.empty() ? "?" : gfx, cu_num.empty() ? "?" : cu_num);
  }

  void add_kernels(const SheetRow& row) {
    for (std::size_t i = 0; i < sheet_.columns.size(); ++i) {
      const bool is_list = sheet_.kind == TableKind::kernel_list && sheet_.columns[i].role == Role::key;
      if ((is_list || sheet_.columns[i].role == Role::kernel_name) && !row.cells[i].empty())
        kernels_.insert(row.cells[i]);
    }
  }

  void widen(const SheetRow& row) {
    const auto m = parse_int(canonical_value(CellKind::size, sheet_.text(row, m_)));
    if (!m) return;
    const auto known = stats_.m.value_or(Range{*m, *m});
    stats_.m = Range{std::min(known.low, *m), std::max(known.high, *m)};
  }

  const Sheet& sheet_;
  KeyReader keys_;
  std::optional<std::size_t> m_;
  SheetStats stats_;
  std::set<std::string> distinct_keys_;
  std::set<std::string> layers_;
  std::set<std::string> kernels_;
};

}  // namespace

SheetStats stats_of(const Sheet& sheet) { return Counter(sheet).count(); }

}  // namespace gemmtune
