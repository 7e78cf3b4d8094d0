// Adds the rows of CSV files to another one, column by column: what several hosts wrote becomes one file.
#pragma once

#include <filesystem>
#include <vector>

#include "gemmtune/core/csv.h"

namespace gemmtune {

/// The rows of all documents under all their columns: those of the first, then what the others add. A cell that a
/// document does not have is empty.
CsvDocument joined(const std::vector<CsvDocument>& documents);

std::string csv_text(const CsvDocument& document);

/// Adds the profiles to the file, whose rows stay where they are.
void add_profiles(const std::filesystem::path& file, const std::vector<std::filesystem::path>& profiles);

}  // namespace gemmtune
