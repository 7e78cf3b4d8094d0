#include "gemmtune/exchange/tunable_op_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/exchange/line_shapes.h"
#include "gemmtune/table/sheet/known_columns.h"

namespace gemmtune {
namespace {

constexpr double us_per_ms = 1000;

bool has_validator(const std::vector<Param>& validators, std::string_view name) {
  return std::ranges::find(validators, name, &Param::key) != validators.end();
}

/// With PYTORCH_TUNABLEOP_BLAS_LOG=1 the third field of a recorded line is no solution.
bool is_solution(std::string_view field) { return field == "Default" || field.starts_with("Gemm_"); }

TunableOpEntry entry_of(std::string_view line) {
  TunableOpEntry entry{.call = tunable_op_call(line)};
  const auto fields = split(line, ',');
  if (fields.size() < 3 || !is_solution(trim(fields[2]))) return entry;
  entry.solution = trim(fields[2]);
  if (fields.size() < 4) return entry;
  const auto time = parse_double(trim(fields[3]));
  if (!time) fail(ErrorCode::input, "found '{}', expected a time in milliseconds", fields[3]);
  entry.time_us = *time * us_per_ms;
  return entry;
}

void read_line(std::string_view line, const std::string& where, TunableOpFile& file) {
  const auto fields = split(line, ',');
  if (fields[0] == "Validator" && fields.size() >= 3) {
    file.validators.push_back({std::string(trim(fields[1])), std::string(trim(fields[2]))});
    return;
  }
  try {
    file.entries.push_back(entry_of(line));
    file.entries.back().where = where;
  } catch (const Error& error) {
    file.rejected.push_back({where + ":1", error.what()});
  }
}

}  // namespace

std::string validator(const std::vector<Param>& validators, std::string_view name) {
  const auto found = std::ranges::find(validators, name, &Param::key);
  return found == validators.end() ? std::string() : found->value;
}

std::string gfx_of(const std::vector<Param>& validators) {
  const auto cuda = validator(validators, "CUDA_DEVICE");
  if (cuda.empty()) return std::string(without_features(validator(validators, "GCN_ARCH_NAME")));
  std::string gfx = "sm";
  for (const char c : cuda.substr(0, cuda.find(':')))
    if (c != '.') gfx += c;
  return gfx;
}

TunableOpFile read_tunable_op_file(std::string_view text, const std::string& source) {
  TunableOpFile file;
  std::int64_t number = 0;
  for (const auto raw : split(text, '\n')) {
    ++number;
    if (const auto line = trim(raw); !line.empty()) read_line(line, fmt::format("{}:{}", source, number), file);
  }
  return file;
}

ShapeList tunable_op_shapes(std::string_view text, const std::string& source) {
  return shapes_of_lines(text, source, [](std::string_view line) {
    const bool says_none = line.empty() || line.starts_with("Validator,");
    return says_none ? std::nullopt : std::optional(tunable_op_call(line).problem);
  });
}

std::string solution_text(const LibraryKernel& kernel) {
  auto text = "Gemm_" + kernel.library;
  text[5] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[5])));
  for (const auto& [key, value] : kernel.settings) text += fmt::format("_{}_{}", key, value);
  return text;
}

std::optional<LibraryKernel> parse_solution(std::string_view solution) {
  const auto words = split(solution, '_');
  if (words.size() < 6 || words.size() % 2 != 0 || words[0] != "Gemm") return std::nullopt;
  LibraryKernel kernel{.library = to_lower(words[1])};
  for (std::size_t i = 2; i < words.size(); i += 2)
    kernel.settings.push_back({std::string(words[i]), std::string(words[i + 1])});
  return kernel;
}

std::optional<NumberedSolution> parse_numbered_solution(std::string_view solution) {
  const auto words = split(solution, '_');
  if (words.size() < 3 || words.size() > 4 || words[0] != "Gemm") return std::nullopt;
  const auto number = parse_int(words.back());
  return number ? std::optional(NumberedSolution{to_lower(words[1]), *number}) : std::nullopt;
}

TunableOpText tunable_op_text(const std::vector<Param>& validators, const std::vector<TunableOpEntry>& entries,
                              TorchBuild build) {
  std::map<TunableOpKey, const TunableOpEntry*> by_key;
  for (const auto& entry : entries) by_key.try_emplace(tunable_op_key(entry.call, build), &entry);
  TunableOpText result{.repeated = entries.size() - by_key.size()};
  for (const auto& [key, value] : validators) result.text += fmt::format("Validator,{},{}\n", key, value);
  for (const auto& [key, entry] : by_key)
    result.text +=
        fmt::format("{},{},{},{:.9g}\n", key.operation, key.parameters, entry->solution, entry->time_us / us_per_ms);
  return result;
}

TorchBuild build_of(const std::vector<Param>& validators) {
  if (has_validator(validators, "PT_VERSION") && has_validator(validators, "CUBLASLT_VERSION")) return TorchBuild::cuda;
  if (has_validator(validators, "PT_VERSION") && has_validator(validators, "GCN_ARCH_NAME")) return TorchBuild::rocm;
  fail(ErrorCode::input,
       "these are not all validators of a PyTorch: expected PT_VERSION, and CUBLASLT_VERSION (since PyTorch 2.14) or "
       "GCN_ARCH_NAME");
}

}  // namespace gemmtune
