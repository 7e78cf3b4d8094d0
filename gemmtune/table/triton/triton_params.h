// The parameters of a Triton kernel, which a table states either in columns or in the kernel's name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// The known parameters as configuration files spell them, in their usual order: BLOCK_SIZE_M, …, NUM_KSPLIT, kpack, …
const std::vector<std::string_view>& triton_param_names();

/// The parameter that this column of a CSV states, if it states one. Case matters in configuration files, but not here.
std::optional<std::string_view> triton_param_named(std::string_view column);

/// The JSON text for the text of a cell or name: null for None, none and null; valid JSON such as 128 unchanged;
/// anything else in quotes. Cache modifiers get the dot that names of kernels lack.
std::string triton_value(std::string_view param, std::string_view text);

/// The shortest text that triton_value() turns back into this parameter's value: .cg, None, 128.
std::string triton_cell(const Param& param);

/// The parameters in a name: a long name as Triton prints it (…_BLOCK_SIZE_M_64_BLOCK_SIZE_N_128_…), a short one
/// (triton_bm64_bn128_bk256_gm1_w4_s2_wpe2_mi16_ks1_cg), or that of a candidate of gemmtune's own Triton kernels
/// (triton_bm64_bn128_bk256_g1_w4_s2_k1_cg1). Empty if the name has none.
std::vector<Param> params_in_name(std::string_view kernel_name);

/// The parts of a short name for which configuration files have no parameter: p1 for a persistent kernel, t1 for TMA.
std::vector<std::string> parts_beyond_files(std::string_view kernel_name);

/// The short name: a prefix and then these parameters. params_in_name() reads it back if all parameters are known.
std::string name_with_params(std::string_view prefix, const std::vector<Param>& params);

/// The known parameters in the usual order, then the unknown ones in their own order.
std::vector<Param> in_canonical_order(std::vector<Param> params);

/// Whether the parameters include at least the tile's M and N. Without them they are not a configuration.
bool says_tile(const std::vector<Param>& params);

}  // namespace gemmtune
