#include "gemmtune/fleet/container.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/subprocess.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/fleet/scripts.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

constexpr auto patience = std::chrono::seconds(20);

/// As the host's agent sets them.
std::map<std::string, std::string> variables_for(const Host& host) {
  auto variables = host.environment;
  variables["container_variables"] = names_of(host.environment);
  variables["GEMMTUNE_DRY_RUN"] = "1";
  variables["container"] = host.container;
  variables["container_engine"] = host.container_engine;
  variables["container_vendor"] = vendor_of(host.arch);
  variables["container_name"] = "gemmtune-RUN-SHARD";
  variables["container_shm"] = host.container_shm;
  variables["folder"] = host.folder;
  variables["container_workdir"] = host.folder + "/runs/RUN/SHARD";
  return variables;
}

}  // namespace

std::string names_of(const std::map<std::string, std::string>& variables) {
  std::string names;
  for (const auto& [name, value] : variables) names += (names.empty() ? "" : " ") + name;
  return names;
}

std::string vendor_of(const std::string& arch) {
  if (arch.starts_with("gfx")) return "amd";
  return arch.starts_with("sm") ? "nvidia" : "";
}

std::string container_command(const Host& host, const std::string& script, const std::vector<std::string>& arguments) {
  auto path = (fs::temp_directory_path() / "gemmtune-container-XXXXXX").string();
  const int descriptor = ::mkstemp(path.data());
  if (descriptor < 0) fail(ErrorCode::io, "cannot make a file in {}", fs::temp_directory_path().string());
  ::close(descriptor);
  write_file_atomically(path, script.empty() ? container_script() : script);
  std::vector<std::string> command{"sh", path,
                                   host.program.empty() ? host.folder + "/bundles/VERSION/bin/gemmtune" : host.program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Subprocess process(command, {.environment = variables_for(host)});
  process.close_stdin();
  std::string text;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (auto read = process.read_line(deadline); read.status == ReadStatus::line; read = process.read_line(deadline))
    text += read.line + '\n';
  const auto ended = process.wait(deadline);
  const auto why = visible_line(process.stderr_tail(), 300);
  std::error_code error;
  fs::remove(path, error);
  if (!ended || *ended != ExitStatus{}) fail(ErrorCode::input, "the container's script failed: {}", why);
  return text;
}

}  // namespace gemmtune
