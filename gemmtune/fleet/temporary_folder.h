// A folder that goes away with its object.
#pragma once

#include <filesystem>

namespace gemmtune {

class TemporaryFolder {
 public:
  /// Throws Error{io}.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path path{};
};

}  // namespace gemmtune
