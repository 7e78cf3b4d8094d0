#include "gemmtune/fleet/bundle.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/subprocess.h"
#include "gemmtune/core/text.h"
#include "gemmtune/fleet/bundle_files.h"
#include "gemmtune/fleet/run_folder.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

constexpr auto patience = std::chrono::minutes(5);

/// Parts of the C library, which fit the kernel and the loader of their own machine alone.
constexpr std::array<std::string_view, 9> of_the_c_library{"libc.so",      "libm.so",       "libdl.so",
                                                           "librt.so",     "libpthread.so", "libutil.so",
                                                           "libresolv.so", "ld-linux",      "linux-vdso"};

constexpr const char* manifest = "MANIFEST";
constexpr const char* manifest_script =
    "cd \"$1\" && find -L . -type f ! -path ./MANIFEST -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum >MANIFEST";
constexpr const char* check_script = "cd \"$1\" 2>/dev/null && sha256sum -c --status MANIFEST 2>/dev/null";

constexpr auto days_kept = std::chrono::hours(24 * 30);  // of links that nobody uses
constexpr auto most_making = std::chrono::hours(1);      // what is unfinished for longer was left by a kill

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

namespace {

std::vector<BundleFile> files_of_the_program() {
  const auto program = fs::read_symlink("/proc/self/exe");
  auto files = files_below(program, "bin/gemmtune");
  for (const auto& library : libraries_to_carry(output_of({"ldd", program.string()})))
    std::ranges::copy(files_below(library, "lib/" + fs::path(library).filename().string()), std::back_inserter(files));
  const auto workers = program.parent_path() / "../share/gemmtune/workers";
  std::error_code error;
  if (fs::exists(workers, error))
    std::ranges::copy(files_below(fs::canonical(workers), "share/gemmtune/workers"), std::back_inserter(files));
  return files;
}

std::vector<BundleFile> files_of(const std::string& shipped) {
  const auto path = fs::absolute(shipped).lexically_normal();
  const auto name = (path.has_filename() ? path : path.parent_path()).filename().string();
  std::error_code error;
  if (!fs::exists(path, error)) fail(ErrorCode::usage, "--ship {}: there is no such file", shipped);
  if (name == manifest) fail(ErrorCode::usage, "--ship {}: the name {} is taken", shipped, manifest);
  auto files = files_below(path, name);
  if (std::ranges::all_of(files, [](const BundleFile& file) { return file.source.empty(); }))
    fail(ErrorCode::usage, "--ship {}: there is no file in it", shipped);
  return files;
}

std::vector<BundleFile> files_of_all(const std::vector<std::string>& shipped) {
  std::vector<BundleFile> files;
  for (const auto& path : shipped) {
    const auto more = files_of(path);
    if (std::ranges::find(files, more.front().name, &BundleFile::name) != files.end())
      fail(ErrorCode::usage, "--ship {}: the name {} stands twice", path, more.front().name);
    files.insert(files.end(), more.begin(), more.end());
  }
  return files;
}

bool is_older(const fs::path& path, std::chrono::seconds age) {
  std::error_code error;
  const auto time = fs::last_write_time(path, error);
  return !error && fs::file_time_type::clock::now() - time > age;
}

/// What nobody has used for long, and what a killed process began.
void forget_old(const fs::path& cache) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(cache, error)) {
    const bool is_begun = entry.path().filename().string().starts_with("new-");
    if (is_older(entry.path(), is_begun ? std::chrono::seconds(most_making) : std::chrono::seconds(days_kept)))
      fs::remove_all(entry.path(), error);
  }
}

bool is_whole(const fs::path& folder, const std::vector<BundleFile>& files) {
  std::error_code error;
  if (!fs::exists(folder / manifest, error)) return false;
  const auto text = read_file(folder / manifest);
  const auto lines = std::ranges::count(text, '\n');
  return std::ranges::all_of(files,
                             [&](const BundleFile& file) {
                               return file.source.empty() || fs::read_symlink(folder / file.name, error) == file.source;
                             }) &&
         lines == std::ranges::count_if(files, [](const BundleFile& file) { return !file.source.empty(); });
}

fs::path begun_below(const fs::path& cache) {
  std::error_code error;
  fs::create_directories(cache, error);
  auto name = (cache / "new-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) fail(ErrorCode::io, "cannot make a folder in {}", cache.string());
  return name;
}

void make_links(const fs::path& folder, const std::vector<BundleFile>& files) {
  for (const auto& [name, source] : files) {
    std::error_code error;
    const auto path = folder / name;
    fs::create_directories(source.empty() ? path : path.parent_path(), error);
    if (!error && !source.empty()) fs::create_symlink(source, path, error);
    if (error) fail(ErrorCode::io, "cannot make {}: {}", path.string(), error.message());
  }
}

/// Another process may have made the same meanwhile, and be using it.
void put_in_place(const fs::path& begun, const fs::path& place, const std::vector<BundleFile>& files) {
  std::error_code error;
  fs::rename(begun, place, error);
  if (error && !is_whole(place, files)) {
    fs::remove_all(place, error);
    fs::rename(begun, place, error);
    if (error) fail(ErrorCode::io, "cannot make the folder {}: {}", place.string(), error.message());
  }
  fs::remove_all(begun, error);
}

/// False if a file was changed meanwhile.
bool make_links_in(const fs::path& place, const std::vector<BundleFile>& files, const std::string& state) {
  forget_old(place.parent_path());
  const auto begun = begun_below(place.parent_path());
  make_links(begun, files);
  write_manifest(begun);
  if (state_of(files) == state) {
    put_in_place(begun, place, files);
    return true;
  }
  std::error_code error;
  fs::remove_all(begun, error);
  return false;
}

/// Under a name that says the state of all files: hashing them takes longer than looking at them.
std::optional<Bundle> linked_as_they_are(const fs::path& cache, const std::vector<BundleFile>& files) {
  const auto state = state_of(files);
  const auto place = fs::absolute(cache) / fmt::format("{:016x}", hash64(state));
  if (!is_whole(place, files) && !make_links_in(place, files, state)) return std::nullopt;
  std::error_code error;
  fs::last_write_time(place, fs::file_time_type::clock::now(), error);  // it is used
  return Bundle{.folder = place,
                .id = fmt::format("{:016x}", hash64(modes_of(files), hash64(read_file(place / manifest))))};
}

template <typename List>
Bundle linked(const fs::path& cache, List&& list_files) {
  constexpr int most_tries = 3;
  for (int tries = 0; tries < most_tries; ++tries)
    if (auto bundle = linked_as_they_are(cache, list_files())) return std::move(*bundle);
  fail(ErrorCode::io, "files for the hosts are changed while they are read: start it again when nothing writes them");
}

bool is_sound(const fs::path& folder) {
  Subprocess process({"sh", "-c", check_script, "check", folder.string()});
  process.close_stdin();
  const auto ended = process.wait(std::chrono::steady_clock::now() + patience);
  return ended && *ended == ExitStatus{};
}

bool is_made_of_another(const fs::path& folder, const fs::path& other) {
  std::error_code error;
  make_empty_folder(folder);
  if (!fs::exists(other / manifest, error)) return false;
  fs::copy(other, folder, fs::copy_options::recursive | fs::copy_options::create_hard_links, error);
  return !error && is_sound(folder);
}

void copy_files(const fs::path& links, const fs::path& folder) {
  make_empty_folder(folder);
  output_of({"cp", "-RL", "--reflink=auto", "--", (links / ".").string(), folder.string()});
  if (!is_sound(folder)) fail(ErrorCode::io, "the copy of the program in {} is damaged", folder.string());
}

}  // namespace

void write_manifest(const fs::path& folder) { output_of({"sh", "-c", manifest_script, "manifest", folder.string()}); }

Bundle program_bundle(const fs::path& cache) { return linked(cache, files_of_the_program); }

Bundle shipped_bundle(const fs::path& cache, const std::vector<std::string>& shipped) {
  return linked(cache, [&] { return files_of_all(shipped); });
}

Bundle bundle_of_files(const Bundle& links, const fs::path& parent, const std::vector<fs::path>& others) {
  const Bundle made{.folder = parent / links.id, .id = links.id};
  if (is_sound(made.folder)) return made;
  const auto begun = parent / "new";
  if (std::ranges::none_of(others, [&](const fs::path& other) { return is_made_of_another(begun, other); }))
    copy_files(links.folder, begun);
  std::error_code error;
  fs::remove_all(made.folder, error);
  fs::rename(begun, made.folder, error);
  if (error) fail(ErrorCode::io, "cannot make the folder {}: {}", made.folder.string(), error.message());
  return made;
}

}  // namespace gemmtune
