#include "gemmtune/cli/tune/profile_file.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>

#include "gemmtune/core/csv.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/file_lock.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/sheet/known_columns.h"

namespace gemmtune {
namespace {

constexpr auto patience = std::chrono::seconds(60);

bool has(const std::vector<std::string>& columns, std::string_view name) {
  return std::ranges::find(columns, name) != columns.end();
}

/// AITER's profiles of the first generations say the device by its number of units alone.
void insist_on_device(const std::vector<std::string>& columns, const DeviceInfo& device,
                      const std::filesystem::path& path) {
  const bool is_ours = has(columns, "outcome");
  if (is_ours || has(columns, "gfx") || gfx_of(std::to_string(device.cu_num)) == without_features(device.arch)) return;
  fail(ErrorCode::usage,
       "{} has no column gfx, so rows of {} would be read as those of another device: write another "
       "profile",
       path.string(), device.arch);
}

}  // namespace

ProfileFile::ProfileFile(std::filesystem::path path, ProfileKind kind, const DeviceInfo& device)
    : path_(std::move(path)), kind_(kind), device_(device), is_stream_(!path_.empty() && is_stream(path_)) {
  std::error_code error;
  const bool is_there = !path_.empty() && !is_stream_ && std::filesystem::file_size(path_, error) > 0 && !error;
  if (is_there) (void)columns_of(read_file(path_));
}

void ProfileFile::add(const TunedRow& row, const Evaluation& evaluation) {
  if (!path_.empty()) rows_.push_back({row, evaluation});
}

std::vector<std::string> ProfileFile::columns_of(const std::string& text) const {
  if (text.empty()) return profile_columns(kind_);
  auto columns = parse_csv(std::string_view(text).substr(0, text.find('\n')), path_.string()).header;
  insist_on_profile(columns, kind_.format, path_.string());
  insist_on_device(columns, device_, path_);
  return columns;
}

/// The text with our rows after it. A run that was killed between profile and table writes its last shape again, with
/// the trials that its store kept: a line that stands there already is not added.
std::string ProfileFile::appended(std::string text) const {
  const auto columns = columns_of(text);
  if (text.empty()) text = csv_line(columns);
  if (!text.ends_with('\n')) text += '\n';
  std::set<std::string, std::less<>> there;
  for (const auto line : split(text, '\n')) there.emplace(line);
  for (const auto& row : rows_)
    if (auto line = profile_line(columns, row); there.insert(line).second) text += line + '\n';
  return text;
}

void ProfileFile::write() {
  if (path_.empty() || is_stream_) return;
  const FileLock lock(path_, patience);
  write_file_atomically(path_, appended(read_file(path_)));
  rows_.clear();
}

void ProfileFile::finish() {
  if (is_stream_) write_file_atomically(path_, appended({}));
}

}  // namespace gemmtune
