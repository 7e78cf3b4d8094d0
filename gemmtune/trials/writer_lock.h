// One writer for a store. The lock is the kernel's (flock on a file beside the store), so it vanishes with its process,
// even by kill -9; the file that remains means nothing.
#pragma once

#include <filesystem>
#include <string>

namespace gemmtune {

class WriterLock {
 public:
  /// Throws Error{io} at once when another process, or another lock of this one, has it: with its process id and host.
  explicit WriterLock(const std::filesystem::path& store);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  int descriptor_;
};

/// This machine's name, as runs and locks record it.
std::string host_name();

}  // namespace gemmtune
