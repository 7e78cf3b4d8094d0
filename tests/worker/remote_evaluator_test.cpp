// A worker that breaks the protocol costs one candidate, never two. Each way to break it is a mode of evil/evil.py.
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
#include "gemmtune/core/visible.h"
#include "tests/support/cpu_seconds.h"

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

/// The file in which workers record their process ids.
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
  /// Orphans are reaped by init, which may take a while.
  static bool is_there(pid_t pid) {
    for (int i = 0; i < 500 && ::kill(pid, 0) == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return ::kill(pid, 0) == 0;
  }
  void clear() const {
    std::filesystem::remove(path_);
    for (const char* note : {".died", ".greeted"}) std::filesystem::remove(path_ + note);
  }

  std::string path_;
};

class RemoteEvaluatorTest : public testing::Test {
 protected:
  RemoteOptions options(const std::string& mode) const {
    return {.command = {TEST_PYTHON, "-IS", TEST_EVIL_WORKER, mode, pids_.path()},
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

TEST_P(EvilWorker, CostsOneCandidate) { expect_only_c2_suffers(Stage::screen); }

/// Faults that also occur when finalists are interleaved.
using EvilWorkerAmongFinalists = EvilWorker;

TEST_P(EvilWorkerAmongFinalists, CostsOneCandidate) { expect_only_c2_suffers(Stage::confirm); }

constexpr RemoteStatistics no_trouble{.starts = 1};
constexpr RemoteStatistics one_crash{.starts = 2, .crashes = 1};
constexpr RemoteStatistics two_crashes{.starts = 3, .crashes = 2};
constexpr RemoteStatistics one_timeout{.starts = 2, .timeouts = 1};
constexpr RemoteStatistics one_nonsense{.starts = 2, .protocol_errors = 1};
constexpr std::int64_t half_a_gigabyte = 512 << 20;

std::string mode_of(const testing::TestParamInfo<Evil>& tested) { return tested.param.mode; }

const std::vector<Evil> one_by_one{
    {"die_before_done", Outcome::ok, "", {.starts = 1, .crashes = 1}},
    {"die_before_saying_what_runs", Outcome::crashed, "before it said which candidate", two_crashes},
    {"answer_twice", Outcome::ok, "", one_nonsense},
};

const std::vector<Evil> always{
    {"honest", Outcome::ok, "", no_trouble},
    {"slow", Outcome::ok, "", no_trouble},
    {"fill_stderr", Outcome::ok, "", no_trouble},
    {"speak_unasked", Outcome::ok, "", no_trouble},
    {"flaky", Outcome::ok, "", one_crash},
    {"segfault", Outcome::crashed, "killed by signal 11 (SIGSEGV); stderr: about to fault", one_crash},
    {"abort_in_a_library", Outcome::crashed, "SIGABRT", one_crash},
    {"killed_once", Outcome::ok, "", one_crash},
    {"killed_by_a_launcher", Outcome::ok, "", one_crash},
    {"killed_always", Outcome::crashed, "killed by signal 9 (SIGKILL), when it was tried again alone", two_crashes},
    {"leave_a_child_behind", Outcome::crashed, "exited with 9", one_crash},
    {"close_stdout", Outcome::crashed, "closed its stdout and kept running", one_crash},
    {"half_a_line", Outcome::crashed, "in the middle of the line '{\"type\": \"evaluation\"", one_crash},
    {"allocate", Outcome::crashed, "MemoryError", one_crash, 20, half_a_gigabyte},
    {"hang", Outcome::timed_out, "said nothing for 1.5 s", one_timeout, 1.5},
    {"hang_deaf_to_sigterm", Outcome::timed_out, "said nothing for 1.5 s", one_timeout, 1.5},
    {"start_for_ever", Outcome::timed_out, "kept starting candidates", one_timeout, 0.5},
    {"garbage", Outcome::crashed, "'Warning: kernel cache is cold", one_nonsense},
    {"binary_garbage", Outcome::crashed, "'\\xff\\xfe\\x00\\x80'", one_nonsense},
    {"deep_json", Outcome::crashed, "nested deeper", one_nonsense},
    {"endless_line", Outcome::crashed, "a line that does not end: 'xxx", one_nonsense},
    {"wrong_id", Outcome::crashed, "message.id: expected 1", one_nonsense},
    {"other_candidate", Outcome::crashed, "'c99' of family 'evil', which was not asked for", one_nonsense},
    {"done_early", Outcome::crashed, "candidates have no answer", one_nonsense},
    {"implausible", Outcome::crashed, "evaluation.timing", one_nonsense},
    {"all_elements_wrong", Outcome::crashed, "evaluation.accuracy.err_ratio: expected 0 to 0.05, found 1",
     one_nonsense},
    {"negative_share", Outcome::crashed, "evaluation.accuracy.worst_share_of_bound", one_nonsense},
    {"no_time_at_all", Outcome::crashed, "evaluation.timing.median_us", one_nonsense},
    {"samples_of_another", Outcome::crashed, "evaluation.timing.median_us: found 12, but its samples give 99",
     one_nonsense},
    {"one_huge_sample", Outcome::crashed, "evaluation.timing.samples_us", one_nonsense},
    {"huge_workspace", Outcome::crashed, "evaluation.timing.workspace_bytes", one_nonsense},
    {"malformed", Outcome::crashed, "evaluation.timing.median_us: expected a number, found the string 'fast'",
     one_nonsense},
    {"unknown_reply", Outcome::crashed, "'progress'", one_nonsense},
    {"refuse", Outcome::launch_failed, "the worker refused: out of registers", no_trouble},
};

INSTANTIATE_TEST_SUITE_P(OneByOne, EvilWorker, testing::ValuesIn(one_by_one), mode_of);
INSTANTIATE_TEST_SUITE_P(Always, EvilWorker, testing::ValuesIn(always), mode_of);
INSTANTIATE_TEST_SUITE_P(Always, EvilWorkerAmongFinalists, testing::ValuesIn(always), mode_of);

std::string error_of(const std::function<void()>& work, ErrorCode code) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "no error";
}

TEST_F(RemoteEvaluatorTest, AnswersQueries) {
  RemoteEvaluator remote(options("honest"));
  EXPECT_EQ(remote.device().name, "an invented CPU");
  const auto families = remote.supports(some_problem);
  ASSERT_EQ(families.size(), 1U);
  EXPECT_EQ(families[0], (FamilySupport{.family = "evil", .version = "1", .candidate_count = 6}));
  EXPECT_EQ(remote.candidates(some_problem), six_candidates());
  EXPECT_EQ(remote.statistics().starts, 1);
}

TEST_F(RemoteEvaluatorTest, ManyCandidatesAreReadInLinearTime) {
  RemoteEvaluator remote(options("many"));
  const double start = cpu_seconds();
  EXPECT_EQ(remote.candidates(some_problem).size(), 200'000U);
  EXPECT_LT(cpu_seconds() - start, 20) << "it took minutes while each object was looked for among all";
}

TEST_F(RemoteEvaluatorTest, SaysWhyNoWorkerCanBeHad) {
  const std::map<std::string, const char*> reasons{
      {"crash_at_once", "tried 2 times: the worker exited with 7; stderr: no such device"},
      {"never_hello", "tried 2 times: the worker said nothing"},
      {"garbage_for_hello", "'Welcome!'"},
      {"wrong_version", "hello.protocol: expected 1 or 2, found 99"},
  };
  for (const auto& [mode, reason] : reasons) {
    SCOPED_TRACE(mode);
    RemoteOptions with = options(mode);
    with.start_attempts = 2;
    if (mode == "never_hello") with.start_timeout_s = 0.2;
    RemoteEvaluator remote(with);
    EXPECT_THAT(error_of([&] { remote.device(); }, ErrorCode::protocol), HasSubstr(reason));
    EXPECT_EQ(remote.statistics().starts, 2);
    Record record;
    EXPECT_THROW(remote.evaluate(some_problem, six_candidates(), {}, record), Error);
    EXPECT_THAT(record.evaluations, testing::IsEmpty());
  }
}

TEST_F(RemoteEvaluatorTest, DoesNotStartAgainWhatCannotStart) {
  RemoteEvaluator remote(options("cannot_start"));
  EXPECT_THAT(error_of([&] { remote.device(); }, ErrorCode::no_device), HasSubstr("no cuda:7 here"));
  EXPECT_EQ(remote.statistics().starts, 1);
  RemoteEvaluator nothing({.command = {"/no/such/worker"}});
  EXPECT_THAT(error_of([&] { nothing.device(); }, ErrorCode::io), HasSubstr("No such file"));
}

TEST_F(RemoteEvaluatorTest, QueriesEndWithEveryWorker) {
  const std::map<std::string, const char*> reasons{{"die_when_asked", "the worker exited with 8"},
                                                   {"silent_when_asked", "the worker said nothing"}};
  for (const auto& [mode, reason] : reasons) {
    SCOPED_TRACE(mode);
    RemoteOptions with = options(mode);
    with.query_timeout_s = 0.3;
    RemoteEvaluator remote(with);
    EXPECT_THAT(error_of([&] { remote.supports(some_problem); }, ErrorCode::protocol), HasSubstr(reason));
    EXPECT_EQ(remote.statistics().starts, with.start_attempts);
  }
  RemoteEvaluator twice(options("name_twice"));
  EXPECT_THAT(error_of([&] { twice.candidates(some_problem); }, ErrorCode::protocol), HasSubstr("'c0' is named twice"));
}

/// Trials are kept under the device that the first worker named.
TEST_F(RemoteEvaluatorTest, ARestartedWorkerMustNameTheSameDevice) {
  RemoteEvaluator remote(options("another_device"));
  Record record;
  const std::string why =
      error_of([&] { remote.evaluate(some_problem, six_candidates(), {}, record); }, ErrorCode::protocol);
  EXPECT_THAT(why, HasSubstr("hello.device.name: found '\"another CPU"));
  EXPECT_THAT(why, HasSubstr("the first worker named '\"an invented CPU"));
  EXPECT_TRUE(is_visible(why)) << visible(why);
  EXPECT_THAT(record.evaluations, testing::IsEmpty());
  EXPECT_EQ(remote.device().name, "an invented CPU");
  EXPECT_EQ(remote.statistics().starts, 4);
  EXPECT_EQ(remote.statistics().protocol_errors, 3);
}

/// Nothing that a worker says reaches a terminal, a log or a table as it is.
TEST_F(RemoteEvaluatorTest, WhatAWorkerSaysIsMadePrintable) {
  RemoteEvaluator remote(options("unprintable"));
  std::vector<std::string> heard{remote.device().name, remote.device().driver};
  for (const auto& [name, version] : remote.device().libraries) heard.insert(heard.end(), {name, version});
  for (const FamilySupport& support : remote.supports(some_problem))
    heard.insert(heard.end(), {support.family, support.version, support.why_not});
  const auto candidates = remote.candidates(some_problem);
  for (const Candidate& candidate : candidates) heard.push_back(candidate.name);
  Record record;
  remote.evaluate(some_problem, candidates, {}, record);
  ASSERT_EQ(record.evaluations.size(), 6U);
  for (const Evaluation& evaluation : record.evaluations) {
    SCOPED_TRACE(evaluation.candidate.name);
    heard.insert(heard.end(), {evaluation.candidate.name, evaluation.reason});
    const bool is_misnamed = evaluation.candidate.name.starts_with("c3");
    const bool is_wrong = evaluation.candidate.name == "c2";
    EXPECT_EQ(evaluation.outcome, is_misnamed ? Outcome::crashed : is_wrong ? Outcome::wrong_result : Outcome::ok);
    EXPECT_THAT(evaluation.reason, HasSubstr(is_misnamed ? "candidates[3].name: has characters that cannot be printed"
                                             : is_wrong  ? "first line\\x1b[31m\\x00 | second line"
                                                         : ""));
  }
  for (const std::string& text : heard) EXPECT_TRUE(is_visible(text)) << visible(text);
  EXPECT_EQ(remote.statistics().starts, 1) << "a name costs its candidate";
}

TEST_F(RemoteEvaluatorTest, WorkerThatOnlyGreetsCostsTheBatchAndEnds) {
  RemoteEvaluator remote(options("exit_after_hello"));
  Record record;
  const auto two = six_candidates();
  remote.evaluate(some_problem, std::span(two).first(2), {}, record);
  ASSERT_EQ(record.evaluations.size(), 2U);
  for (const Evaluation& evaluation : record.evaluations) EXPECT_EQ(evaluation.outcome, Outcome::crashed);
}

TEST_F(RemoteEvaluatorTest, RefusedRequestIsEachCandidatesFailure) {
  RemoteEvaluator remote(options("refuse_all"));
  Record record;
  remote.evaluate(some_problem, six_candidates(), {}, record);
  ASSERT_EQ(record.evaluations.size(), 6U);
  for (const Evaluation& evaluation : record.evaluations) {
    EXPECT_EQ(evaluation.outcome, Outcome::launch_failed);
    EXPECT_THAT(evaluation.reason, HasSubstr("no memory for the operands"));
  }
  EXPECT_EQ(remote.statistics().starts, 1);
}

TEST_F(RemoteEvaluatorTest, WhatIsSaidBetweenRequestsIsNobodysFault) {
  RemoteEvaluator remote(options("speak_unasked"));
  for (int round = 0; round < 2; ++round) {
    Record record;
    remote.evaluate(some_problem, six_candidates(), {}, record);
    ASSERT_EQ(record.evaluations.size(), 6U);
    for (const Evaluation& evaluation : record.evaluations) EXPECT_EQ(evaluation.outcome, Outcome::ok);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(remote.statistics().starts, 2);
  EXPECT_EQ(remote.statistics().protocol_errors, 1);
}

TEST_F(RemoteEvaluatorTest, EmptyBatchNeedsNoWorker) {
  RemoteEvaluator remote(options("honest"));
  Record record;
  remote.evaluate(some_problem, {}, {}, record);
  EXPECT_EQ(remote.statistics().starts, 0);
}

TEST_F(RemoteEvaluatorTest, InterruptEndsAHangSoonAndNoLaterCall) {
  RemoteOptions with = options("hang");
  with.candidate_timeout_s = 1000;
  RemoteEvaluator remote(with);
  Record record;
  std::thread interrupter;
  record.then = [&](const Evaluation& evaluation) {
    // After c1 comes c2, which hangs.
    if (evaluation.candidate.name == "c1") interrupter = std::thread([&remote] { remote.interrupt(); });
  };
  const auto start = SteadyClock::now();
  remote.evaluate(some_problem, six_candidates(), {}, record);
  interrupter.join();
  EXPECT_LT(seconds_since(start), 60);
  EXPECT_EQ(record.evaluations.size(), 2U);
  record.then = {};
  remote.evaluate(some_problem, std::vector{six_candidates().front()}, {}, record);
  ASSERT_EQ(record.evaluations.size(), 3U) << "a winner is proven after its search was interrupted";
  EXPECT_EQ(record.evaluations.back().outcome, Outcome::ok);
  EXPECT_FALSE(remote.supports(some_problem).empty());
}

TEST_F(RemoteEvaluatorTest, ObserversErrorsPassThroughAndLeaveNoStaleAnswers) {
  RemoteEvaluator remote(options("honest"));
  Record record;
  record.then = [](const Evaluation&) { fail(ErrorCode::io, "the disk is full"); };
  EXPECT_THAT(error_of([&] { remote.evaluate(some_problem, six_candidates(), {}, record); }, ErrorCode::io),
              HasSubstr("the disk is full"));
  Record again;
  remote.evaluate(some_problem, six_candidates(), {}, again);
  EXPECT_EQ(again.evaluations.size(), 6U);
  EXPECT_EQ(remote.statistics().protocol_errors, 0);
}

}  // namespace
}  // namespace gemmtune
