// Has a file changed since it was last looked at? By time, size and identity, so that a file renamed over another is
// seen, too.
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
