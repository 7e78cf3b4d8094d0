// The profile CSV of a run on disk. Rows of earlier runs are kept; this run's rows follow them, shape by shape. A row
// that stands there already is not added: a run that was killed between profile and table writes its last shape again,
// with the trials that its store kept.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_set>

#include "gemmtune/gemm/format.h"
#include "gemmtune/table/tuned_row.h"

namespace gemmtune {

class ProfileFile {
 public:
  /// With an empty path nothing is written. Throws Error{input} when the existing file is not a profile of this format.
  ProfileFile(std::filesystem::path path, Format format);

  void add(const TunedRow& row, const Evaluation& evaluation);

  /// Empty when nothing is written.
  const std::filesystem::path& path() const { return path_; }

  /// Writes the whole file atomically.
  void write() const;

 private:
  std::filesystem::path path_;
  Format format_;
  std::string text_;
  std::unordered_set<std::string> lines_;  // of text_
};

}  // namespace gemmtune
