// Compresses and decompresses whole texts in the .xz format.
#pragma once

#include <string>
#include <string_view>

namespace gemmtune {

std::string compress_xz(std::string_view text);

/// Throws Error{input} that names `source` for bytes that are no .xz file, or that are damaged or cut off.
std::string decompress_xz(std::string_view bytes, const std::string& source);

}  // namespace gemmtune
