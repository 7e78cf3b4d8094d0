#include "gemmtune/table/triton/triton_name.h"

#include <fmt/format.h>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

constexpr std::string_view extension = ".json";

/// Parses "N=7168": a name, and a number that would be printed in the same way.
std::optional<TritonSize> parse_size(std::string_view piece) {
  const auto equals = piece.find('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  const auto value = parse_int(piece.substr(equals + 1));
  if (!value || *value <= 0 || std::to_string(*value) != piece.substr(equals + 1)) return std::nullopt;
  return TritonSize{std::string(piece.substr(0, equals)), *value};
}

void append(std::string& text, std::string_view piece) {
  if (!text.empty()) text += '-';
  text += piece;
}

}  // namespace

std::optional<std::int64_t> TritonName::size(std::string_view name) const {
  for (const auto& known : sizes)
    if (known.name == name) return known.value;
  return std::nullopt;
}

std::optional<TritonName> parse_triton_name(std::string_view file_name) {
  if (file_name.ends_with(extension)) file_name.remove_suffix(extension.size());
  const auto pieces = split(file_name, '-');
  TritonName name{.device = std::string(pieces.front()), .kernel = ""};
  std::size_t next = 1;
  while (next < pieces.size() && name.kernel.find("GEMM") == std::string::npos) append(name.kernel, pieces[next++]);
  for (; next < pieces.size() && !parse_size(pieces[next]); ++next) append(name.tag, pieces[next]);
  for (; next < pieces.size(); ++next) {
    const auto size = parse_size(pieces[next]);
    if (!size) return std::nullopt;
    name.sizes.push_back(*size);
  }
  const bool complete = !name.device.empty() && name.kernel.find("GEMM") != std::string::npos && !name.tag.empty();
  return complete ? std::optional(name) : std::nullopt;
}

std::string triton_file_name(const TritonName& name) {
  auto text = fmt::format("{}-{}-{}", name.device, name.kernel, name.tag);
  for (const auto& [size, value] : name.sizes) text += fmt::format("-{}={}", size, value);
  return text + std::string(extension);
}

TritonName without_sizes(TritonName name) {
  name.sizes.clear();
  return name;
}

}  // namespace gemmtune
