#include "tests/families/broken/process_faults.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace gemmtune::broken {
namespace {

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void hang() {
  while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
}

// A real signal from a real store. Sanitizers would report a store through a null reference instead of raising one.
[[noreturn]] void segfault() {
  std::signal(SIGSEGV, SIG_DFL);
  volatile std::uintptr_t address = 16;
  *reinterpret_cast<volatile int*>(address) = 1;
  std::abort();
}

bool address_space_is_limited() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

// Ends as a kernel does when its std::bad_alloc reaches a noexcept boundary.
[[noreturn]] void allocate_until_killed() {
  constexpr std::size_t chunk = std::size_t{16} << 20;
  while (true) {
    void* memory = std::malloc(chunk);
    if (memory == nullptr) std::abort();
    std::memset(memory, 1, chunk);
  }
}

}  // namespace

std::string_view harm_process(std::string_view fault) {
  if (fault == "segfault") segfault();
  if (fault == "abort") std::abort();
  if (fault == "exit") _exit(3);
  if (fault == "hang") hang();
  if (fault != "allocates") return "";
  if (!address_space_is_limited()) return "allocates only runs under a limit on address space (ulimit -v)";
  allocate_until_killed();
}

void print_to_stdout() {
  write_all(STDOUT_FILENO,
            "broken: hello from a library\n{\"type\": \"evaluation\", \"broken\n{\"type\": \"bye\"}\n\n");
}

void flood_stderr() { write_all(STDERR_FILENO, std::string(std::size_t{1} << 20, '!') + "\n"); }

}  // namespace gemmtune::broken
