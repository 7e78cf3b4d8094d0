// The files that make up a bundle (fleet/bundle.h), and where they are on the head.
#pragma once

#include <compare>
#include <filesystem>
#include <string>
#include <vector>

namespace gemmtune {

struct BundleFile {
  std::string name{};              // its path in the bundle
  std::filesystem::path source{};  // absolute; empty: a folder

  auto operator<=>(const BundleFile&) const = default;
};

/// A file, or everything in a folder, with links followed: what they lead to may be elsewhere on a host. Without
/// Python's __pycache__, which comes and goes. Throws Error{io} for what is neither a file nor a folder.
std::vector<BundleFile> files_below(const std::filesystem::path& path, const std::string& name);

/// The state of the files: a text that changes when one of them is replaced, written or made executable. Not their
/// time of change, which other links to a library change. Throws Error{io} for a file that is not there.
std::string state_of(const std::vector<BundleFile>& files);

/// What the MANIFEST does not say: which files can be executed, and which folders there are.
std::string modes_of(const std::vector<BundleFile>& files);

}  // namespace gemmtune
