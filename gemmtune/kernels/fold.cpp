#include "gemmtune/kernels/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/fold_arguments.h"
#include "gemmtune/kernels/fold_words.h"
#include "gemmtune/kernels/read_back.h"

namespace gemmtune {

// CMake writes this function.
KernelSource fold_kernel();

namespace {

constexpr std::int64_t most_threads = 256;
constexpr std::int64_t units_at_once = 4;    // of one thread, as in fold.cu
constexpr std::int64_t blocks_wanted = 264;  // fewer leave multiprocessors idle
constexpr unsigned highest_blocks = 256;

std::int64_t element_bytes(FoldType type) { return type == FoldType::bf16 ? 2 : 1; }
std::int64_t chunks_of(std::int64_t k) { return ceil_div(k, fold_chunk); }

std::int64_t scale_count(const FoldSpec& spec) {
  if (spec.base == FoldBase::none) return 0;
  if (spec.base == FoldBase::tensor) return 1;
  return spec.base == FoldBase::row ? spec.rows : spec.rows * chunks_of(spec.k);
}

std::string why_not(const FoldSpec& spec) {
  if (spec.k % fold_block != 0) return fmt::format("MXFP4 is folded for K % 32 == 0 only, not K = {}", spec.k);
  if (spec.base == FoldBase::none && spec.type != FoldType::bf16) return "only bf16 does without a base";
  if (spec.values == InputLayout::shuffled && (spec.rows % 16 != 0 || spec.k % 64 != 0))
    return "shuffled values come in 16 rows by 64 of K";
  return "";
}

/// Six blocks to a multiprocessor, where the compiler can do that without spilling registers.
const char* bounds_of(const FoldSpec& spec) {
  const bool simple =
      spec.values == InputLayout::plain && spec.e8m0 == InputLayout::plain && spec.base != FoldBase::chunk;
  return simple ? "__launch_bounds__(256,6)" : "";
}

std::int64_t scale_bytes(const FoldSpec& spec) {
  const auto blocks = spec.k / fold_block;
  if (spec.e8m0 == InputLayout::plain) return spec.rows * blocks;
  return (spec.rows + 255) / 256 * 256 * ((blocks + 7) / 8 * 8);
}

/// Short kernels start early (pdl.cuh). Long ones would only occupy room that kernels still running need.
LaunchStart start_of(const FoldSpec& spec) {
  constexpr std::int64_t most = std::int64_t{1} << 22;
  return spec.rows * spec.k <= most ? LaunchStart::early : LaunchStart::after_previous;
}

/// How the blocks of threads share a row.
struct Shares {
  unsigned threads{};
  std::int64_t units{};  // units of one segment
  unsigned segments{};
};

Shares shares_of(const FoldSpec& spec, std::int64_t units) {
  const auto threads = std::clamp<std::int64_t>((units + 31) / 32 * 32, 32, most_threads);
  auto at_once = units_at_once;
  while (at_once > 1 && spec.rows * ((units + threads * at_once - 1) / (threads * at_once)) < blocks_wanted)
    at_once /= 2;
  const auto of_segment = threads * at_once;
  return {static_cast<unsigned>(threads), of_segment, static_cast<unsigned>(ceil_div(units, of_segment))};
}

template <typename T>
T* part(std::byte* folded, std::size_t offset) {
  return reinterpret_cast<T*>(folded + offset);
}

FoldArguments arguments_of(const FoldSpec& spec, std::byte* folded) {
  const auto at = fold_layout(spec);
  return {.folded = part<unsigned char>(folded, at.values),
          .scales = part<float>(folded, at.scales),
          .wide = part<unsigned char>(folded, at.wide),
          .ranges = part<unsigned short>(folded, at.ranges),
          .highest = part<unsigned>(folded, at.highest),
          .rows = spec.rows,
          .k = spec.k,
          .highest_count = static_cast<std::int32_t>(highest_blocks)};
}

}  // namespace

FoldLayout fold_layout(const FoldSpec& spec) {
  FoldLayout at;
  const auto next = [&](std::int64_t bytes) {
    const auto offset = at.bytes;
    at.bytes += static_cast<std::size_t>((bytes + 255) / 256 * 256);
    return offset;
  };
  const auto flagged = spec.base == FoldBase::none ? 0 : spec.rows;
  at.values = next(spec.rows * spec.k * element_bytes(spec.type));
  at.scales = next(scale_count(spec) * 4);
  at.wide = next(flagged);
  at.ranges = next(flagged * 2);
  at.highest = next(spec.base == FoldBase::tensor ? std::int64_t{highest_blocks} * 4 : 0);
  return at;
}

std::string fold_layout_name(const FoldSpec& spec) {
  return fmt::format("folded {} {} {}", fold_word(spec.type), fold_word(spec.base),
                     spec.fill == FoldFill::low ? "low" : "high");
}

KernelSource fold_source(const FoldSpec& spec, const std::string& arch) {
  if (const auto why = why_not(spec); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
  auto source = fold_kernel();
  source.name = fmt::format("fold_{}_{}.cu", fold_word(spec.type), fold_word(spec.base));
  source.arch = arch;
  source.options = {"--std=c++20",
                    "--device-as-default-execution-space",
                    fmt::format("-DBOUNDS={}", bounds_of(spec)),
                    fmt::format("-DFOLD_TYPE={}", fold_word(spec.type)),
                    fmt::format("-DFOLD_BASE={}", fold_word(spec.base)),
                    fmt::format("-DFOLD_FILL={}", spec.fill == FoldFill::low ? "low" : "high"),
                    fmt::format("-DVALUES_LAYOUT={}", fold_word(spec.values)),
                    fmt::format("-DE8M0_LAYOUT={}", fold_word(spec.e8m0))};
  return source;
}

Folder::Folder(const FoldSpec& spec, const std::string& arch)
    : spec_(spec),
      module_(compile_kernel(fold_source(spec, arch))),
      fold_(module_.function("fold")),
      find_highest_(module_.function("find_highest")) {}

FoldLayout Folder::layout() const { return fold_layout(spec_); }

std::int64_t Folder::units() const { return spec_.k * element_bytes(spec_.type) / 16; }

void Folder::launch(const std::byte* values, const std::byte* e8m0, std::byte* folded, Stream& stream) const noexcept {
  if (spec_.rows == 0 || spec_.k == 0) return;
  const auto shares = shares_of(spec_, units());
  auto arguments = arguments_of(spec_, folded);
  arguments.values = reinterpret_cast<const unsigned char*>(values);
  arguments.e8m0 = reinterpret_cast<const unsigned char*>(e8m0);
  arguments.units_of_segment = static_cast<std::int32_t>(shares.units);
  if (spec_.base == FoldBase::tensor)
    module_.launch(stream, find_highest_, {.grid = {highest_blocks}, .block = {256}}, arguments, scale_bytes(spec_));
  const auto verdicts = spec_.base == FoldBase::chunk ? chunks_of(spec_.k) * 8 : 0;
  module_.launch(stream, fold_,
                 {.grid = {static_cast<unsigned>(spec_.rows), shares.segments},
                  .block = {shares.threads},
                  .shared_bytes = static_cast<unsigned>(verdicts),
                  .start = start_of(spec_)},
                 arguments);
}

FoldReport Folder::report(const std::byte* folded, Stream& stream) const {
  const auto at = layout();
  FoldReport report;
  if (spec_.base == FoldBase::none) return report;
  const auto wide = read_back<std::uint8_t>(folded + at.wide, spec_.rows, stream);
  const auto ranges = read_back<std::uint16_t>(folded + at.ranges, spec_.rows, stream);
  report.wide_rows = std::ranges::count(wide, wide_row);
  for (const auto range : ranges) report.most_binades = std::max(report.most_binades, (range >> 8) - (range & 255));
  return report;
}

FoldReport Folder::fold_weights(const std::byte* values, const std::byte* e8m0, std::byte* folded,
                                Stream& stream) const {
  launch(values, e8m0, folded, stream);
  const auto found = report(folded, stream);
  if (found.wide_rows == 0) return found;
  const auto window = fold_window(spec_.type);
  fail(ErrorCode::unsupported,
       "{} of {} rows of the weights do not fit: {} holds {} block exponents, and {} lie in a row", found.wide_rows,
       spec_.rows, fold_word(spec_.type), window.highest - window.lowest + 1, found.most_binades + 1);
}

}  // namespace gemmtune
