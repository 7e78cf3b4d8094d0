#include "gemmtune/core/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

/// A file descriptor that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const std::filesystem::path& path, int flags) : File(::open(path.c_str(), flags | O_CLOEXEC)) {
    if (descriptor_ < 0) fail_with_errno(path);
  }
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&&) = delete;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int descriptor() const { return descriptor_; }

  [[noreturn]] static void fail_with_errno(const std::filesystem::path& path) {
    fail(ErrorCode::io, "{}: {}", path.string(), std::strerror(errno));
  }

 private:
  int descriptor_;
};

constexpr std::string_view temporary_ending = ".tmp";
constexpr std::int64_t abandoned_after_s = 600;

std::string temporary_start(const std::filesystem::path& path) { return "." + path.filename().string() + "."; }

/// Removes itself unless it was renamed.
class Temporary {
 public:
  Temporary(std::filesystem::path path, int descriptor) : path_(std::move(path)), file_(descriptor) {}
  ~Temporary() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Temporary(Temporary&& other) noexcept : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}
  Temporary& operator=(Temporary&&) = delete;
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const File& file() const { return file_; }

  /// Leaves errno if it fails. The file is let go of: a child that was forked meanwhile has it open too, and others may
  /// lock it under its new name.
  bool rename_to(const std::filesystem::path& path) {
    if (std::rename(path_.c_str(), path.c_str()) != 0) return false;
    path_.clear();
    ::flock(file_.descriptor(), LOCK_UN);
    return true;
  }

 private:
  std::filesystem::path path_;
  File file_;
};

/// A new file beside `path`, or nothing and errno. Its name can be guessed, and the folder may be open to everyone:
/// what stands there already, also a link that someone planted, is never opened. It is locked while its process lives,
/// for sweep().
std::optional<Temporary> make_temporary(const std::filesystem::path& path) {
  static std::atomic<unsigned> count{0};
  for (int attempt = 0;; ++attempt) {
    const auto name = fmt::format("{}{}.{}{}", temporary_start(path), ::getpid(), count++, temporary_ending);
    const auto made = path.parent_path() / name;
    const int descriptor = ::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST && attempt < 1000) continue;
    if (descriptor < 0) return std::nullopt;
    (void)::flock(descriptor, LOCK_EX | LOCK_NB);  // where there are no locks, the age alone decides
    return Temporary(made, descriptor);
  }
}

bool is_temporary_of(const std::string& name, const std::string& start) {
  if (!name.starts_with(start) || !name.ends_with(temporary_ending)) return false;
  const auto middle = std::string_view(name).substr(start.size()).substr(0, name.size() - start.size() - 4);
  const auto dot = middle.find('.');
  return dot != std::string_view::npos && parse_int(middle.substr(0, dot)) && parse_int(middle.substr(dot + 1));
}

/// Whether its writer was killed: it is old by the clock of the file system, and no process locks it.
bool is_abandoned(const std::filesystem::path& path, const struct stat& now) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
  const File file(descriptor);
  struct stat seen {};
  return ::fstat(descriptor, &seen) == 0 && S_ISREG(seen.st_mode) &&
         now.st_mtim.tv_sec - seen.st_mtim.tv_sec > abandoned_after_s && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
}

/// Removes what killed writers of the same file left behind. Never fails: it is not what was asked for.
void sweep(const std::filesystem::path& path, const File& fresh) {
  struct stat now {};
  if (::fstat(fresh.descriptor(), &now) != 0) return;
  const auto start = temporary_start(path);
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (is_temporary_of(entry->path().filename().string(), start) && is_abandoned(entry->path(), now))
      ::unlink(entry->path().c_str());
}

void write_all(const File& file, const std::filesystem::path& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(file.descriptor(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) File::fail_with_errno(path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void sync(const File& file, const std::filesystem::path& path) {
  if (::fsync(file.descriptor()) != 0) File::fail_with_errno(path);
}

/// Gives a new file what the old one grants to others. False if the system does not allow that.
bool adopt(const File& made, const std::filesystem::path& old, const struct stat& seen) {
  struct stat own {};
  if (::fstat(made.descriptor(), &own) != 0) return false;
  const bool is_ours = own.st_uid == seen.st_uid && own.st_gid == seen.st_gid;
  if (!is_ours && ::fchown(made.descriptor(), seen.st_uid, seen.st_gid) != 0) return false;
  if (::fchmod(made.descriptor(), seen.st_mode & 0777) != 0) return false;
  constexpr auto access_list = "system.posix_acl_access";
  std::array<char, 4096> list{};
  const auto size = ::getxattr(old.c_str(), access_list, list.data(), list.size());
  if (size < 0) return errno == ENODATA || errno == ENOTSUP;
  return ::fsetxattr(made.descriptor(), access_list, list.data(), static_cast<std::size_t>(size), 0) == 0;
}

/// What a path leads to. `seen` says nothing if there is nothing.
struct Target {
  std::filesystem::path path{};
  std::optional<struct stat> seen{};
};

Target target_of(const std::filesystem::path& path) {
  Target target{.path = followed(path)};
  struct stat seen {};
  if (::stat(target.path.c_str(), &seen) == 0) target.seen = seen;
  return target;
}

/// Whether the path names an open file of a process by its number, whatever that file is.
bool is_handle(const std::filesystem::path& path) {
  std::error_code error;
  const auto folder = std::filesystem::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
  return !error && folder.string().starts_with("/proc/");
}

/// Our own open file of this path, as its owner left it: what it holds so far is kept.
std::optional<int> own_handle(const std::filesystem::path& path) {
  std::error_code error;
  if (!is_handle(path) || std::filesystem::canonical(path.parent_path(), error) !=
                              std::filesystem::path(fmt::format("/proc/{}/fd", ::getpid())))
    return std::nullopt;
  const auto number = parse_int(path.filename().string());
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

void write_stream(const std::filesystem::path& path, std::string_view bytes) {
  const auto own = own_handle(path);
  if (own) std::fflush(nullptr);  // what was printed before comes before
  const File file = own ? File(::dup(*own)) : File(path, O_WRONLY | O_NOCTTY);
  if (file.descriptor() < 0) File::fail_with_errno(path);
  write_all(file, path, bytes);
}

/// A full disk is found before the old bytes are overwritten.
void overwrite(const Target& target, std::string_view bytes) {
  const File file(target.path, O_WRONLY | O_NOCTTY);
  const auto size = static_cast<off_t>(bytes.size());
  if (const int error = size > target.seen->st_size ? ::posix_fallocate(file.descriptor(), 0, size) : 0;
      error == ENOSPC || error == EFBIG) {
    (void)!::ftruncate(file.descriptor(), target.seen->st_size);
    fail(ErrorCode::io, "{}: {}", target.path.string(), std::strerror(error));
  }
  write_all(file, target.path, bytes);
  if (::ftruncate(file.descriptor(), size) != 0) File::fail_with_errno(target.path);
  sync(file, target.path);
}

/// Whether the system refuses to put another file in this one's place, and may still let us write into it.
bool forbids_replacing(int error) {
  return error == EACCES || error == EPERM || error == EROFS || error == EBUSY || error == EXDEV;
}

/// False if the file that is there cannot be replaced.
bool replace(const Target& target, std::string_view bytes) {
  const auto& path = target.path;
  auto made = make_temporary(path);
  if (!made && target.seen && forbids_replacing(errno)) return false;
  if (!made) File::fail_with_errno(path);
  if (target.seen && !adopt(made->file(), path, *target.seen)) return false;
  write_all(made->file(), path, bytes);
  sync(made->file(), path);
  if (!made->rename_to(path)) {
    if (target.seen && forbids_replacing(errno)) return false;
    File::fail_with_errno(path);
  }
  const File folder(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."), O_RDONLY | O_DIRECTORY);
  ::fsync(folder.descriptor());  // some file systems refuse to sync folders: the rename is still atomic
  sweep(path, made->file());
  return true;
}

constexpr std::size_t most_bytes = std::size_t{512} << 20;

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) fail(ErrorCode::input, "{}: is a folder, expected a file", path.string());
  const File file(::open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC));
  if (file.descriptor() < 0) fail(ErrorCode::input, "{}: {}", path.string(), std::strerror(errno));
  std::string bytes;
  std::array<char, 65536> piece{};
  while (const auto count = ::read(file.descriptor(), piece.data(), piece.size())) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(ErrorCode::input, "{}: {}", path.string(), std::strerror(errno));
    bytes.append(piece.data(), static_cast<std::size_t>(count));
    if (bytes.size() > most_bytes) fail(ErrorCode::input, "{}: found more than 512 MiB", path.string());
  }
  return bytes;
}

std::filesystem::path followed(const std::filesystem::path& path) {
  constexpr int most_links = 40;  // as in Linux
  auto real = path;
  for (int links = 0; links < most_links; ++links) {
    std::error_code error;
    if (is_handle(real)) return real;
    const auto next = std::filesystem::read_symlink(real, error);
    if (error) return real;  // no link, or nothing at all
    real = next.is_absolute() ? next : real.parent_path() / next;
  }
  fail(ErrorCode::io, "{}: {}", path.string(), std::strerror(ELOOP));
}

bool is_stream(const std::filesystem::path& path) {
  const auto target = target_of(path);
  return is_handle(target.path) || (target.seen && !S_ISREG(target.seen->st_mode) && !S_ISDIR(target.seen->st_mode));
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  const auto target = target_of(path);
  if (target.seen && S_ISDIR(target.seen->st_mode))
    fail(ErrorCode::io, "{}: is a folder, expected a file", path.string());
  if (is_stream(target.path)) return write_stream(target.path, bytes);
  if (!replace(target, bytes)) overwrite(target, bytes);
}

}  // namespace gemmtune
