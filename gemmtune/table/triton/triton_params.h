// The parameters of a Triton kernel, from wherever a table states them: in columns, or in the kernel's name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// The known parameters' spelling in configuration files, in their usual order: BLOCK_SIZE_M, …, NUM_KSPLIT, kpack, …
const std::vector<std::string_view>& triton_param_names();

/// Whether this column of the CSV states a parameter. Case matters in configuration files, but not here.
std::optional<std::string_view> triton_param_named(std::string_view column);

/// The text of a cell or name as JSON text: 128; null for None, none and null; valid JSON as it is; anything else in
/// quotes. Cache modifiers get the dot that the names of kernels lack.
std::string triton_value(std::string_view param, std::string_view text);

/// The shortest text from which triton_value() makes this parameter's value again: .cg, None, 128.
std::string triton_cell(const Param& param);

/// Out of a name that holds its parameters, long as Triton prints them (…_BLOCK_SIZE_M_64_BLOCK_SIZE_N_128_…) or short
/// as candidates have them (triton_bm64_bn128_bk256_gm1_w4_s2_wpe2_mi16_ks1_cg); empty where it holds none.
std::vector<Param> params_in_name(std::string_view kernel_name);

/// The short name with these parameters behind a prefix. params_in_name() reads it back if all parameters are known.
std::string name_with_params(std::string_view prefix, const std::vector<Param>& params);

/// In the usual order, unknown ones after them in their own.
std::vector<Param> in_canonical_order(std::vector<Param> params);

/// Whether it states at least the tile's M and N. Less is not a configuration.
bool says_tile(const std::vector<Param>& params);

}  // namespace gemmtune
