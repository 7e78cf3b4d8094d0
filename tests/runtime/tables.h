// A table file of the kernels that a test wants to be run, and the launch of a plan with drawn operands.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include "gemmtune/core/files.h"
#include "gemmtune/gemm/draw.h"
#include "gemmtune/runtime/runtime.h"
#include "gemmtune/table/aiter_csv.h"
#include "tests/families/check/reference_product.h"

namespace gemmtune {

/// A file in the folder of tests, removed at the end.
class TableFile {
 public:
  TableFile(Format format, DeviceInfo device) : format_(format), device_(std::move(device)) {}
  ~TableFile() { std::filesystem::remove(path_); }
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  /// Adds a row to those that the next write() writes.
  TableFile& add(const std::string& problem, const Candidate& candidate, double time_us = 5) {
    TunedRow row{.gfx = device_.arch, .cu_num = device_.cu_num, .problem = parse_problem(problem)};
    row.libtype = candidate.family;
    row.kernel_name = candidate.name;
    row.time_us = time_us;
    rows_.push_back(row);
    return *this;
  }

  /// Replaces the file with the rows that were added since the last call.
  const std::filesystem::path& write() {
    auto table = empty_table(format_, Schema::gemmtune);
    for (auto& row : rows_) table.rows.push_back(row);
    rows_.clear();
    write_file_atomically(path_, tuned_table_text(table));
    return path_;
  }

  TableSource source() const { return {.path = path_, .family = {.format = format_, .packed = packed()}}; }

 private:
  bool packed() const { return format_ == Format::a4w4 || format_ == Format::a8w8_bpreshuffle; }

  static inline int count_ = 0;

  Format format_;
  DeviceInfo device_;
  std::vector<TunedRow> rows_;
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() /
      ("gemmtune_runtime_" + std::to_string(::getpid()) + "_" + std::to_string(++count_) + ".csv");
};

/// Host memory aligned as workspaces must be. The bytes are those of NaN.
class HostBlock {
 public:
  explicit HostBlock(std::size_t bytes)
      : data_(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{256}))) {
    std::fill_n(data_, bytes, std::byte{0xff});
  }
  ~HostBlock() { ::operator delete (data_, std::align_val_t{256}); }
  HostBlock(const HostBlock&) = delete;
  HostBlock& operator=(const HostBlock&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_;
};

/// Drawn operands of one problem, and what their product should be.
struct Drawn {
  explicit Drawn(const std::string& text, std::uint64_t seed = 1)
      : problem(parse_problem(text)),
        host(draw_operands(problem, Recipe::gaussian, seed)),
        expected(check::expected_product(problem, host, {.computed_on = DeviceKind::cpu})) {}

  Problem problem;
  HostOperands host;
  std::vector<check::Expected> expected;
};

/// Packs if the plan asks for it, launches, and compares. "" or what is wrong.
inline std::string why_wrong(const Plan& plan, const Drawn& drawn) {
  const auto c_bytes = static_cast<std::size_t>(operand_sizes(drawn.problem).c);
  const HostBlock c(c_bytes);
  const HostBlock workspace(plan.rules().workspace_bytes);
  const HostBlock packed(plan.rules().packed_bytes);
  LaunchOperands operands{.at = operands_of(drawn.host), .workspace_bytes = plan.rules().workspace_bytes};
  operands.at.c = c.data();
  operands.at.workspace = workspace.data();
  if (plan.rules().packed_bytes > 0) {
    auto weights = operands.at;
    weights.packed_w = packed.data();
    if (plan.pack_weights(weights, nullptr) != Refusal::none) return packing_refusal_text(plan.rules(), weights);
    operands.at.packed_w = packed.data();
    operands.at.w = nullptr;
    operands.packed_layout = plan.rules().packed_layout;
  }
  auto stream = plan.stream(nullptr);
  const auto refusal = plan.launch(operands, stream);
  if (refusal != Refusal::none) return plan.refusal_text(refusal, operands, stream);
  const std::span<const std::byte> written(c.data(), c_bytes);
  const auto why = check::first_difference(drawn.problem, drawn.expected, written);
  return why.empty() ? check::first_written_gap(drawn.problem, written) : why;
}

}  // namespace gemmtune
