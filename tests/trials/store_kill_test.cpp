// kill -9 at any moment: every trial reported as added is in the store, which then opens as if nothing had happened.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <random>
#include <set>
#include <thread>

#include "gemmtune/trials/store.h"
#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

// Adds trials of candidates first, first + 1, … and reports each number once it is added. Never returns.
[[noreturn]] void write_until_killed(const std::filesystem::path& path, int first, int report) {
  try {
    TrialStore store = TrialStore::open(path);
    for (int number = first;; ++number) {
      store.add(invented_problem(number % 7 + 1), invented_evaluation(number), invented_context());
      if (::write(report, &number, sizeof number) != sizeof number) break;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "child: {}\n", error.what());
  }
  ::_exit(1);
}

// Numbers that a child reported before it was killed, `life` after its start.
std::vector<int> reported_before_kill(const std::filesystem::path& path, int first, std::chrono::microseconds life) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pipe[0]);
    write_until_killed(path, first, pipe[1]);
  }
  ::close(pipe[1]);
  std::this_thread::sleep_for(life);
  ::kill(child, SIGKILL);
  int status{};
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";
  std::vector<int> numbers;
  for (int number{}; ::read(pipe[0], &number, sizeof number) == sizeof number;) numbers.push_back(number);
  ::close(pipe[0]);
  return numbers;
}

std::set<std::string> names_in(const std::filesystem::path& path) {
  std::set<std::string> names;
  for (const Trial& trial : TrialStore::open(path).all()) {
    EXPECT_TRUE(names.insert(trial.evaluation.candidate.name).second) << trial.evaluation.candidate.name << " twice";
  }
  return names;
}

TEST(KilledWriter, LosesNothingThatItHadReported) {
  constexpr unsigned seed = 20261127;
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> life_us(0, 60'000);
  const TemporaryFolder folder;
  std::size_t reported = 0;
  for (int round = 0; round < 20; ++round) {
    const std::chrono::microseconds life(round == 0 ? 300'000 : life_us(random));
    const int first = round * 1'000'000;
    const auto numbers = reported_before_kill(folder.store(), first, life);
    reported += numbers.size();
    const auto names = names_in(folder.store());
    for (const int number : numbers) {
      EXPECT_EQ(names.count(invented_candidate(number).name), 1U) << "seed " << seed << ", round " << round;
    }
    // In each round one trial may have been added without having been reported.
    EXPECT_LE(names.size(), reported + static_cast<std::size_t>(round) + 1) << "seed " << seed << ", round " << round;
  }
  EXPECT_GT(reported, 0U);
}

}  // namespace
}  // namespace gemmtune
