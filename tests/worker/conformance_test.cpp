#include "gemmtune/worker/conformance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// The checks that a worker does not pass: name → detail.
std::map<std::string, std::string> failures(const std::vector<std::string>& command, const std::string& problem) {
  std::map<std::string, std::string> failed;
  std::size_t passed = 0;
  for (const ConformanceCheck& check : check_worker(command, problem)) {
    EXPECT_EQ(check.passed, check.detail.empty()) << check.name;
    check.passed ? ++passed : failed.emplace(check.name, check.detail).second;
  }
  EXPECT_EQ(passed + failed.size(), 16U);
  return failed;
}

std::map<std::string, std::string> failures_of_evil(const std::string& mode) {
  return failures({TEST_PYTHON, "-IS", TEST_EVIL_WORKER, mode}, "4x8x16:f32:f32:f32");
}

TEST(Conformance, ExampleWorkerPasses) {
  EXPECT_THAT(failures({TEST_PYTHON, "-IS", TEST_EXAMPLE_WORKER}, "6x8x70:f32:f32:f32:bias"), IsEmpty());
  EXPECT_THAT(failures({TEST_PYTHON, "-IS", TEST_EXAMPLE_WORKER}, "3x5x33:f32:f32:f32:batch=2"), IsEmpty());
}

TEST(Conformance, SaysWhatAProblemLacks) {
  const auto failed = failures({TEST_PYTHON, "-IS", TEST_EXAMPLE_WORKER}, "6x8x70:bf16:bf16:bf16");
  EXPECT_THAT(failed.at("answers 'supports' and supports the problem"), HasSubstr("only f32 is multiplied here"));
  EXPECT_THAT(failed.at("answers 'candidates' with at least one, each name once"), HasSubstr("none for 6x8x70"));
}

// A worker that ignored an option would compute something else.
TEST(Conformance, ExampleWorkerSupportsNoOptionThatItDoesNotKnow) {
  const auto failed = failures({TEST_PYTHON, "-IS", TEST_EXAMPLE_WORKER}, "6x8x70:f32:f32:f32:nn:bias:relu");
  EXPECT_THAT(failed.at("answers 'supports' and supports the problem"), HasSubstr("'nn:relu' is not supported here"));
}

TEST(Conformance, FindsEachHabit) {
  const std::map<std::string, std::pair<std::string, std::string>> habits{
      {"crash_at_once",
       {"says hello, of protocol version 1 or 2, with a device", "exited with 7; stderr: no such device"}},
      {"cannot_start", {"says hello, of protocol version 1 or 2, with a device", "no cuda:7 here"}},
      {"garbage_for_hello",
       {"says hello, of protocol version 1 or 2, with a device", "not JSON (at byte 1): 'Welcome!'"}},
      {"wrong_version", {"says hello, of protocol version 1 or 2, with a device", "expected 1 or 2, found 99"}},
      {"die_when_asked", {"answers 'supports' and supports the problem", "exited with 8"}},
      {"name_twice", {"answers 'candidates' with at least one, each name once", "'c0' is named twice"}},
      {"forgetful", {"names the same candidates when asked again", "number 6"}},
      {"die_of_expect", {"takes 'expect', if it says that it compiles ahead", "exited with 13"}},
      {"segfault", {"evaluates at stage 'screen', started before each evaluation", "SIGSEGV"}},
      {"wrong_id", {"evaluates at stage 'screen', started before each evaluation", "message.id: expected"}},
      {"answer_twice", {"evaluates at stage 'screen', started before each evaluation", "answered already"}},
      {"never_started", {"evaluates at stage 'confirm', started before each evaluation", "no 'started' came before"}},
      {"forget_samples",
       {"evaluates at stage 'screen', started before each evaluation", "samples_us: missing, though there are times"}},
      {"all_elements_wrong", {"evaluates at stage 'confirm', started before each evaluation", "err_ratio: expected 0"}},
      {"samples_of_another", {"evaluates at stage 'screen', started before each evaluation", "samples give 99"}},
      {"huge_workspace", {"evaluates at stage 'prove', started before each evaluation", "workspace_bytes: expected 0"}},
      {"unprintable", {"answers 'candidates' with at least one, each name once", "characters that cannot be printed"}},
      {"always_ok", {"answers a candidate it does not know with 'unsupported'", "found 'ok'"}},
      {"die_of_unknown_request", {"answers a request it does not know with an error and lives on", "exited with 10"}},
      {"die_of_malformed_line", {"answers a line that is no message with an error and lives on", "exited with 11"}},
      {"choke_on_unknown_field", {"ignores fields it does not know", "it answered with an error"}},
      {"last_words", {"exits with 0 on 'bye' and writes nothing more", "'So long!'"}},
      {"bad_exit", {"exits with 0 on 'bye' and writes nothing more", "exited with 12"}},
      {"outlive", {"exits when its stdin ends", "it still runs after"}},
  };
  for (const auto& [mode, expected] : habits) {
    SCOPED_TRACE(mode);
    const auto failed = failures_of_evil(mode);
    ASSERT_TRUE(failed.contains(expected.first)) << "that check passed";
    EXPECT_THAT(failed.at(expected.first), HasSubstr(expected.second));
  }
}

// It keeps to the protocol, version 1, and computes nothing.
TEST(Conformance, AWorkerThatCannotBeAuditedFailsTheAuditAndNothingElse) {
  const auto failed = failures_of_evil("honest");
  ASSERT_EQ(failed.size(), 2U);
  EXPECT_THAT(failed.at("multiplies what it is asked to multiply"), HasSubstr("cannot be audited"));
  EXPECT_THAT(failed.at("takes turns with other workers: holds candidates, takes samples, settles"),
              HasSubstr("version 1 of the protocol"));
}

TEST(Conformance, AWorkerThatComputesNothingFailsTheAuditAndNothingElse) {
  const auto failed = failures({TEST_PYTHON, "-IS", TEST_TURNS_WORKER, TEST_EXAMPLE_WORKER, "computes_nothing", "lazy"},
                               "6x8x70:f32:f32:f32");
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_THAT(failed.at("multiplies what it is asked to multiply"), HasSubstr("wrong_result: at the audit"));
}

TEST(Conformance, EndsWhenItsTimeIsOver) {
  for (const std::string mode : {"never_hello", "silent_when_asked", "hang"}) {
    SCOPED_TRACE(mode);
    const auto start = SteadyClock::now();
    const auto checks = check_worker({TEST_PYTHON, "-IS", TEST_EVIL_WORKER, mode}, "4x8x16:f32:f32:f32", 2);
    EXPECT_LT(seconds_since(start), 15);
    ASSERT_EQ(checks.size(), 16U);
    EXPECT_FALSE(checks.back().passed);
    EXPECT_THAT(checks.back().detail, HasSubstr("the 2 s of --timeout are over"));
  }
}

TEST(Conformance, BadArgumentsAreErrors) {
  EXPECT_THROW(check_worker({"/no/such/worker"}, "4x8x16:f32:f32:f32"), Error);
  EXPECT_THROW(check_worker({TEST_PYTHON, "-IS", TEST_EXAMPLE_WORKER}, "four by eight"), Error);
}

}  // namespace
}  // namespace gemmtune
