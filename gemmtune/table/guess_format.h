// Guesses which of AITER's formats a shape file is for, from its name, its columns and its problems. Every guess is
// reported. If the file is ambiguous, no guess is made.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/gemm/format.h"

namespace gemmtune {

struct FormatGuess {
  Format format{Format::a16w16};
  bool packed{};          // the name says "bpreshuffle"
  std::string because{};  // "its name has 'a4w4'"
};

/// Uses the file's name first (a4w4, a8w8_blockscale, bf16, batched, …), then the columns of its header.
std::optional<FormatGuess> guess_format(const std::filesystem::path& path);
std::optional<FormatGuess> guess_format(const std::string& file_name, const std::vector<std::string>& header);

/// The formats of the problems that a file's column `problem` states, in their order, each once. A list of several has
/// no format of its own.
std::vector<Format> formats_of_problems(const std::filesystem::path& path);

/// The problem with the values that a shape file's columns do not state.
Problem defaults_of(const FormatGuess& guess);

}  // namespace gemmtune
