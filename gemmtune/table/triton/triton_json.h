// A JSON file of Triton kernel configurations, as AITER's GEMMs read it: one configuration for each bucket of M. Key
// order, unknown keys and layout survive reading and writing. triton_rule.h says which bucket is used for which M, and
// triton_name.h what the file's name states.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// One key of the file. Its parameters' values are JSON texts: 128, ".cg" with its quotes, null.
struct TritonEntry {
  std::string key{};            // M_LEQ_64, medium_M32, any, _note, …
  std::vector<Param> params{};  // in the file's order
  std::string other{};          // the JSON text if the value is not a configuration; else ""

  bool operator==(const TritonEntry&) const = default;
};

struct TritonFile {
  std::string source{"<text>"};  // for messages
  std::vector<TritonEntry> entries{};
  int indent{4};
  bool final_newline{true};
};

/// Throws Error{input} with file:line:column if the text is not a JSON object, if a key occurs twice in an object,
/// and if nesting is deeper than 32.
TritonFile parse_triton_json(std::string_view text, std::string source = "<text>");
TritonFile read_triton_json(const std::filesystem::path& path);

/// The text of the whole file. Reading it gives the same entries.
std::string triton_json_text(const TritonFile& file);

}  // namespace gemmtune
