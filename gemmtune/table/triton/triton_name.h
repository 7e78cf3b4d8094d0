// The name of a Triton configuration file: {device}-{kernel}-{tag}[-{sizes}].json. Examples:
//   gfx950-GEMM-AFP4WFP4-N=7168-K=2048.json        gfx1250-BATCHED_GEMM-A16W16-B=4-N=1024-K=4096.json
//   gfx950-FUSED-GEMM-AFP4WFP4-A16W16-N4=512-N16=256-K=7168.json
// A file with sizes is read instead of the one without (the default file), never beside it.
// AITER's newer layout has folders for what the name lacks there:
//   gfx950/triton/gemm/gemm_afp4wfp4/DEFAULT.json    gfx950/triton/gemm/gemm_afp4wfp4/GEMM-AFP4WFP4-N=512-K=7168.json
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

struct TritonSize {
  std::string name{};  // B, N, K, N4, N16, …
  std::int64_t value{};

  auto operator<=>(const TritonSize&) const = default;
};

struct TritonName {
  std::string device{};             // gfx950
  std::string kernel{"GEMM"};       // GEMM, BATCHED_GEMM, FUSED-GEMM, GEMM_PREQUANT, …; FF for feed-forward layers
  std::string tag{};                // A8W8_BLOCKSCALE, AFP4WFP4-MUL_ADD, A16W16-gated, …
  std::vector<TritonSize> sizes{};  // none: the default file
  std::string backend{};            // "gluon" by the file's folder, else "": no part of the file's name

  std::optional<std::int64_t> size(std::string_view name) const;

  auto operator<=>(const TritonName&) const = default;
};

/// Parses a file's name, with or without .json. Empty if it is not such a name.
std::optional<TritonName> parse_triton_name(std::string_view file_name);

/// From the whole path: by the name, else by the folders of the newer layout. Nothing for files of other kernels
/// (attention, MoE, convolutions, …).
std::optional<TritonName> parse_triton_path(const std::filesystem::path& path);

/// Kernel and tag in the spelling of the newer layout's folders, in which all spellings are one:
/// "gemm_a16w16_gated" of GEMM-A16W16-gated.
std::string triton_family(const TritonName& name);

/// With .json.
std::string triton_file_name(const TritonName& name);

/// The name of the default file that belongs to it.
TritonName without_sizes(TritonName name);

}  // namespace gemmtune
