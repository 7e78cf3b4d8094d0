// AITER's tuned and profile CSVs: which columns each format has, how numbers are written, and reading them back.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/gemm/format.h"
#include "gemmtune/table/tuned_row.h"

namespace gemmtune {

/// A tuned table of one format in memory. Rows that this build cannot use are kept as they stand in the file.
struct TunedTable {
  Format format{Format::a16w16};
  std::vector<TunedRow> rows{};
  std::vector<std::string> unusable_lines{};  // verbatim, written back after the rows
};

/// Columns of a format's tuned table, keys first: cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio and variants.
std::vector<std::string> tuned_columns(Format format);

/// Numbers as AITER writes them: us and errRatio with at most 4 decimals, tflops and bw with 2.
std::string tuned_table_text(const TunedTable& table);
TunedTable read_tuned_table(const std::filesystem::path& path, Format format);

/// Profile: every candidate tried. Failed ones have us = -1 (inf when timed out or crashed) and errRatio = 1, as AITER
/// writes them, and our columns outcome and reason say what happened.
std::vector<std::string> profile_columns(Format format);
std::string profile_line(Format format, const TunedRow& row, const Evaluation& evaluation);

}  // namespace gemmtune
