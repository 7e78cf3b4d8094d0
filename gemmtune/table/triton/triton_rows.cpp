#include "gemmtune/table/triton/triton_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <variant>

#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/table/sheet/sheet.h"
#include "gemmtune/table/triton/triton_params.h"

namespace gemmtune {
namespace {

/// The device in tables that are older than the column gfx, by AITER's rule.
std::string device_of(std::int64_t cu_num) { return cu_num == 256 ? "gfx950" : "gfx942"; }

class RowReader {
 public:
  RowReader(const CsvDocument& document, const TritonName& unsaid) : document_(document), unsaid_(unsaid) {
    bucket_ = document.column("bucket");
    for (std::size_t i = 0; i < document.header.size(); ++i) {
      const auto known = triton_param_named(document.header[i]);
      const bool behind_bucket = bucket_ && i > *bucket_;
      if (known || behind_bucket) params_.push_back({i, known ? std::string(*known) : document.header[i]});
    }
  }

  /// The row, or why the line is not a row.
  std::variant<TritonRow, LeftOut> read(const CsvRow& row) const {
    if (const auto needed = needed_cells(document_.header); row.cells.size() < needed)
      return LeftOut{where(row, "M"), too_few_cells(row.cells.size(), needed)};
    TritonRow result{.where = where(row, "M"), .bucket = std::string(document_.text(row, bucket_))};
    const auto name = name_of(row);
    if (!name) return LeftOut{where(row, "N"), "it does not say the device, or has no whole numbers for N and K"};
    const auto file_name = triton_file_name(*name);
    if (!is_file_name(file_name))
      return LeftOut{where(row, cell(row, "file").empty() ? "gfx" : "file"),
                     fmt::format("'{}' is no name of a file: it would leave the folder", visible_start(file_name))};
    result.name = *name;
    const auto m = parse_int(cell(row, "M"));
    if (!m && result.bucket.empty()) return LeftOut{where(row, "M"), "it has neither M nor bucket"};
    if (m && *m <= 0) return LeftOut{where(row, "M"), fmt::format("M is {}", *m)};
    result.m = m.value_or(0);
    const auto time = parse_double(cell(row, "us")).value_or(0);
    result.time_us = std::isfinite(time) && time > 0 ? time : 0;
    for (const auto& [column, key] : params_)
      if (const auto text = document_.text(row, column); is_too_large(text))
        return LeftOut{document_.where(row, column),
                       fmt::format("{} is {}, which is too large for a number", key, visible_start(text))};
    if (const auto beyond = parts_beyond_files(cell(row, "kernelName")); !beyond.empty())
      return LeftOut{where(row, "kernelName"), fmt::format("files have no parameter for {}", join(beyond, " and "))};
    result.params = params_of(row);
    if (result.params.empty()) return LeftOut{where(row, "kernelName"), no_params(row)};
    return result;
  }

 private:
  std::string_view cell(const CsvRow& row, std::string_view column) const {
    return document_.text(row, document_.column(column));
  }

  std::string where(const CsvRow& row, std::string_view column) const {
    return document_.where(row, document_.column(column));
  }

  std::string no_params(const CsvRow& row) const {
    return fmt::format("its kernel '{}' says no Triton parameters, and no columns do", cell(row, "kernelName"));
  }

  std::optional<TritonName> name_of(const CsvRow& row) const {
    if (const auto file = cell(row, "file"); !file.empty()) return parse_triton_name(file);
    TritonName name = unsaid_;
    if (const auto gfx = cell(row, "gfx"); !gfx.empty()) name.device = without_features(gfx);
    const auto cu_num = parse_int(cell(row, "cu_num"));
    if (name.device.empty() && cu_num) name.device = device_of(*cu_num);
    for (const auto* size : {"B", "N", "K"})
      if (const auto text = cell(row, size); !text.empty()) name.sizes.push_back({size, parse_int(text).value_or(0)});
    const bool usable = std::ranges::all_of(name.sizes, [](const TritonSize& size) { return size.value > 0; });
    const bool both = name.size("N").has_value() == name.size("K").has_value();
    return usable && both && !name.device.empty() ? std::optional(name) : std::nullopt;
  }

  /// Of a file in the folder itself: names come out of cells.
  static bool is_file_name(std::string_view name) {
    return name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
  }

  /// 1e999: not a number for any reader of JSON, and as a text no value for a kernel.
  static bool is_too_large(std::string_view text) {
    double value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc::result_out_of_range && end == text.data() + text.size() && !is_json(text);
  }

  /// From the columns; from the kernel's name if the columns do not state the tile.
  std::vector<Param> params_of(const CsvRow& row) const {
    std::vector<Param> params;
    for (const auto& [column, key] : params_)
      if (const auto text = document_.text(row, column); !text.empty())
        params.push_back({key, triton_value(key, text)});
    if (says_tile(params)) return in_canonical_order(params);
    auto named = params_in_name(cell(row, "kernelName"));
    return says_tile(named) ? named : std::vector<Param>{};
  }

  struct ParamColumn {
    std::size_t column{};
    std::string key{};
  };

  const CsvDocument& document_;
  const TritonName& unsaid_;
  std::optional<std::size_t> bucket_;
  std::vector<ParamColumn> params_;
};

}  // namespace

TritonRows triton_rows(const CsvDocument& document, const TritonName& unsaid) {
  const RowReader reader(document, unsaid);
  TritonRows result;
  for (const auto& row : document.rows) {
    auto read = reader.read(row);
    if (auto* usable = std::get_if<TritonRow>(&read)) result.rows.push_back(std::move(*usable));
    if (auto* left_out = std::get_if<LeftOut>(&read)) result.left_out.push_back(std::move(*left_out));
  }
  return result;
}

}  // namespace gemmtune
