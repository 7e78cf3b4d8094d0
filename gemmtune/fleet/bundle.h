// The self-contained folder that hosts run: this program, the libraries that it was linked with, and the workers that
// come with it; or files of the user. Its MANIFEST has the hash of every file, and its id is a hash of the MANIFEST.
//
// On the head it is a folder of links to the files where they are: tar follows them on the way to a host, so that
// nothing is copied here. The files are hashed once, and again when one of them has changed. Only where hosts run the
// folder itself, on a file system that they share with the head, it has to have files of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gemmtune {

struct Bundle {
  std::filesystem::path folder{};
  std::string id{};  // 16 hexadecimal digits
};

/// bin/gemmtune, lib/, share/gemmtune/workers/ and MANIFEST, as links in a folder below `cache`, which is there under
/// its name only when it is whole. The C library is left out: it has to be the host's, like the drivers. Throws
/// Error{io} if something cannot be read.
Bundle program_bundle(const std::filesystem::path& cache);

/// The same of files and folders of the user, under their own names: they change more often than the program. Throws
/// Error: usage for paths that are missing, hold no file or have the same name, io if something cannot be read.
Bundle shipped_bundle(const std::filesystem::path& cache, const std::vector<std::string>& shipped);

/// Makes a folder of files below `parent`, under the bundle's id, with hard links to the files of a folder in `others`
/// (of the same bundle) where one is sound. Never hard links to the user's own files: writing into those would change
/// the bundle. A folder that is there is kept if all hashes are right. Throws Error{io}.
Bundle bundle_of_files(const Bundle& links, const std::filesystem::path& parent,
                       const std::vector<std::filesystem::path>& others);

/// Writes the hashes of all files in a folder into its file MANIFEST, for `sha256sum -c`.
void write_manifest(const std::filesystem::path& folder);

/// The libraries in what ldd says that belong into a bundle, as paths. Throws Error{io} for one that is not found.
std::vector<std::string> libraries_to_carry(const std::string& said_by_ldd);

}  // namespace gemmtune
