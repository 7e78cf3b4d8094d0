// Tells whether a file has changed since it was last checked: by time, size and identity, so that a file that was
// renamed over another is noticed too.
#pragma once

#include <cstdint>
#include <filesystem>

namespace gemmtune {

struct FileStamp {
  bool exists{};
  std::int64_t modified_ns{};
  std::int64_t size_bytes{};
  std::uint64_t device{};
  std::uint64_t inode{};

  bool operator==(const FileStamp&) const = default;
};

FileStamp file_stamp(const std::filesystem::path& path);

}  // namespace gemmtune
