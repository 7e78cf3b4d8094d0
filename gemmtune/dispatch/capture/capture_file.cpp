#include "gemmtune/dispatch/capture/capture_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

constexpr auto lock_patience =
    std::chrono::seconds(5);  // the lock is normally held for milliseconds; a stopped process holds it for ever
constexpr auto lock_pause = std::chrono::milliseconds(2);

/// Holds the lock until it is destroyed. The file is closed on exec, so that a child program does not keep the lock.
class FileLock {
 public:
  explicit FileLock(const std::string& path) : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) fail(ErrorCode::io, "{}: {}", path, std::strerror(errno));
    const auto deadline = std::chrono::steady_clock::now() + lock_patience;
    while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) give_up(path, std::strerror(errno));
      if (std::chrono::steady_clock::now() > deadline) give_up(path, "another process does not let go of it");
      std::this_thread::sleep_for(lock_pause);
    }
  }
  ~FileLock() {
    ::flock(descriptor_, LOCK_UN);  // closing it alone would leave the lock to a child that was forked meanwhile
    ::close(descriptor_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  [[noreturn]] void give_up(const std::string& path, std::string_view why) {
    ::close(descriptor_);
    fail(ErrorCode::io, "{}: {}", path, why);
  }

  int descriptor_;
};

/// The file that `path` points to: if it is a symbolic link, its target is replaced, not the link.
std::filesystem::path followed(const std::filesystem::path& path) {
  std::error_code failed;
  auto real = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : real;
}

}  // namespace

void add_to_capture_file(const std::filesystem::path& path, std::span<const CapturedProblem> more) {
  const auto file = followed(path);
  const FileLock lock(file.string() + ".lock");
  write_file_atomically(file, capture_text(merged(read_capture(file), more)));
}

}  // namespace gemmtune
