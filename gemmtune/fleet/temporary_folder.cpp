#include "gemmtune/fleet/temporary_folder.h"

#include <unistd.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  auto name = (fs::temp_directory_path() / "gemmtune-fleet-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    fail(ErrorCode::io, "cannot make a folder in {}", fs::temp_directory_path().string());
  path = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path, error);
}

}  // namespace gemmtune
