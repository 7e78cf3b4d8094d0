// AITER's tuned CSVs as text: reads them, whatever their generation, and writes them back. Rows that were not tuned
// again keep their text byte for byte (except line ends): numbers that others wrote are not reformatted.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/core/csv.h"
#include "gemmtune/gemm/format.h"
#include "gemmtune/table/tuned_table.h"

namespace gemmtune {

/// The columns of a format's tuned table, keys first: cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio and
/// variants.
std::vector<std::string> tuned_columns(Format format);

/// The text of the whole file.
std::string tuned_table_text(const TunedTable& table);

/// The table's columns are those of the file. Throws Error{input} if they are not of this format. A file that does not
/// exist or is empty gives an empty table with the schema's columns.
TunedTable read_tuned_table(const std::filesystem::path& path, Format format, Schema schema = Schema::seed);
TunedTable read_tuned_table(const CsvDocument& document, Format format);

}  // namespace gemmtune
