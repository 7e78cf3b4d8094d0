// Any bytes: either a valid problem whose canonical text parses back to it, or an Error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto problem = gemmtune::parse_problem({reinterpret_cast<const char*>(data), size});
    if (gemmtune::parse_problem(gemmtune::to_string(problem)) != problem) std::abort();
    if (!gemmtune::why_invalid(problem).empty() || gemmtune::operand_sizes(problem).total() <= 0) std::abort();
  } catch (const gemmtune::Error&) {
  }
  return 0;
}
