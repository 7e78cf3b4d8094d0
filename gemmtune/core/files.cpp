#include "gemmtune/core/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

/// A file descriptor that closes itself.
class File {
 public:
  File(const std::filesystem::path& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0) fail(ErrorCode::io, "{}: {}", path.string(), std::strerror(errno));
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// A name that no other thread or process that writes the same file uses at this moment.
std::string temporary_name(const std::string& name) {
  static std::atomic<unsigned> count{0};
  return fmt::format(".{}.{}.{}.tmp", name, ::getpid(), count++);
}

void write_and_sync(const std::filesystem::path& path, std::string_view bytes) {
  const File file(path, O_WRONLY | O_CREAT | O_TRUNC);
  while (!bytes.empty()) {
    const auto written = ::write(file.descriptor(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(ErrorCode::io, "{}: {}", path.string(), std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file.descriptor()) != 0) fail(ErrorCode::io, "{}: {}", path.string(), std::strerror(errno));
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
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const auto temporary = folder / temporary_name(path.filename().string());
  try {
    write_and_sync(temporary, bytes);
    std::filesystem::rename(temporary, path);
    const File opened_folder(folder, O_RDONLY | O_DIRECTORY);
    ::fsync(opened_folder.descriptor());  // some file systems refuse to sync folders: the rename is still atomic
  } catch (const std::filesystem::filesystem_error& error) {
    ::unlink(temporary.c_str());
    fail(ErrorCode::io, "{}: {}", path.string(), error.code().message());
  } catch (const Error&) {
    ::unlink(temporary.c_str());
    throw;
  }
}

}  // namespace gemmtune
