#include "gemmtune/table/triton/triton_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

bool names_kernel(std::string_view kernel) { return kernel.find("GEMM") != std::string::npos || kernel == "FF"; }

std::string to_upper(std::string_view text) {
  std::string upper(text);
  for (auto& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return upper;
}

/// The kernels of the newer layout, as its folders begin and as names spell them.
struct KernelFolder {
  std::string_view prefix;
  std::string_view kernel;
};

constexpr std::array<KernelFolder, 4> kernel_folders{
    {{"gemm_", "GEMM"}, {"batched_gemm_", "BATCHED_GEMM"}, {"fused_gemm_", "FUSED-GEMM"}, {"ff_", "FF"}}};

/// gemm_afp4wfp4_preshuffled -> GEMM, AFP4WFP4_PRESHUFFLED.
std::optional<TritonName> named_by_folder(std::string_view folder) {
  for (const auto& [prefix, kernel] : kernel_folders)
    if (folder.starts_with(prefix) && folder.size() > prefix.size())
      return TritonName{.kernel = std::string(kernel), .tag = to_upper(folder.substr(prefix.size()))};
  return std::nullopt;
}

/// device/backend/gemm/family/name.json: the folders from the innermost outwards.
std::optional<TritonName> parse_nested(const std::filesystem::path& path) {
  std::vector<std::string> folders;
  for (const auto& part : path.parent_path()) folders.push_back(part.string());
  if (folders.size() < 4) return std::nullopt;
  const auto family = folders.end() - 1;
  const auto& device = *(family - 3);
  const auto& backend = *(family - 2);
  if (*(family - 1) != "gemm" || (backend != "triton" && backend != "gluon")) return std::nullopt;
  auto name = path.stem() == "DEFAULT" ? named_by_folder(*family)
                                       : parse_triton_name(fmt::format("{}-{}", device, path.filename().string()));
  if (name) name->device = device;
  return name;
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
  while (next < pieces.size() && !names_kernel(name.kernel)) append(name.kernel, pieces[next++]);
  for (; next < pieces.size() && !parse_size(pieces[next]); ++next) append(name.tag, pieces[next]);
  for (; next < pieces.size(); ++next) {
    const auto size = parse_size(pieces[next]);
    if (!size) return std::nullopt;
    name.sizes.push_back(*size);
  }
  const bool complete = !name.device.empty() && names_kernel(name.kernel) && !name.tag.empty();
  return complete ? std::optional(name) : std::nullopt;
}

std::optional<TritonName> parse_triton_path(const std::filesystem::path& path) {
  auto name = parse_nested(path);
  if (!name) name = parse_triton_name(path.filename().string());
  const auto folder = path.parent_path().string() + '/';
  if (name && folder.find("gluon/") != std::string::npos) name->backend = "gluon";
  return name;
}

std::string triton_family(const TritonName& name) {
  auto family = to_lower(name.kernel + '_' + name.tag);
  std::ranges::replace(family, '-', '_');
  return family;
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
