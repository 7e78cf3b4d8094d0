// The profile CSV of a run on disk: rows of earlier runs stay, those of this one come after them, shape by shape.
#pragma once

#include <filesystem>
#include <string>

#include "gemmtune/gemm/format.h"
#include "gemmtune/table/tuned_row.h"

namespace gemmtune {

class ProfileFile {
 public:
  /// Without a path nothing is kept. Throws Error{input} when the file there is no profile of this format.
  ProfileFile(std::filesystem::path path, Format format);

  void add(const TunedRow& row, const Evaluation& evaluation);

  /// Empty when nothing is kept.
  const std::filesystem::path& path() const { return path_; }

  /// Atomically, all of it.
  void write() const;

 private:
  std::filesystem::path path_;
  Format format_;
  std::string text_;
};

}  // namespace gemmtune
