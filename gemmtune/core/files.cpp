#include "gemmtune/core/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

/// A file descriptor that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const std::filesystem::path& path, int flags) : File(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
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

struct Temporary {
  std::filesystem::path path{};
  File file;
};

/// A new file beside `path`. Its name can be guessed, and the folder may be open to everyone: what stands there
/// already, also a link that someone planted, is never opened. It is locked while its process lives, for sweep().
Temporary make_temporary(const std::filesystem::path& path) {
  static std::atomic<unsigned> count{0};
  for (int attempt = 0;; ++attempt) {
    const auto name = fmt::format("{}{}.{}{}", temporary_start(path), ::getpid(), count++, temporary_ending);
    const auto made = path.parent_path() / name;
    const int descriptor = ::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (descriptor < 0 && errno == EEXIST && attempt < 1000) continue;
    if (descriptor < 0) File::fail_with_errno(path);
    (void)::flock(descriptor, LOCK_EX | LOCK_NB);  // where there are no locks, the age alone decides
    return {made, File(descriptor)};
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

void write_and_sync(const File& file, const std::filesystem::path& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(file.descriptor(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) File::fail_with_errno(path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file.descriptor()) != 0) File::fail_with_errno(path);
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) fail(ErrorCode::input, "{}: is a folder, expected a file", path.string());
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(ErrorCode::input, "{}: {}", path.string(), std::strerror(errno));
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return std::move(bytes).str();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  const auto temporary = make_temporary(path);
  try {
    write_and_sync(temporary.file, path, bytes);
    std::filesystem::rename(temporary.path, path);
    const File folder(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."), O_RDONLY | O_DIRECTORY);
    ::fsync(folder.descriptor());  // some file systems refuse to sync folders: the rename is still atomic
    sweep(path, temporary.file);
  } catch (const std::filesystem::filesystem_error& error) {
    ::unlink(temporary.path.c_str());
    fail(ErrorCode::io, "{}: {}", path.string(), error.code().message());
  } catch (const Error&) {
    ::unlink(temporary.path.c_str());
    throw;
  }
}

}  // namespace gemmtune
