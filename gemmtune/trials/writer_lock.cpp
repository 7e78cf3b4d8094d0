#include "gemmtune/trials/writer_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

std::string holder(int descriptor) {
  std::array<char, 512> text{};
  const auto size = ::pread(descriptor, text.data(), text.size(), 0);
  const auto found = size > 0 ? trim({text.data(), static_cast<std::size_t>(size)}) : std::string_view{};
  return found.empty() ? "another process" : std::string(found);
}

// The lock file is beside the real file, also when `store` is a link to it.
std::string lock_path(const std::filesystem::path& store) {
  std::error_code failed;
  const auto real = std::filesystem::weakly_canonical(store, failed);
  return (failed ? store : real).string() + ".lock";
}

// Closed on exec: a worker that outlives this process must not keep the lock.
int open_lock_file(const std::filesystem::path& store, const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor >= 0) return descriptor;
  fail(ErrorCode::io, "cannot open the trials store {} for writing: {}: {}", store.string(), path,
       std::strerror(errno));
}

[[noreturn]] void refuse(const std::filesystem::path& store, int reason, const std::string& who) {
  if (reason != EWOULDBLOCK) {
    fail(ErrorCode::io, "cannot lock the trials store {}: {}", store.string(), std::strerror(reason));
  }
  fail(ErrorCode::io, "the trials store {} is in use by {}: wait for it, or give another --store", store.string(), who);
}

void write_holder(int descriptor) {
  const std::string text = fmt::format("process {} on {}\n", ::getpid(), host_name());
  // Used in messages only. On a full disk the store itself reports the error.
  if (::ftruncate(descriptor, 0) == 0) (void)!::pwrite(descriptor, text.data(), text.size(), 0);
}

}  // namespace

WriterLock::WriterLock(const std::filesystem::path& store) : descriptor_(open_lock_file(store, lock_path(store))) {
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    const std::string who = holder(descriptor_);
    ::close(descriptor_);
    refuse(store, reason, who);
  }
  write_holder(descriptor_);
}

WriterLock::~WriterLock() {
  (void)!::ftruncate(descriptor_, 0);
  ::close(descriptor_);
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "an unknown host";
  return name.data();
}

}  // namespace gemmtune
