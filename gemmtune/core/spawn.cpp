#include "gemmtune/core/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

extern char** environ;

namespace gemmtune {

void FileDescriptor::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

namespace {

struct Ends {
  FileDescriptor ours{};
  FileDescriptor theirs{};
};

[[noreturn]] void fail_to_start(const std::string& command, int error) {
  fail(ErrorCode::io, "cannot start '{}': {}", command, std::strerror(error));
}

/// Moves a descriptor away from 0, 1 and 2. A parent that runs with these closed would otherwise get them, and dup2 in
/// the child would overwrite them.
FileDescriptor above_standard_streams(FileDescriptor fd) {
  if (fd.get() > 2) return fd;
  FileDescriptor high(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
  if (!high.valid()) fail(ErrorCode::io, "cannot open a pipe: {}", std::strerror(errno));
  return high;
}

Ends own(const std::array<int, 2>& fds) {
  FileDescriptor ours(fds[0]);
  FileDescriptor theirs(fds[1]);
  return {above_standard_streams(std::move(ours)), above_standard_streams(std::move(theirs))};
}

/// A pipe that the child writes to and we read from.
Ends open_pipe() {
  std::array<int, 2> fds{-1, -1};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) fail(ErrorCode::io, "cannot open a pipe: {}", std::strerror(errno));
  return own(fds);
}

/// A socket that the child reads from: unlike a pipe it can be written to without risking SIGPIPE.
Ends open_socket() {
  std::array<int, 2> fds{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) {
    fail(ErrorCode::io, "cannot open a socket: {}", std::strerror(errno));
  }
  return own(fds);
}

std::map<std::string, std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::map<std::string, std::string> merged = added;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    merged.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return merged;
}

/// The path of the command. Looked up before the child starts, because searching is not async-signal-safe.
std::string find_program(const std::string& name, const std::map<std::string, std::string>& environment) {
  if (name.find('/') != std::string::npos) return name;
  const auto path = environment.find("PATH");
  const std::string folders = path == environment.end() ? "/usr/bin:/bin" : path->second;
  for (const std::string_view folder : split(folders, ':')) {
    const auto program = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(program, ignored) && ::access(program.c_str(), X_OK) == 0) return program;
  }
  fail(ErrorCode::io, "cannot start '{}': not found on PATH", name);
}

/// Pointers as execve wants them, into strings that must outlive them.
std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Everything that the child needs before exec, while it may neither allocate nor lock.
struct ChildPlan {
  const char* program{};
  char* const* arguments{};
  char* const* environment{};
  std::array<int, 3> streams{};
  int report{};  // the pipe for errno if the child cannot start the command
  pid_t parent{};
  std::int64_t memory_limit_bytes{};
};

void restore_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool limit_memory(std::int64_t bytes) {
  if (bytes == 0) return true;
  const rlimit limit{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
  return ::setrlimit(RLIMIT_AS, &limit) == 0;
}

bool become(const ChildPlan& plan) {
  if (::setpgid(0, 0) != 0) return false;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // If the parent died before the line above, no signal will be sent.
  if (::getppid() != plan.parent) ::_exit(127);
  restore_signals();
  for (int fd = 0; fd < 3; ++fd) {
    if (::dup2(plan.streams[static_cast<std::size_t>(fd)], fd) < 0) return false;
  }
  // The child must not inherit descriptors that libraries of this process left inheritable. Works since Linux 5.11.
  ::syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
  if (!limit_memory(plan.memory_limit_bytes)) return false;
  ::execve(plan.program, plan.arguments, plan.environment);
  return false;
}

int run_child(void* given) {
  const auto& plan = *static_cast<const ChildPlan*>(given);
  become(plan);
  const int error = errno;
  const ssize_t ignored = ::write(plan.report, &error, sizeof error);
  ::_exit(ignored < 0 ? 126 : 127);
}

/// Starts the child as posix_spawn does: it borrows this process's memory, and this thread waits, until it runs the
/// command. fork() would copy the page tables of gigabytes, and call the handlers that libraries have set for it:
/// OpenBLAS's waits for ever where memory is short. All signals are blocked, so that no handler of ours runs in the
/// child.
pid_t clone_quietly(ChildPlan plan) {
  constexpr std::size_t stack_bytes = 128 * 1024;
  std::vector<std::max_align_t> stack(stack_bytes / sizeof(std::max_align_t));
  void* const top = stack.data() + stack.size();  // stacks grow downwards
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
#ifdef __SANITIZE_THREAD__  // which does not follow a child in this thread's memory, and mixes up the stacks of both
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(run_child(&plan));
  static_cast<void>(top);
#else
  const pid_t pid = ::clone(run_child, top, CLONE_VM | CLONE_VFORK | SIGCHLD, &plan);
#endif
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

/// The child's errno, or 0 once it runs the command: exec closes the pipe.
int read_report(int fd) {
  int error = 0;
  ssize_t count = 0;
  do count = ::read(fd, &error, sizeof error);
  while (count < 0 && errno == EINTR);
  return count == sizeof error ? error : 0;
}

void make_non_blocking(const FileDescriptor& fd) { ::fcntl(fd.get(), F_SETFL, O_NONBLOCK); }

}  // namespace

SpawnedChild spawn(const std::vector<std::string>& command, const SubprocessOptions& options) {
  if (command.empty()) fail(ErrorCode::usage, "cannot start an empty command");
  const auto variables = merged_environment(options.environment);
  const std::string program = find_program(command.front(), variables);
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment;
  for (const auto& [key, value] : variables) environment.push_back(key + "=" + value);
  const std::vector<char*> argument_pointers = pointers(arguments);
  const std::vector<char*> environment_pointers = pointers(environment);

  Ends in = open_socket();
  Ends out = open_pipe();
  Ends err = open_pipe();
  Ends report = open_pipe();
  make_non_blocking(out.ours);
  make_non_blocking(err.ours);
  const pid_t pid = clone_quietly({.program = program.c_str(),
                                   .arguments = argument_pointers.data(),
                                   .environment = environment_pointers.data(),
                                   .streams = {in.theirs.get(), out.theirs.get(), err.theirs.get()},
                                   .report = report.theirs.get(),
                                   .parent = ::getpid(),
                                   .memory_limit_bytes = options.memory_limit_bytes});
  if (pid < 0) fail_to_start(command.front(), errno);
  report.theirs.reset();
  if (const int error = read_report(report.ours.get()); error != 0) {
    ::waitpid(pid, nullptr, 0);
    fail_to_start(command.front(), error);
  }
  return {pid, std::move(in.ours), std::move(out.ours), std::move(err.ours)};
}

}  // namespace gemmtune
