// Any bytes: either an Error refuses them, or they are a configuration file. Written and read again, also through the
// CSV, it has the same entries.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gemmtune/core/error.h"
#include "gemmtune/table/triton/triton_rows.h"

namespace {

using namespace gemmtune;

void ask_everything(const TritonFile& file) {
  const auto bounds = bounds_of(TritonName{.tag = "A8W8"});
  const auto ranges = served_ranges(file, bounds);
  const auto asked = keys_asked(file, bounds);
  for (std::size_t i = 0; i < file.entries.size(); ++i)
    if (!ranges[i] && why_unreachable(file, i, bounds, asked).empty()) std::abort();
  for (const std::int64_t m : {1, 31, 32, 100, 257, 9000})
    if (const auto match = config_for(file, m, bounds))
      if (!ranges[match->entry]) std::abort();
}

void through_the_csv(const TritonFile& file) {
  const auto csv = triton_csv({{{.device = "gfx950", .tag = "A8W8", .sizes = {{"N", 8}, {"K", 8}}}, file}});
  const auto rows = triton_rows(parse_csv(csv.text), {});
  triton_files(rows.rows, keys_of(file));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto file = parse_triton_json({reinterpret_cast<const char*>(data), size});
    if (parse_triton_json(triton_json_text(file)).entries != file.entries) std::abort();
    ask_everything(file);
    through_the_csv(file);
  } catch (const Error&) {
  }
  return 0;
}
