#include "gemmtune/replay/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/measure/statistics.h"
#include "tests/replay/recorded_shapes.h"
#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

Recording invented_recording() {
  auto tiles = recorded_tiles();
  tiles.candidates.resize(5);
  tiles.candidates[1].outcome = Outcome::wrong_result;
  tiles.candidates[1].failed_at = Stage::prove;
  tiles.candidates[2].confirm.us.clear();
  tiles.candidates[4].confirm.turns = {7, 17};
  tiles.candidates[3].candidate.split_k = 4;
  auto other = tiles;
  other.problem = parse_problem("16x4096x4096:a16w16");
  return {tiles, other};
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-4 * b[i]);
}

void expect_same(RecordedCandidate a, RecordedCandidate b) {
  expect_near(a.screen_us, b.screen_us);
  expect_near(a.confirm.us, b.confirm.us);
  EXPECT_EQ(a.candidate.params, b.candidate.params);
  EXPECT_EQ(a.candidate.split_k, b.candidate.split_k);
  a.screen_us = b.screen_us;
  a.confirm.us = b.confirm.us;
  EXPECT_EQ(a, b);
}

void expect_same(const Recording& a, const Recording& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].kind, b[i].kind);
    EXPECT_EQ(a[i].device, b[i].device);
    EXPECT_EQ(a[i].problem, b[i].problem);
    ASSERT_EQ(a[i].candidates.size(), b[i].candidates.size());
    for (std::size_t j = 0; j < a[i].candidates.size(); ++j) expect_same(a[i].candidates[j], b[i].candidates[j]);
  }
}

TEST(RecordingText, ParsesBackToFiveDigits) {
  const auto recording = invented_recording();
  expect_same(parse_recording(recording_text(recording), "it"), recording);
}

TEST(RecordingFile, IsCompressedByItsName) {
  const TemporaryFolder folder;
  const auto recording = invented_recording();
  for (const auto* name : {"r.csv", "r.csv.xz"}) {
    write_recording(folder.path() / name, recording);
    expect_same(read_recording(folder.path() / name), recording);
  }
  EXPECT_LT(std::filesystem::file_size(folder.path() / "r.csv.xz"),
            std::filesystem::file_size(folder.path() / "r.csv"));
}

std::string message_of(const std::string& text) {
  try {
    parse_recording(text, "r.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(RecordingText, SaysWhereItCannotBeRead) {
  const auto text = recording_text(invented_recording());
  const auto with = [&](const std::string& from, const std::string& to) {
    auto changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return message_of(changed);
  };
  EXPECT_THAT(with("split_k", "split"), testing::HasSubstr("no column split_k"));
  EXPECT_THAT(with("4096x4096x4096", "4096xx4096"), testing::HasSubstr("r.csv:2"));
  EXPECT_THAT(with("prove wrong_result", "prove bad_luck"), testing::HasSubstr("r.csv:3"));
  EXPECT_THAT(with("m=64", "m64"), testing::HasSubstr("params"));
  EXPECT_THAT(with("cuda", "abacus"), testing::HasSubstr("abacus"));
}

/// Names too long for the text object itself: what is freed twice then ends the process.
TEST(RecordingText, AnUnreadableCellInAnyColumn) {
  const std::vector<std::string> cells{"cuda",
                                       "NVIDIA H200 of an invented machine",
                                       "16x64x64:a16w16",
                                       "a_family_with_a_long_name",
                                       "a_candidate_with_a_name_that_is_long",
                                       "bm=64 a_parameter_with_a_long_name=1",
                                       "1",
                                       "0",
                                       "",
                                       "1.5",
                                       "10 11",
                                       "10 11"};
  const auto header = recording_text({});
  EXPECT_EQ(message_of(header + join(cells, ",") + "\n"), "no error");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    auto broken = cells;
    broken[i] = "x \x1b[2J y";
    const auto message = message_of(header + join(broken, ",") + "\n");
    const bool is_text = i == 1 || i == 3 || i == 4;
    EXPECT_THAT(message, is_text ? testing::HasSubstr("no error") : testing::HasSubstr("r.csv:2:")) << i;
    EXPECT_EQ(message.find('\x1b'), std::string::npos) << message;
  }
}

TEST(WithAllConfirmed, TransplantsTheNoiseOfOneThatWas) {
  RecordedShape shape{.candidates = {recorded_toy("a", 100, {109, 110, 112}), recorded_toy("b", 200, {})}};
  shape.candidates.push_back(recorded_toy("wrong", 50, {}));
  shape.candidates.back().outcome = Outcome::wrong_result;
  const auto all = with_all_confirmed(shape);
  EXPECT_EQ(all.candidates[0], shape.candidates[0]);
  expect_near(all.candidates[1].confirm.us, {218, 220, 224});
  EXPECT_TRUE(all.candidates[2].confirm.us.empty());
}

TEST(WithAllConfirmed, KeepsToScreeningWhereThereIsNothingElse) {
  const RecordedShape shape{.candidates = {recorded_toy("a", 100, {})}};
  EXPECT_EQ(with_all_confirmed(shape).candidates[0].confirm.us, std::vector<double>{100});
}

}  // namespace
}  // namespace gemmtune
