#include "gemmtune/fleet/host_link.h"

#include <fmt/format.h>

#include <array>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/fleet/container.h"
#include "gemmtune/fleet/scripts.h"
#include "gemmtune/fleet/shell_words.h"
#include "gemmtune/fleet/temporary_folder.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

// No password is ever asked for. A host that does not answer for 20 s is lost.
constexpr std::array<const char*, 13> ssh_options{"-T",
                                                  "-o",
                                                  "BatchMode=yes",
                                                  "-o",
                                                  "ConnectTimeout=10",
                                                  "-o",
                                                  "ServerAliveInterval=5",
                                                  "-o",
                                                  "ServerAliveCountMax=3",
                                                  "-o",
                                                  "ForwardX11=no",
                                                  "-o",
                                                  "ForwardAgent=no"};

// These run here, on the head. Their words are arguments, and never part of the script.
constexpr const char* send_script = "folder=$1; shift; (cd \"$folder\" && tar -chf - .) | \"$@\"";
constexpr const char* fetch_script =
    "folder=$1; shift; \"$@\" >\"$folder/.incoming.tar\" </dev/null; code=$?; "
    "[ $code -eq 0 ] && { (cd \"$folder\" && tar -xf .incoming.tar) || code=74; }; "
    "rm -f \"$folder/.incoming.tar\"; exit $code";
constexpr const char* ask_script = "exec \"$@\" </dev/null";

std::vector<std::string> with_script(const char* script, std::vector<std::string> words,
                                     const std::vector<std::string>& command) {
  words.insert(words.begin(), {"sh", "-c", script, "gemmtune"});
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

HostReply run(const std::vector<std::string>& command, Deadline deadline, const HostLink::OnLine& on_line) {
  Subprocess process(command);
  process.close_stdin();
  HostReply reply;
  auto read = process.read_line(deadline);
  for (; read.status == ReadStatus::line; read = process.read_line(deadline)) {
    if (on_line && !on_line(read.line)) {
      process.kill();
      return reply;
    }
    reply.lines.push_back(read.line);
  }
  const auto ended = read.status == ReadStatus::closed ? process.wait(deadline) : std::nullopt;
  reply.timed_out = !ended;
  if (ended) reply.exit_code = ended->signalled ? 128 + ended->code : ended->code;
  reply.why = reply.timed_out ? "it does not answer" : visible_line(process.stderr_tail(), 300);
  return reply;
}

}  // namespace

std::string HostReply::value(std::string_view key) const {
  const auto all = values(key);
  return all.empty() ? std::string() : all.front();
}

std::vector<std::string> HostReply::values(std::string_view key) const {
  std::vector<std::string> found;
  for (const auto& line : lines)
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == '=')
      found.push_back(line.substr(key.size() + 1));
  return found;
}

std::string settings_script(const Host& host, const AgentSettings& settings) {
  std::string script;
  const auto set = [&](std::string_view name, std::string_view value) {
    script += fmt::format("{}={}\n", name, shell_word(value));
  };
  set("folder", host.folder);
  set("run", settings.run);
  set("bundle", settings.bundle);
  set("files_bundle", settings.files);
  set("program", host.program);
  set("container", host.container);
  set("container_engine", host.container_engine);
  set("container_vendor", vendor_of(host.arch));
  set("container_shm", host.container_shm);
  set("limit", std::to_string(settings.limit_s));
  set("run_folder", settings.run_folder);
  set("container_variables", names_of(host.environment));
  for (const auto& [name, value] : host.environment) script += fmt::format("export {}={}\n", name, shell_word(value));
  return script;
}

HostLink::HostLink(Host host, AgentSettings settings) : host_(std::move(host)), settings_(std::move(settings)) {}

/// The name is a hash, so that two hosts which share a home folder do not share this one.
std::string HostLink::control_folder() const {
  const auto own = hash64(host_.folder, hash64(host_.address, hash64(host_.name)));
  return fmt::format(".cache/gemmtune/agents/{}-{:016x}", settings_.run, own);
}

std::vector<std::string> HostLink::reach(const std::string& remote) const {
  if (host_.is_local()) return {"sh", "-c", "cd && " + remote};
  auto words = host_.ssh;
  words.insert(words.end(), ssh_options.begin(), ssh_options.end());
  words.insert(words.end(), {"--", host_.address, remote});
  return words;
}

std::vector<std::string> HostLink::command(const std::vector<std::string>& words) const {
  for (const auto& word : words)
    if (!is_plain_name(word)) fail(ErrorCode::internal, "'{}' is no word for an agent", word);
  return reach(fmt::format("sh {}/agent.sh {}", control_folder(), join(words, " ")));
}

HostReply HostLink::place(Deadline deadline) const {
  const TemporaryFolder folder;
  write_file_atomically(folder.path / "agent.sh", agent_script());
  write_file_atomically(folder.path / "container.sh",
                        settings_.container_template.empty() ? container_script() : settings_.container_template);
  write_file_atomically(folder.path / "settings.sh", settings_script(host_, settings_));
  const auto to = control_folder();
  const auto receive = fmt::format("mkdir -p {} && tar -C {} -xf -", to, to);
  return run(with_script(send_script, {folder.path.string()}, reach(receive)), deadline, {});
}

HostReply HostLink::ask(const std::vector<std::string>& words, Deadline deadline, const OnLine& on_line) const {
  return run(with_script(ask_script, {}, command(words)), deadline, on_line);
}

HostReply HostLink::send(const fs::path& folder, const std::vector<std::string>& words, Deadline deadline) const {
  return run(with_script(send_script, {folder.string()}, command(words)), deadline, {});
}

HostReply HostLink::fetch(const std::vector<std::string>& words, const fs::path& folder, Deadline deadline) const {
  return run(with_script(fetch_script, {folder.string()}, command(words)), deadline, {});
}

}  // namespace gemmtune
