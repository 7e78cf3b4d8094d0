// A JSON file of Triton kernel configurations, as AITER's GEMMs read them: one configuration for each bucket of M.
// Here the file as it stands: key order, unknown keys and layout survive reading and writing. Which bucket serves
// which M is triton_rule.h's business, what the file's name says triton_name.h's.
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
  std::string other{};          // the JSON text, where the value is no configuration; else ""

  bool operator==(const TritonEntry&) const = default;
};

struct TritonFile {
  std::string source{"<text>"};  // for messages
  std::vector<TritonEntry> entries{};
  int indent{4};
  bool final_newline{true};
};

/// Throws Error{input} with file:line:column for what is no JSON object, for a key that stands twice in an object, and
/// for nesting beyond 32.
TritonFile parse_triton_json(std::string_view text, std::string source = "<text>");
TritonFile read_triton_json(const std::filesystem::path& path);

/// The whole file. Reads back to the same entries.
std::string triton_json_text(const TritonFile& file);

}  // namespace gemmtune
