// The exception of gemmtune, thrown when an operation cannot do what it was asked to do. A candidate that fails is not
// an error: it has an Outcome (space/outcome.h).
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace gemmtune {

enum class ErrorCode {
  usage,        // the command line or the caller's arguments make no sense
  input,        // a file or a text from the user does not have the expected form
  no_device,    // the requested device does not exist
  unsupported,  // a family or a library cannot do this
  io,           // the operating system refused: disk full, permission, no such file
  protocol,     // the process at the other end of a worker's pipe broke the protocol
  internal,     // a bug in gemmtune
};

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// Throws Error with a message made by fmt.
template <typename... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> text, Args&&... args) {
  throw Error(code, fmt::format(text, std::forward<Args>(args)...));
}

/// The exit code of a command that ended in this error: 2 usage, 3 input, 4 no device, 5 anything else.
/// (0 and 1 are for commands that ran: all shapes tuned, some failed.)
int exit_code(ErrorCode code) noexcept;

}  // namespace gemmtune
