// The profile CSV of a run on disk. Rows of earlier runs, of other runs at the same time, and of AITER's tuner are
// kept; this run's rows follow them, shape by shape, in the columns that the file has.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/format.h"
#include "gemmtune/table/profile_csv.h"

namespace gemmtune {

class ProfileFile {
 public:
  /// With an empty path nothing is written. Throws Error{input} when the existing file is not a profile of this format,
  /// and when it has no column that tells rows of this device from those of others.
  ProfileFile(std::filesystem::path path, ProfileKind kind, const DeviceInfo& device);

  void add(const TunedRow& row, const Evaluation& evaluation);

  /// Empty when nothing is written.
  const std::filesystem::path& path() const { return path_; }

  /// Adds the rows since the last call to the file, while no other process does. A stream (core/files.h) gets them all
  /// from finish().
  void write();
  void finish();

 private:
  std::vector<std::string> columns_of(const std::string& text) const;
  std::string appended(std::string text) const;

  std::filesystem::path path_;
  ProfileKind kind_;
  DeviceInfo device_;
  bool is_stream_{};
  std::vector<ProfiledRow> rows_{};  // not written yet
};

}  // namespace gemmtune
