// The self-contained folder that hosts run: this program, the libraries that it was linked with, the workers that come
// with it, and files of the user. It is made once on the head and copied once per version; its MANIFEST has the hash of
// every file, and its id is a hash of the MANIFEST.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gemmtune {

struct Bundle {
  std::filesystem::path folder{};
  std::string id{};  // 16 hexadecimal digits
};

/// Makes it below this folder, under its id: bin/gemmtune, lib/, share/gemmtune/workers/ and MANIFEST. One that is
/// there already is left as it is: it may be in use. The C library is left out: it has to be the host's, like the
/// drivers. Throws Error{io} if something cannot be copied.
Bundle make_bundle(const std::filesystem::path& parent);

/// The same of files and folders of the user, under their own names: they change more often than the program. Throws
/// Error: usage for paths that are missing or have the same name, io if something cannot be copied.
Bundle bundle_of(const std::filesystem::path& parent, const std::vector<std::string>& shipped);

/// Writes the hashes of all files in a folder into its file MANIFEST, for `sha256sum -c`.
void write_manifest(const std::filesystem::path& folder);

/// The libraries in what ldd says that belong into a bundle, as paths. Throws Error{io} for one that is not found.
std::vector<std::string> libraries_to_carry(const std::string& said_by_ldd);

}  // namespace gemmtune
