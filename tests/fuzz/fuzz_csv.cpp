// Any bytes: either they are read, and the cells survive being written and read again, or an Error refuses them.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gemmtune/core/csv.h"
#include "gemmtune/core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto document = gemmtune::parse_csv({reinterpret_cast<const char*>(data), size});
    for (const auto& row : document.rows) {
      std::vector<std::string> cells;
      for (const auto& cell : row.cells) cells.push_back(cell.text);
      const auto again = gemmtune::parse_csv("h\n" + gemmtune::csv_line(cells) + "\n");
      const bool blank = cells.size() == 1 && cells[0].empty();
      if (!blank && (again.rows.size() != 1 || again.rows[0].cells.size() != cells.size())) std::abort();
    }
  } catch (const gemmtune::Error&) {
  }
  return 0;
}
