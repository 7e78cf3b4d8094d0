#include "gemmtune/cli/tune/profile_file.h"

#include "gemmtune/core/csv.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/profile_csv.h"

namespace gemmtune {
namespace {

/// The present contents of the file, to which rows can be appended.
std::string text_so_far(const std::filesystem::path& path, const std::string& header) {
  if (path.empty() || !std::filesystem::exists(path)) return header + '\n';
  auto text = read_file(path);
  if (text.empty()) return header + '\n';
  const auto first_line = trim(split(text, '\n').front());
  if (first_line != header)
    fail(ErrorCode::input, "{}:1:1: found columns {}, expected those of a profile: {}", path.string(), first_line,
         header);
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

}  // namespace

ProfileFile::ProfileFile(std::filesystem::path path, Format format)
    : path_(std::move(path)), format_(format), text_(text_so_far(path_, csv_line(profile_columns(format)))) {
  for (const auto line : split(text_, '\n')) lines_.emplace(line);
}

void ProfileFile::add(const TunedRow& row, const Evaluation& evaluation) {
  if (path_.empty()) return;
  auto line = profile_line(format_, row, evaluation);
  if (lines_.contains(line)) return;
  text_ += line + '\n';
  lines_.insert(std::move(line));
}

void ProfileFile::write() const {
  if (!path_.empty()) write_file_atomically(path_, text_);
}

}  // namespace gemmtune
