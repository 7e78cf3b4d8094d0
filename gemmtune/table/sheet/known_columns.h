// The dictionary of columns: what those of AITER's tables and of our own mean, for GEMM, batched and fused-MoE tables,
// gated delta nets, MX bmm and kernel lists. A column is added here and nowhere else; one that tuned rows hold needs
// its way of writing and reading in table/dialect.cpp too. A column is known by its name in any case, or by one of its
// aliases. All others are key or carried along, see table/sheet/sheet.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gemmtune {

/// The part of a tuned row (table/tuned_row.h) that a column holds.
enum class Field : std::uint8_t {
  gfx,
  cu_num,
  batch,
  m,
  n,
  k,
  q_dtype_w,
  bias,
  dtype,
  outdtype,
  scale_ab,
  bpreshuffle,
  layout,
  epilogue,
  problem,
  libtype,
  kernel_id,
  split_k,
  time_us,
  kernel_name,
  tflops,
  bandwidth,
  err_ratio,
  us_low,
  us_high,
  dispersion,
  samples,
  library,
  device_name,
  driver,
  policy,
  date,
  unknown,  // no known field: kept in the rows that have it, empty in new rows
};

/// What a column is for.
enum class Role : std::uint8_t {
  device,       // gfx, cu_num: part of the key
  key,          // states the problem: rows that agree in all keys are duplicates
  choice,       // what was chosen for the problem
  kernel_name,  // the chosen kernel's name
  kernel_id,    // its number in a library: a hint that changes with every build of the library
  time,         // total time in microseconds
  part_time,    // time of one stage
  derived,      // computed from the key and the time: tflops, bw
  error,        // share of wrong elements
  provenance,   // gemmtune's own: which library, which driver, when
  carried,      // unknown: carried along
};

/// How the text of a cell is compared.
enum class CellKind : std::uint8_t {
  word,    // text
  size,    // a whole number above 0, never empty
  whole,   // a whole number
  number,  // any number, also inf, nan and Null
  flag,    // True, False, 1, 0; empty is False
  type,    // torch.bfloat16, dtypes.bf16, …
  share,   // a number or a percentage
};

struct KnownColumn {
  std::string_view name{};     // in the spelling of AITER's present tables
  std::string_view aliases{};  // other spellings, with blanks between them
  Role role{Role::carried};
  CellKind kind{CellKind::word};
  std::string_view fill{};  // what a missing column means
  Field field{Field::unknown};
};

/// The columns in the order of AITER's tables. Keys are also in the order in which AITER sorts, except that AITER sorts
/// N before M.
std::span<const KnownColumn> known_columns();

/// The index in known_columns(), if the column is known.
std::optional<std::size_t> find_known_column(std::string_view name);

/// Whether a cell states nothing: it is empty, Null, None or nan, in any case. The text must be trimmed.
bool says_nothing(std::string_view text);

/// Equal for texts that mean the same: "128" for " 128" and "128.0", "1" for "True", "torch.bfloat16" for
/// "dtypes.bf16", "" for "Null". A text that is not of this kind is returned as it is. A share of nan stays nan.
std::string canonical_value(CellKind kind, std::string_view text);

/// What the kind expects ("a whole number above 0") if the text is not of this kind, or "".
std::string_view why_not(CellKind kind, std::string_view text);

/// The device of tables without gfx, by AITER's rule: 256 compute units are a gfx950, 80 and 304 a gfx942; "" for all
/// others.
std::string_view gfx_of(std::string_view cu_num);

/// The architecture without its features: "gfx942" of "gfx942:sramecc+:xnack-", which is how HIP names a device.
std::string_view without_features(std::string_view gfx);

}  // namespace gemmtune
