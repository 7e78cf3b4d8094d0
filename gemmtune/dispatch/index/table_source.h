// A file of tuned rows, and the family of problems that it is for, which its columns do not state.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/gemm/format.h"

namespace gemmtune {

/// A family of AITER's tables: a format, and what the format leaves open.
struct TableFamily {
  Format format{Format::a16w16};
  bool packed{};           // weights are shuffled ahead
  bool mx_blocks{};        // of batched_a8w8: block scales, as AITER's mxscale BMM has them (one E8M0 byte for each)
  bool states_problems{};  // its rows say their problems whole (schema gemmtune): the format then says nothing

  bool operator==(const TableFamily&) const = default;
};

/// The problem with the values that a family's rows do not state.
Problem defaults_of(const TableFamily& family);

bool is_batched(const TableFamily& family);

/// What it is called: "a8w8_blockscale", "batched_mxscale".
std::string_view name_of(const TableFamily& family);

struct TableSource {
  std::filesystem::path path{};
  TableFamily family{};

  bool operator==(const TableSource&) const = default;
};

/// A table whose format the user named.
TableSource source_of(const std::filesystem::path& path, Format format);

enum class Presence : std::uint8_t { required, awaited };

/// The family that the file's problems, name, columns or kernels state. Throws Error{input} if they state none, or one
/// that is not supported (fused MoE, for example), and whatever read_csv() throws.
TableSource guess_source(const std::filesystem::path& path);

/// The same, but a file that is awaited need not exist yet, and is then expected to state its problems, as the tables
/// of `gemmtune serve` do.
TableSource guess_source(const std::filesystem::path& path, Presence presence);

/// The non-empty parts of "a.csv:b.csv".
std::vector<std::filesystem::path> split_paths(std::string_view colon_list);

}  // namespace gemmtune
