#include "gemmtune/cli/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include "gemmtune/core/error.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

/// The text with each piece between our colours made visible by `show`.
template <typename Show>
std::string with_colours(std::string_view text, const Show& show) {
  std::string shown;
  while (!text.empty()) {
    const auto best = text.find(colour_of_the_best);
    const auto none = text.find(no_colour);
    const auto at = std::min(best, none);
    shown += show(text.substr(0, at));
    if (at == std::string_view::npos) break;
    const auto colour = at == best ? colour_of_the_best : no_colour;
    shown += colour;
    text.remove_prefix(at + colour.size());
  }
  return shown;
}

std::string shown_lines(std::string_view text) { return with_colours(text, visible_lines); }

/// As if the default action of SIGPIPE had not been changed by whoever started us.
[[noreturn]] void end_as_if_by_sigpipe() {
  std::signal(SIGPIPE, SIG_DFL);
  sigset_t pipe;
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  ::pthread_sigmask(SIG_UNBLOCK, &pipe, nullptr);
  std::raise(SIGPIPE);
  ::_exit(128 + SIGPIPE);
}

[[noreturn]] void fail_to_write(int error) {
  if (error == EPIPE) end_as_if_by_sigpipe();
  fail(ErrorCode::io, "cannot write to stdout: {}", std::strerror(error));
}

void write_raw(std::string_view bytes) {
  errno = 0;
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) fail_to_write(errno);
}

}  // namespace

std::string visible_cell(std::string_view cell) { return with_colours(cell, visible); }

void write_text(std::string_view text) { write_raw(shown_lines(text)); }

void write_data(std::string_view bytes) {
  if (::isatty(STDOUT_FILENO) == 1)
    write_text(bytes);
  else
    write_raw(bytes);
}

void clear_screen() {
  if (::isatty(STDOUT_FILENO) == 1) write_raw("\x1b[H\x1b[2J");
}

void write_note(std::string_view text) noexcept {
  try {
    const auto shown = shown_lines(text);
    (void)std::fwrite(shown.data(), 1, shown.size(), stderr);
  } catch (const std::exception&) {
    (void)std::fputs("out of memory\n", stderr);
  }
}

void redraw_note(std::string_view text, std::size_t lines_before) noexcept {
  for (std::size_t i = 0; i < lines_before; ++i) (void)std::fputs("\x1b[1A\x1b[2K", stderr);
  write_note(text);
}

void refuse_to_overwrite(const std::filesystem::path& output, const std::vector<std::filesystem::path>& inputs) {
  for (const auto& input : inputs) {
    std::error_code error;
    if (!output.empty() && std::filesystem::equivalent(input, output, error))
      fail(ErrorCode::usage, "--output: {} is one of the inputs, which are never changed", output.string());
  }
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) fail_to_write(errno == 0 ? EIO : errno);
  // A file system on another machine may report only at the closing that it has no room left.
  const int copy = ::dup(STDOUT_FILENO);
  if (copy >= 0 && ::close(copy) != 0 && errno != EINTR) fail_to_write(errno);
}

void reserve_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free number, which is this one. Stdout is opened such that writing to it fails.
    (void)::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace gemmtune
