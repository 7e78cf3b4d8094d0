// From tuned tables to Triton's configuration files, as a tuning run writes them, and from such a file to the candidate
// that it stands for.
//
// Not: CSV files of other tools, whose columns state parameters (triton_rows.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/table/triton/triton_rows.h"
#include "gemmtune/table/tuned_table.h"

namespace gemmtune {

/// The tables' libtype of gemmtune's own Triton kernels.
inline constexpr std::string_view triton_family_name = "triton";

/// A device as the names of files begin with it, where "-" separates the parts: gfx942, sm90, x86_64_avx2.
std::string triton_device(std::string_view arch);

/// The rows of Triton kernels. Files state no persistent kernels and none that use TMA: such rows are left out.
TritonRows triton_rows(const TunedTable& table, const TritonName& kernel);

/// A file that is there already, with the entries that were made in place of its own. Its other entries stay; `any` (or
/// `default`) stays if one of the others does, since it may stand for them. Throws Error{usage} if the two files have
/// different kinds of keys.
TritonFile merged(TritonFile present, const TritonFile& made);

/// The name of the candidate with these parameters: triton_bm64_bn128_bk128_g8_w4_s3_k1. Empty if they do not state the
/// tile, or have a value that is no whole number.
std::string candidate_of_params(const std::vector<Param>& params);

/// The parameters that the files have for this problem on this device: the file of its N and K, else the default file.
/// Empty if no file has an entry for its M.
std::optional<std::vector<Param>> known_params(const std::vector<NamedTritonFile>& files, const TritonName& kernel,
                                               const Problem& problem);

}  // namespace gemmtune
