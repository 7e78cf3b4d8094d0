// One candidate is lost to an evil worker, never two: each way of being evil is a mode of evil/evil.py.
#include "gemmtune/worker/remote_evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <ostream>
#include <thread>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

using testing::HasSubstr;

const Problem some_problem{.m = 4, .n = 8, .k = 16};

std::vector<Candidate> six_candidates() {
  std::vector<Candidate> candidates;
  for (int i = 0; i < 6; ++i) {
    candidates.push_back({.family = "evil", .name = "c" + std::to_string(i), .params = {{"i", std::to_string(i)}}});
  }
  return candidates;
}

struct Record final : EvaluationObserver {
  void started(const Candidate& candidate) override { starts[candidate.name] += 1; }
  void evaluated(const Evaluation& evaluation) override {
    evaluations.push_back(evaluation);
    if (then) then(evaluation);
  }
  const Evaluation* find(const std::string& name) const {
    for (const Evaluation& evaluation : evaluations) {
      if (evaluation.candidate.name == name) return &evaluation;
    }
    return nullptr;
  }

  std::map<std::string, int> starts{};
  std::vector<Evaluation> evaluations{};
  std::function<void(const Evaluation&)> then{};
};

/// Where workers write their process ids down.
class PidFile {
 public:
  PidFile() : path_(std::filesystem::temp_directory_path() / ("gemmtune_pids_" + std::to_string(::getpid()))) {
    clear();
  }
  ~PidFile() { clear(); }
  const std::string& path() const { return path_; }

  std::vector<pid_t> still_there() const {
    std::vector<pid_t> left;
    std::ifstream file(path_);
    for (pid_t pid = 0; file >> pid;) {
      if (is_there(pid)) left.push_back(pid);
    }
    return left;
  }

 private:
  /// Orphans are reaped by init, in its own time.
  static bool is_there(pid_t pid) {
    for (int i = 0; i < 500 && ::kill(pid, 0) == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return ::kill(pid, 0) == 0;
  }
  void clear() const {
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + ".died");
  }

  std::string path_;
};

class RemoteEvaluatorTest : public testing::Test {
 protected:
  RemoteOptions options(const std::string& mode) const {
    return {.command = {TEST_PYTHON, TEST_EVIL_WORKER, mode, pids_.path()},
            .start_timeout_s = 30,
            .candidate_timeout_s = 20,
            .query_timeout_s = 20};
  }

  void TearDown() override { EXPECT_THAT(pids_.still_there(), testing::IsEmpty()) << "processes were left behind"; }

  PidFile pids_{};
};

struct Evil {
  const char* mode{};
  Outcome outcome{};     // of c2
  const char* reason{};  // a part of it
  RemoteStatistics expected{};
  double candidate_timeout_s{20};
  std::int64_t memory_limit_bytes{};
};

void PrintTo(const Evil& evil, std::ostream* out) { *out << evil.mode; }

class EvilWorker : public RemoteEvaluatorTest, public testing::WithParamInterface<Evil> {
 protected:
  void expect_only_c2_suffers(Stage stage) {
    RemoteOptions with = options(GetParam().mode);
    with.candidate_timeout_s = GetParam().candidate_timeout_s;
    with.memory_limit_bytes = GetParam().memory_limit_bytes;
    RemoteEvaluator remote(with);
    Record record;
    remote.evaluate(some_problem, six_candidates(), {.stage = stage}, record);

    EXPECT_EQ(record.evaluations.size(), 6U);
    for (const Candidate& candidate : six_candidates()) {
      SCOPED_TRACE(candidate.name);
      const Evaluation* evaluation = record.find(candidate.name);
      ASSERT_NE(evaluation, nullptr);
      EXPECT_EQ(evaluation->stage, stage);
      EXPECT_EQ(evaluation->candidate.params, candidate.params);
      candidate.name == "c2" ? expect_as_told(*evaluation) : expect_real(*evaluation);
    }
    EXPECT_EQ(remote.statistics().starts, GetParam().expected.starts);
    EXPECT_EQ(remote.statistics().crashes, GetParam().expected.crashes);
    EXPECT_EQ(remote.statistics().timeouts, GetParam().expected.timeouts);
    EXPECT_EQ(remote.statistics().protocol_errors, GetParam().expected.protocol_errors);
    EXPECT_GT(remote.statistics().waiting_s, 0);
  }

  static void expect_as_told(const Evaluation& evaluation) {
    EXPECT_EQ(evaluation.outcome, GetParam().outcome) << evaluation.reason;
    EXPECT_THAT(evaluation.reason, HasSubstr(GetParam().reason));
  }

  static void expect_real(const Evaluation& evaluation) {
    EXPECT_EQ(evaluation.outcome, Outcome::ok) << evaluation.reason;
    EXPECT_EQ(evaluation.timing.median_us, 10 + std::stoi(evaluation.candidate.name.substr(1)));
  }
};

TEST_P(EvilWorker, CostsOneCandidateWhenScreening) { expect_only_c2_suffers(Stage::screen); }

TEST_P(EvilWorker, CostsOneCandidateWhenConfirming) {
  if (std::string(GetParam().mode).find("answer_twice") == 0 || std::string(GetParam().mode).find("die_before") == 0) {
    GTEST_SKIP() << "this evil exists only one by one";
  }
  expect_only_c2_suffers(Stage::confirm);
}

constexpr RemoteStatistics no_trouble{.starts = 1};
constexpr RemoteStatistics one_crash{.starts = 2, .crashes = 1};
constexpr RemoteStatistics two_crashes{.starts = 3, .crashes = 2};
constexpr RemoteStatistics one_timeout{.starts = 2, .timeouts = 1};
constexpr RemoteStatistics one_nonsense{.starts = 2, .protocol_errors = 1};
constexpr std::int64_t half_a_gigabyte = 512 << 20;

INSTANTIATE_TEST_SUITE_P(
    All, EvilWorker,
    testing::Values(
        Evil{"honest", Outcome::ok, "", no_trouble}, Evil{"slow", Outcome::ok, "", no_trouble},
        Evil{"fill_stderr", Outcome::ok, "", no_trouble}, Evil{"flaky", Outcome::ok, "", one_crash},
        Evil{"die_before_done", Outcome::ok, "", {.starts = 1, .crashes = 1}},
        Evil{"segfault", Outcome::crashed, "killed by signal 11 (SIGSEGV); stderr: about to fault", one_crash},
        Evil{"abort_in_a_library", Outcome::crashed, "SIGABRT", one_crash},
        Evil{"leave_a_child_behind", Outcome::crashed, "exited with 9", one_crash},
        Evil{"close_stdout", Outcome::crashed, "closed its stdout and ran on", one_crash},
        Evil{"half_a_line", Outcome::crashed, "in the middle of the line '{\"type\": \"evaluation\"", one_crash},
        Evil{"allocate", Outcome::crashed, "MemoryError", one_crash, 20, half_a_gigabyte},
        Evil{"die_before_saying_what_runs", Outcome::crashed, "before it said which candidate", two_crashes},
        Evil{"hang", Outcome::timed_out, "said nothing for 1.5 s", one_timeout, 1.5},
        Evil{"hang_deaf_to_sigterm", Outcome::timed_out, "said nothing for 1.5 s", one_timeout, 1.5},
        Evil{"start_for_ever", Outcome::timed_out, "without an end", one_timeout, 0.5},
        Evil{"answer_twice", Outcome::ok, "", one_nonsense},
        Evil{"garbage", Outcome::crashed, "'Warning: kernel cache is cold", one_nonsense},
        Evil{"binary_garbage", Outcome::crashed, "'\\xff\\xfe\\x00\\x80'", one_nonsense},
        Evil{"deep_json", Outcome::crashed, "nested deeper", one_nonsense},
        Evil{"endless_line", Outcome::crashed, "a line without an end: 'xxx", one_nonsense},
        Evil{"wrong_id", Outcome::crashed, "message.id: expected 1", one_nonsense},
        Evil{"other_candidate", Outcome::crashed, "'c99' of family 'evil', which was not asked for", one_nonsense},
        Evil{"done_early", Outcome::crashed, "candidates have no answer", one_nonsense},
        Evil{"implausible", Outcome::crashed, "evaluation.timing", one_nonsense},
        Evil{"malformed", Outcome::crashed, "evaluation.timing.median_us: expected a number, found the string 'fast'",
             one_nonsense},
        Evil{"unknown_reply", Outcome::crashed, "'progress'", one_nonsense},
        Evil{"refuse", Outcome::launch_failed, "the worker refused: out of registers", no_trouble}),
    [](const testing::TestParamInfo<Evil>& tested) { return std::string(tested.param.mode); });

}  // namespace
}  // namespace gemmtune
