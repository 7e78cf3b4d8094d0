// Names and numbers of kernels.
#include <fmt/format.h>

#include <map>
#include <set>

#include "gemmtune/table/lint/lint_checks.h"

namespace gemmtune::lint_checks {
namespace {

/// The kernels of the lists, by device and kind. A list without a known device is for all devices.
class Catalogue {
 public:
  explicit Catalogue(const std::vector<KernelList>& lists) {
    for (const auto& list : lists)
      for (const auto& kernel : list.kernels) {
        names_.insert({list.gfx, kernel.name});
        stems_.insert({list.gfx, kernel_stem(kernel.name)});
      }
  }

  /// Whether the lists have kernels of this kind, but not this kernel.
  bool lacks(const std::string& gfx, const std::string& name) const {
    const auto stem = kernel_stem(name);
    if (stem.empty() || (!stems_.contains({gfx, stem}) && !stems_.contains({"", stem}))) return false;
    return !names_.contains({gfx, name}) && !names_.contains({"", name});
  }

 private:
  std::set<std::pair<std::string, std::string>> names_;
  std::set<std::pair<std::string, std::string>> stems_;
};

/// One kernel on one kind of device.
struct Identity {
  std::string gfx{};
  std::string libtype{};
  std::string name{};

  auto operator<=>(const Identity&) const = default;
};

using LineOfId = std::map<std::string, std::int64_t>;

}  // namespace

Remarks unknown_kernels(const LintInput& input) {
  const Catalogue catalogue(input.kernel_lists);
  Remarks remarks;
  for (const auto& table : input.tables)
    for (const auto& row : table.sheet.rows)
      for (std::size_t i = 0; i < table.sheet.columns.size(); ++i)
        if (table.sheet.columns[i].role == Role::kernel_name && catalogue.lacks(gfx_of(table.sheet, row), row.cells[i]))
          remarks.push_back({place_of(table, row, i), fmt::format("no list has the kernel {}", row.cells[i])});
  return remarks;
}

Remarks kernels_under_two_ids(const LintInput& input) {
  Remarks remarks;
  for (const auto& table : input.tables) {
    const auto name = table.sheet.column(Role::kernel_name);
    const auto id = table.sheet.column(Role::kernel_id);
    if (!name || !id) continue;
    std::map<Identity, LineOfId> seen;
    for (const auto& row : table.sheet.rows) {
      if (row.cells[*name].empty() || row.cells[*id].empty()) continue;
      const Identity kernel{gfx_of(table.sheet, row), std::string(table.sheet.text(row, table.sheet.column("libtype"))),
                            row.cells[*name]};
      auto& ids = seen[kernel];
      if (!ids.try_emplace(row.cells[*id], row.line).second || ids.size() < 2) continue;
      const auto& other = *ids.begin() == *ids.find(row.cells[*id]) ? *ids.rbegin() : *ids.begin();
      remarks.push_back({place_of(table, row, id), fmt::format("{} has id {} here and {} in line {}", kernel.name,
                                                               row.cells[*id], other.first, other.second)});
    }
  }
  return remarks;
}

Remarks rows_with_only_an_id(const LintInput& input) {
  Remarks remarks;
  for (const auto& table : input.tables) {
    const auto name = table.sheet.column(Role::kernel_name);
    const auto id = table.sheet.column(Role::kernel_id);
    if (!name || !id) continue;
    for (const auto& row : table.sheet.rows)
      if (canonical_value(CellKind::word, row.cells[*name]).empty() && !row.cells[*id].empty())
        remarks.push_back(
            {place_of(table, row, id),
             fmt::format("no kernelName: {} is another kernel in another build of the library", row.cells[*id])});
  }
  return remarks;
}

}  // namespace gemmtune::lint_checks
