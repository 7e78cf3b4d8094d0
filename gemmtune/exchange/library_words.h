// What the files of hipBLASLt and rocBLAS say of a product, as words by the name of their column or option: transA, m,
// a_type, …
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// The text of one of hipBLASLt's words; "" if the line does not say it.
using SaidWord = std::function<std::string_view(std::string_view name)>;

/// Throws Error{input} that names the word that is missing, wrong or not known here.
Problem problem_of_words(const SaidWord& said);

}  // namespace gemmtune
