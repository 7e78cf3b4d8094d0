#include "gemmtune/dispatch/capture/capture_file.h"

#include <chrono>

#include "gemmtune/core/error.h"
#include "gemmtune/core/file_lock.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

constexpr auto patience = std::chrono::seconds(5);  // the program that looks up is a server

}  // namespace

void add_to_capture_file(const std::filesystem::path& path, std::span<const CapturedProblem> more) {
  if (is_stream(path)) fail(ErrorCode::io, "{}: expected a file, which can be read back", path.string());
  const FileLock lock(path, patience);
  write_file_atomically(path, capture_text(merged(read_capture(path), more)));
}

}  // namespace gemmtune
