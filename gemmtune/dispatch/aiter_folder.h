// The tuned tables of an installation of AITER, as it reads them itself where no variable names others: the table of
// each family in aiter/configs, and beside it those of models in aiter/configs/model_configs.
#pragma once

#include <filesystem>
#include <vector>

#include "gemmtune/dispatch/index/table_source.h"

namespace gemmtune {

struct AiterTables {
  std::vector<TableSource> tables{};
  std::vector<std::filesystem::path> moe_tables{};
};

/// `folder` is the repository (aiter), or its package with the folder configs. A model's table belongs to a family if
/// its name has the family's file name in it (dsv3_bf16_tuned_gemm.csv) and not "untuned". Which file comes first does
/// not matter: of equal keys the fastest row is served. Throws Error{input} if there is no such folder, or no table in
/// it.
AiterTables aiter_tables(const std::filesystem::path& folder);

/// All of these files, those of fused MoE last.
std::vector<std::filesystem::path> files_of(const AiterTables& tables);

}  // namespace gemmtune
