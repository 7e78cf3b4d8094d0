#include "gemmtune/core/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

constexpr auto pause = std::chrono::milliseconds(2);

/// For writing where that is allowed, since NFS locks only such files. Existing files are opened without O_CREAT, which
/// the kernel refuses for the files of others in shared folders.
int open_or_make(const std::filesystem::path& path) {
  constexpr int flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  for (;;) {
    int descriptor = ::open(path.c_str(), flags | O_RDWR);
    if (descriptor < 0 && (errno == EACCES || errno == EROFS)) descriptor = ::open(path.c_str(), flags | O_RDONLY);
    if (descriptor < 0 && errno == ENOENT) descriptor = ::open(path.c_str(), flags | O_RDWR | O_CREAT | O_EXCL, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
}

bool is_without_locks(int error) {
  return error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS || error == EINVAL || error == EBADF;
}

bool is_named(int descriptor, const std::filesystem::path& path) {
  struct stat held {};
  struct stat named {};
  return ::fstat(descriptor, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

/// An open file that is closed unless it is released.
class Opened {
 public:
  explicit Opened(const std::filesystem::path& path) : descriptor_(open_or_make(path)) {
    if (descriptor_ < 0) fail(ErrorCode::io, "{}: {}", path.string(), std::strerror(errno));
  }
  ~Opened() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, std::chrono::milliseconds patience) {
  const auto real = followed(path);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    Opened file(real);
    const bool locked = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
    const int error = locked ? 0 : errno;
    if ((locked && is_named(file.get(), real)) || is_without_locks(error)) {
      descriptor_ = file.release();
      return;
    }
    if (!locked && error != EWOULDBLOCK && error != EINTR)
      fail(ErrorCode::io, "{}: {}", path.string(), std::strerror(error));
    if (std::chrono::steady_clock::now() > deadline)
      fail(ErrorCode::io, "{}: another process does not let go of it", path.string());
    std::this_thread::sleep_for(pause);
  }
}

FileLock::~FileLock() {
  ::flock(descriptor_, LOCK_UN);  // closing it alone would leave the lock to a child that was forked meanwhile
  ::close(descriptor_);
}

}  // namespace gemmtune
