// Guesses which of AITER's formats a shape file or a table is for, from its problems, its name, its columns and the
// names of its kernels. Every guess is reported. If the file is ambiguous, no guess is made.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/core/csv.h"
#include "gemmtune/gemm/format.h"

namespace gemmtune {

struct FormatGuess {
  Format format{Format::a16w16};
  bool packed{};          // the name says "bpreshuffle"
  std::string because{};  // "its name has 'a4w4'"
  bool is_mixed{};        // its rows say problems of several formats, or of none of AITER's; `format` then says nothing
};

/// Uses the problems that the rows state, if they do; then the file's name (a4w4, a8w8_blockscale, bf16, batched, fp4,
/// …), the columns of its header, and the names of the kernels in it.
std::optional<FormatGuess> guess_format(const CsvDocument& document);
std::optional<FormatGuess> guess_format(const std::filesystem::path& path);

/// The same without the rows.
std::optional<FormatGuess> guess_format(const std::string& file_name, const std::vector<std::string>& header);

/// The problem with the values that a shape file's columns do not state.
Problem defaults_of(const FormatGuess& guess);

}  // namespace gemmtune
