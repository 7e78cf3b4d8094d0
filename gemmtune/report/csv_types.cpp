#include "gemmtune/report/csv_types.h"

#include "gemmtune/table/guess_format.h"

namespace gemmtune {

CsvTypes csv_types(const CsvDocument& document, std::optional<Format> otherwise) {
  if (const auto guess = guess_format(document)) return {guess->format, defaults_of(*guess), true};
  if (otherwise) return {*otherwise, format_defaults(*otherwise), true};
  const bool is_batched = document.column("B").has_value();
  return {is_batched ? Format::batched_a8w8 : Format::a4w4, format_defaults(Format::a16w16), false};
}

}  // namespace gemmtune
