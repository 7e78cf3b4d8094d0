// Forks while threads look up, reload and capture. Each child does one of the things that children of servers do, and
// is given 20 seconds.
//
//   attack_forks FORKS
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "gemmtune/core/files.h"
#include "gemmtune/dispatch/dispatcher.h"

namespace {

using namespace gemmtune;
using std::chrono::milliseconds;

std::string table_with(std::int64_t edition) {
  return fmt::format(
      "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
      "gfx950,256,8,64,64,1,0,2,kernel_{},,,0.0\n",
      edition);
}

bool serves(const Dispatcher& dispatcher) {
  auto problem = format_defaults(Format::a4w4);
  problem.m = 8;
  problem.n = problem.k = 64;
  const auto answer = dispatcher.lookup(problem);
  return answer.choice != nullptr && answer.choice->kernel_name.starts_with("kernel_");
}

struct Server {
  std::filesystem::path folder{};
  std::shared_ptr<Capture> capture{};
  std::unique_ptr<Dispatcher> dispatcher{};

  DispatcherOptions options() const {
    return {.gfx = "gfx950",
            .cu_num = 256,
            .tables = {{folder / "a.csv", {.format = Format::a4w4, .packed = true}}},
            .reload_interval = milliseconds(1),
            .capture = capture,
            .say = [](const std::string&) {}};
  }
};

/// What the child ends with.
int as_child(Server& server, int what) {
  switch (what) {
    case 0:
      return serves(*server.dispatcher) ? 0 : 1;
    case 1:
      server.dispatcher.reset();
      return 0;
    case 2:
      std::exit(0);  // runs the destructors of statics
    case 3:
      server.dispatcher->poll();
      return serves(*server.dispatcher) && server.capture->flush() ? 0 : 1;
    default: {
      const Dispatcher another(server.options());
      return serves(another) && serves(*server.dispatcher) ? 0 : 1;
    }
  }
}

/// The server is in a static, as in a program that serves until it exits.
Server& server() {
  static Server only;
  return only;
}

struct Ends {
  int hung{};
  int failed{};
};

Ends fork_often(int forks) {
  Ends ends;
  for (int i = 0; i < forks; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);
      ::_exit(as_child(server(), i % 5));
    }
    int status{};
    if (child < 0 || ::waitpid(child, &status, 0) != child) std::abort();
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
      ++ends.hung;
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      ++ends.failed;
    std::this_thread::sleep_for(milliseconds(7));  // the table changes every few forks
  }
  return ends;
}

Ends attack(const std::filesystem::path& folder, int forks) {
  write_file_atomically(folder / "a.csv", table_with(0));
  server().folder = folder;
  server().capture =
      std::make_shared<Capture>(CaptureOptions{.path = folder / "capture.csv", .interval = milliseconds(2)});
  server().dispatcher = std::make_unique<Dispatcher>(server().options());
  std::atomic<bool> is_over{false};
  std::vector<std::jthread> threads;
  const auto breathe = [] { std::this_thread::sleep_for(std::chrono::microseconds(200)); };
  threads.emplace_back([&] {
    for (; !is_over; breathe()) (void)serves(*server().dispatcher);
  });
  threads.emplace_back([&] {
    for (; !is_over; breathe()) server().dispatcher->poll();
  });
  threads.emplace_back([&] {
    // A table that never rests for longer than the clock of a file system stands still cannot be read.
    for (std::int64_t i = 0; !is_over; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(60)))
      write_file_atomically(folder / "a.csv", table_with(i));
  });
  const auto ends = fork_often(forks);
  is_over = true;
  return ends;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) return std::fputs("usage: attack_forks FORKS\n", stderr), 2;
  std::string folder = (std::filesystem::temp_directory_path() / "gemmtune-forks-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return std::perror("mkdtemp"), 2;
  const int forks = std::atoi(arguments[1]);
  const auto ends = attack(folder, forks);
  server().dispatcher.reset();
  server().capture.reset();
  std::filesystem::remove_all(folder);
  std::printf("%d forks: %d children hung, %d failed\n", forks, ends.hung, ends.failed);
  return ends.hung + ends.failed == 0 ? 0 : 1;
}
