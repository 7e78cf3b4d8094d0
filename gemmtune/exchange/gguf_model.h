// A model in GGUF files: one file, or several that llama.cpp's gguf-split made (model-00001-of-00003.gguf, …), of which
// the first has the metadata and each has some of the tensors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/exchange/gguf_file.h"

namespace gemmtune {

struct GgufModel {
  std::vector<std::filesystem::path> paths{};
  std::vector<GgufFile> files{};  // of the same order; the first has the metadata

  const GgufFile& first() const { return files.front(); }

  /// "gpt-oss" for a key such as gpt-oss.block_count; "" if the file does not say.
  std::string architecture() const;

  /// The architecture's key: "attention.head_count" as "llama.attention.head_count".
  std::string key(std::string_view name) const;
};

/// Whether `path` is a GGUF file, is named like one, or is a folder with such files and no config.json.
bool is_gguf_model(const std::filesystem::path& path);

/// Reads the headers of all files of the model that `path` is one file of, or that is the only one in the folder
/// `path`. Files of a vision encoder (mmproj-….gguf) in a folder do not count. Throws Error{input}, which names the
/// file, if one is missing or damaged, or if a folder holds several models.
GgufModel read_gguf_model(const std::filesystem::path& path);

}  // namespace gemmtune
