#include "gemmtune/dispatch/index/file_stamp.h"

#include <sys/stat.h>

namespace gemmtune {

FileStamp file_stamp(const std::filesystem::path& path) {
  struct stat seen {};
  if (::stat(path.c_str(), &seen) != 0) return {};
  return {.exists = true,
          .modified_ns = std::int64_t{seen.st_mtim.tv_sec} * 1'000'000'000 + seen.st_mtim.tv_nsec,
          .size_bytes = seen.st_size,
          .device = seen.st_dev,
          .inode = seen.st_ino};
}

}  // namespace gemmtune
