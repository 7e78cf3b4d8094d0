// Any bytes as a table that is served: an Error, or rows that serving can stand by.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gemmtune/core/error.h"
#include "gemmtune/dispatch/index/load_tables.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gemmtune;
  const TableSource source{.path = "a4w4_tuned.csv", .family = TableFamily{.format = Format::a4w4, .packed = true}};
  TableIndexBuilder builder{BuildOptions{}};
  const auto use = [&](const TunedRow& row, std::int64_t line) {
    if (!why_invalid(row.problem).empty()) std::abort();
    builder.add(row, source.family, {.file = "a4w4_tuned.csv", .line = line});
  };
  try {
    (void)read_rows({reinterpret_cast<const char*>(data), size}, source, use, "gfx950");
    (void)std::move(builder).build();
  } catch (const Error&) {
  }
  return 0;
}
