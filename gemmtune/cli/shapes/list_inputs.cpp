#include "gemmtune/cli/shapes/list_inputs.h"

#include <filesystem>

#include "gemmtune/table/guess_format.h"

namespace gemmtune {

Problem list_defaults(const CsvDocument& list) {
  const auto name = std::filesystem::path(list.source).filename().string();
  const auto guess = guess_format(name, list.header);
  return guess ? defaults_of(*guess) : format_defaults(Format::a16w16);
}

}  // namespace gemmtune
