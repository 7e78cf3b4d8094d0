#include "gemmtune/cli/shapes/list_inputs.h"

#include "gemmtune/table/guess_format.h"

namespace gemmtune {

Problem list_defaults(const CsvDocument& list) {
  insist_on_header(list);
  const auto guess = guess_format(list);
  return guess ? defaults_of(*guess) : format_defaults(Format::a16w16);
}

}  // namespace gemmtune
