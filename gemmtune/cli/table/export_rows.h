// The rows that `gemmtune table export` gives to other tools, and what it leaves out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gemmtune/dispatch/index/table_source.h"
#include "gemmtune/table/tuned_table.h"

namespace gemmtune {

/// Counts reasons. Each is said once, with how many rows it concerns and the first of them.
class LeftOutRows {
 public:
  void add(const std::string& reason, const std::string& row);
  void print() const;
  bool empty() const { return reasons_.empty(); }

 private:
  struct Rows {
    std::size_t count{};
    std::string first{};
  };
  std::map<std::string, Rows> reasons_;
};

/// The device whose rows are wanted. Empty and 0: any.
struct WantedDevice {
  std::string gfx{};
  std::int64_t cu_num{};
};

/// The rows of all tables that are for one device, with a time and an error ratio within AITER's limit: what lookups
/// serve. Throws Error{usage} if rows of several devices are left: a file of another tool is for one.
TunedTable rows_to_export(const std::vector<TableSource>& tables, const WantedDevice& wanted, LeftOutRows& left_out);

/// The rows, and one more for each of these sizes that has none of its own and that AITER's paddings of M serve:
/// programs that look keys up exactly find them so.
std::vector<TunedRow> expanded(std::vector<TunedRow> rows, const std::vector<std::int64_t>& sizes);

/// "1,17" and "1-512". Throws Error{usage} for what is no size.
std::vector<std::int64_t> sizes_in(const std::vector<std::string>& texts);

}  // namespace gemmtune
