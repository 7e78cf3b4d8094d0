// Text in .xz files, whole.
#pragma once

#include <string>
#include <string_view>

namespace gemmtune {

std::string compress_xz(std::string_view text);

/// Throws Error{input} naming `source` for what is no .xz file, is damaged or cut off.
std::string decompress_xz(std::string_view bytes, const std::string& source);

}  // namespace gemmtune
