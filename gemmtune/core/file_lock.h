// Lets several processes add to one file: each locks it, reads it, and writes it as a whole (core/files.h). Those who
// only read need no lock.
#pragma once

#include <chrono>
#include <filesystem>

namespace gemmtune {

/// Holds an flock on the file that `path` leads to, until it is destroyed or its process ends. A file that does not
/// exist is made, and is empty. Renaming another file over it leaves the lock on the old one, which those who wait
/// notice: the lock is then taken again, on the new file. On file systems without locks nothing is held.
class FileLock {
 public:
  /// Throws Error{io} if the file cannot be opened, or if the lock is not free within this time: normally it is held
  /// for milliseconds, but a stopped process holds it for ever.
  FileLock(const std::filesystem::path& path, std::chrono::milliseconds patience);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_{-1};
};

}  // namespace gemmtune
