// Starts a process. An implementation detail of core/subprocess.h.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "gemmtune/core/subprocess.h"

namespace gemmtune {

/// A file descriptor that closes itself.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return fd_; }  // -1 if there is none, which poll() ignores
  bool valid() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_{-1};
};

/// A running child and our ends of its streams: a socket for stdin, non-blocking pipes for stdout and stderr.
struct SpawnedChild {
  pid_t pid{};
  FileDescriptor in{};
  FileDescriptor out{};
  FileDescriptor err{};
};

/// Returns once the child runs the command. Throws Error{io} with the system's reason if the command cannot be started.
SpawnedChild spawn(const std::vector<std::string>& command, const SubprocessOptions& options);

}  // namespace gemmtune
