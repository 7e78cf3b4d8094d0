#include "gemmtune/trials/writer_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

using std::chrono::milliseconds;

constexpr auto look_again_every = milliseconds(10);
constexpr auto patience_with_all =
    milliseconds(500);  // a signal takes a moment to arrive, and so does a name in the file
constexpr auto patience_with_the_dead = milliseconds(5000);  // their locks last until the system has taken them apart

/// "process 12 on host", as the lock file says; "" if it says nothing.
std::string holder(int descriptor) {
  std::array<char, 512> text{};
  const auto size = ::pread(descriptor, text.data(), text.size(), 0);
  return size > 0 ? std::string(trim({text.data(), static_cast<std::size_t>(size)})) : std::string();
}

/// Whether the holder is a process of this machine that has ended, or is ending: a zombie, or one without memory.
bool is_dead(const std::string& who) {
  const auto words = split(std::string_view(who), ' ');
  if (words.size() != 4 || words[3] != host_name()) return false;
  std::ifstream status(fmt::format("/proc/{}/statm", words[1]));
  std::int64_t pages = 0;
  return !(status >> pages) || pages == 0;
}

/// Takes the lock, and returns 0 or an errno. A holder that was killed a moment ago is waited for.
int lock_once_free(int descriptor) {
  const auto start = std::chrono::steady_clock::now();
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return errno;
    const auto patience = is_dead(holder(descriptor)) ? patience_with_the_dead : patience_with_all;
    if (std::chrono::steady_clock::now() - start >= patience) return EWOULDBLOCK;
    std::this_thread::sleep_for(look_again_every);
  }
  return 0;
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
  const auto holder = who.empty() || is_dead(who) ? "another process" : who;
  fail(ErrorCode::io, "the trials store {} is in use by {}: wait for it, or give another --store", store.string(),
       holder);
}

void write_holder(int descriptor) {
  const std::string text = fmt::format("process {} on {}\n", ::getpid(), host_name());
  // Used in messages only. On a full disk the store itself reports the error.
  if (::ftruncate(descriptor, 0) == 0) (void)!::pwrite(descriptor, text.data(), text.size(), 0);
}

}  // namespace

WriterLock::WriterLock(const std::filesystem::path& store) : descriptor_(open_lock_file(store, lock_path(store))) {
  if (const int reason = lock_once_free(descriptor_); reason != 0) {
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
