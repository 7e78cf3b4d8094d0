#include "gemmtune/exchange/gguf_model.h"

#include <algorithm>
#include <optional>
#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".gguf";
constexpr std::int64_t most_parts = 9999;

/// The place of a file among those of its model: "model-00002-of-00003.gguf" is {"model", 2, 3}.
struct Part {
  std::string prefix{};
  std::int64_t number{};
  std::int64_t count{};
};

std::optional<std::int64_t> five_digits(std::string_view text) {
  const bool are_digits = text.size() == 5 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return are_digits ? parse_int(text) : std::nullopt;
}

std::optional<Part> part_of(const std::string& file_name) {
  constexpr std::string_view pattern = "-00001-of-00003.gguf";
  if (file_name.size() <= pattern.size() || !file_name.ends_with(suffix)) return std::nullopt;
  const auto at = file_name.size() - pattern.size();
  const std::string_view end = std::string_view(file_name).substr(at);
  const auto number = five_digits(end.substr(1, 5));
  const auto count = five_digits(end.substr(10, 5));
  if (end[0] != '-' || end.substr(6, 4) != "-of-" || !number || !count) return std::nullopt;
  if (*number < 1 || *number > *count || *count > most_parts) return std::nullopt;
  return Part{.prefix = file_name.substr(0, at), .number = *number, .count = *count};
}

std::vector<fs::path> paths_of_model(const fs::path& path) {
  const auto part = part_of(path.filename().string());
  if (!part) return {path};
  std::vector<fs::path> paths;
  for (std::int64_t i = 1; i <= part->count; ++i)
    paths.push_back(path.parent_path() / fmt::format("{}-{:05}-of-{:05}.gguf", part->prefix, i, part->count));
  return paths;
}

/// The models in a folder: of those in several files, the first file's path.
std::vector<fs::path> models_in(const fs::path& folder) {
  std::set<fs::path> models;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto name = entry.path().filename().string();
    if (!name.ends_with(suffix) || to_lower(name).starts_with("mmproj")) continue;
    models.insert(paths_of_model(entry.path()).front());
  }
  if (error) fail(ErrorCode::input, "{}: {}", folder.string(), error.message());
  return {models.begin(), models.end()};
}

fs::path only_model_in(const fs::path& folder) {
  const auto models = models_in(folder);
  if (models.size() == 1) return models.front();
  if (models.empty()) fail(ErrorCode::input, "{}: found no model, expected a file that ends in .gguf", folder.string());
  fail(ErrorCode::input, "{}: found {} models, expected one: name one of them, such as {}", folder.string(),
       models.size(), models.front().string());
}

/// What the files say of how the model is split has to agree with their names and with each other.
void check_parts(const GgufModel& model) {
  const auto files = static_cast<std::int64_t>(model.files.size());
  const auto count = std::max<std::int64_t>(model.first().number("split.count").value_or(0), 1);
  if (count != files)
    fail(ErrorCode::input, "{}: split.count: found {}, expected {}, as its name says", model.first().source, count,
         files);
  std::set<std::string_view> names;
  for (std::int64_t i = 0; i < files; ++i) {
    const auto& file = model.files[static_cast<std::size_t>(i)];
    const auto number = file.number("split.no").value_or(i);
    if (number != i) fail(ErrorCode::input, "{}: split.no: found {}, expected {}", file.source, number, i);
    for (const auto& tensor : file.tensors)
      if (!names.insert(tensor.name).second)
        fail(ErrorCode::input, "{}: another file of the model has a tensor {}, too", file.source,
             visible_start(tensor.name));
  }
  const auto expected = model.first().number("split.tensors.count");
  if (expected && static_cast<std::size_t>(*expected) != names.size())
    fail(ErrorCode::input, "{}: split.tensors.count: found {}, but its files have {}", model.first().source, *expected,
         names.size());
}

}  // namespace

std::string GgufModel::architecture() const { return first().text("general.architecture").value_or(""); }

std::string GgufModel::key(std::string_view name) const { return fmt::format("{}.{}", architecture(), name); }

bool is_gguf_model(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return path.extension() == suffix || is_gguf(path);
  return !fs::exists(path / "config.json", ignored) && !models_in(path).empty();
}

GgufModel read_gguf_model(const fs::path& path) {
  std::error_code ignored;
  GgufModel model{.paths = paths_of_model(fs::is_directory(path, ignored) ? only_model_in(path) : path)};
  for (const auto& each : model.paths) model.files.push_back(read_gguf(each));
  check_parts(model);
  return model;
}

}  // namespace gemmtune
