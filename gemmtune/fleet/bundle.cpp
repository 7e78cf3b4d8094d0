#include "gemmtune/fleet/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/subprocess.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

constexpr auto patience = std::chrono::minutes(5);

/// Parts of the C library, which fit the kernel and the loader of their own machine alone.
constexpr std::array<std::string_view, 9> of_the_c_library{"libc.so",      "libm.so",       "libdl.so",
                                                           "librt.so",     "libpthread.so", "libutil.so",
                                                           "libresolv.so", "ld-linux",      "linux-vdso"};

constexpr const char* manifest_script =
    "cd \"$1\" && find . -type f ! -name MANIFEST -print0 | LC_ALL=C sort -z | xargs -0 sha256sum >MANIFEST";

std::string output_of(const std::vector<std::string>& command) {
  Subprocess process(command);
  process.close_stdin();
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::string text;
  for (auto read = process.read_line(deadline); read.status == ReadStatus::line; read = process.read_line(deadline))
    text += read.line + '\n';
  const auto ended = process.wait(deadline);
  if (!ended || *ended != ExitStatus{})
    fail(ErrorCode::io, "{}: {}", command.front(), std::string(trim(process.stderr_tail())));
  return text;
}

/// With links followed: what they lead to may be elsewhere on the host.
void copy_all(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (!error) fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
  if (error) fail(ErrorCode::io, "cannot copy {} to {}: {}", from.string(), to.string(), error.message());
}

void ship(const std::string& path, const fs::path& files) {
  const auto normal = fs::absolute(path).lexically_normal();
  const auto name = normal.has_filename() ? normal.filename() : normal.parent_path().filename();
  std::error_code error;
  if (!fs::exists(normal, error)) fail(ErrorCode::usage, "--ship {}: there is no such file", path);
  if (fs::exists(files / name, error))
    fail(ErrorCode::usage, "--ship {}: the name {} stands twice", path, name.string());
  copy_all(normal, files / name);
}

bool is_wanted(std::string_view name) {
  const auto base = name.substr(name.rfind('/') + 1);
  return std::ranges::none_of(of_the_c_library, [&](const auto& start) { return base.starts_with(start); });
}

}  // namespace

std::vector<std::string> libraries_to_carry(const std::string& said_by_ldd) {
  std::vector<std::string> libraries;
  for (const auto line : split(said_by_ldd, '\n')) {
    const auto arrow = line.find(" => ");
    if (arrow == std::string_view::npos) continue;
    const auto name = trim(line.substr(0, arrow));
    const auto target = trim(line.substr(arrow + 4));
    if (!is_wanted(name)) continue;
    if (target.starts_with("not found")) fail(ErrorCode::io, "the library {} of this program is not found", name);
    libraries.emplace_back(target.substr(0, target.rfind(" (")));
  }
  return libraries;
}

void write_manifest(const fs::path& folder) { output_of({"sh", "-c", manifest_script, "manifest", folder.string()}); }

namespace {

fs::path begin_bundle(const fs::path& parent) {
  const auto folder = parent / "new";
  std::error_code error;
  fs::remove_all(folder, error);
  fs::create_directories(folder, error);
  if (error) fail(ErrorCode::io, "cannot make the folder {}: {}", folder.string(), error.message());
  return folder;
}

Bundle finish_bundle(const fs::path& parent) {
  const auto folder = parent / "new";
  write_manifest(folder);
  const auto id = fmt::format("{:016x}", hash64(read_file(folder / "MANIFEST")));
  std::error_code error;
  if (fs::exists(parent / id, error))
    fs::remove_all(folder, error);
  else
    fs::rename(folder, parent / id, error);
  if (error) fail(ErrorCode::io, "cannot make the folder {}: {}", (parent / id).string(), error.message());
  return {.folder = parent / id, .id = id};
}

}  // namespace

Bundle make_bundle(const fs::path& parent) {
  const auto folder = begin_bundle(parent);
  const auto program = fs::read_symlink("/proc/self/exe");
  copy_all(program, folder / "bin" / "gemmtune");
  for (const auto& library : libraries_to_carry(output_of({"ldd", program.string()})))
    copy_all(library, folder / "lib" / fs::path(library).filename());
  const auto workers = program.parent_path() / "../share/gemmtune/workers";
  std::error_code error;
  if (fs::exists(workers, error)) copy_all(fs::canonical(workers), folder / "share/gemmtune/workers");
  return finish_bundle(parent);
}

Bundle bundle_of(const fs::path& parent, const std::vector<std::string>& shipped) {
  const auto folder = begin_bundle(parent);
  for (const auto& path : shipped) ship(path, folder);
  return finish_bundle(parent);
}

}  // namespace gemmtune
