// Allows one writer for a store. The lock is an flock on a file beside the store, so it ends with its process, even
// after kill -9. The file that remains has no meaning.
#pragma once

#include <filesystem>
#include <string>

namespace gemmtune {

class WriterLock {
 public:
  /// Throws Error{io} when another process, or another object in this process, holds the lock. The message
  /// names the process id and the host of the holder. One that was just killed is waited for: half a
  /// second, and some seconds once it is known to be dead.
  explicit WriterLock(const std::filesystem::path& store);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  int descriptor_;
};

/// The name of this machine, as recorded in runs and locks.
std::string host_name();

}  // namespace gemmtune
