// A SystemTree in a temporary folder that tests fill.
#pragma once

#include <stdlib.h>

#include <fstream>
#include <string>

#include "gemmtune/device/cpu/system_tree.h"

namespace gemmtune {

class FakeTree {
 public:
  FakeTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gemmtune-tree-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~FakeTree() { std::filesystem::remove_all(root_); }
  FakeTree(const FakeTree&) = delete;
  FakeTree& operator=(const FakeTree&) = delete;

  void write(const std::filesystem::path& path, const std::string& text) const {
    const auto file = root_ / path.relative_path();
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  SystemTree tree() const { return {root_}; }

 private:
  std::filesystem::path root_;
};

}  // namespace gemmtune
