#include <gtest/gtest.h>

#include <filesystem>

#include "gemmtune/core/error.h"
#include "gemmtune/fleet/fleet_run.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

/// Whose results cannot be read the first time.
class Reader final : public FleetObserver {
 public:
  explicit Reader(const RunFolder& folder, bool is_doubted) : folder_(folder), is_doubted_(is_doubted) {}

  void shard_done(std::int64_t shard) override {
    if (++calls > 1) return;
    if (is_doubted_) folder_.doubt(shard);
    fail(ErrorCode::io, "no such file");
  }
  void shard_failed(std::int64_t, const AttemptLog&) override {}
  void look(const FleetView&) override {}

  int calls{};

 private:
  const RunFolder& folder_;
  bool is_doubted_{};
};

class HarvestTest : public testing::Test {
 protected:
  HarvestTest() {
    make_empty_folder(path_);
    folder_.begin(FleetPlan{.shards = 1}, {{}});
    finish();
  }
  ~HarvestTest() override { fs::remove_all(path_); }

  void finish() const {
    write_attempts(folder_.attempts_of(0), {.state = ShardState::done});
    folder_.note_finished(0);
  }

  const fs::path path_{fs::path(testing::TempDir()) / "gemmtune_harvest_test"};
  const RunFolder folder_{path_};
};

TEST_F(HarvestTest, AShardThatIsDoubtedWhileItIsReadIsTakenOnceItIsDoneAgain) {
  Reader reader(folder_, true);
  Harvest harvest(folder_, reader);
  harvest.gather();
  EXPECT_EQ(harvest.count(), 0);
  finish();
  harvest.gather();
  EXPECT_EQ(harvest.count(), 1);
  EXPECT_EQ(reader.calls, 2);
}

TEST_F(HarvestTest, WhatCannotBeReadAlthoughItIsDoneIsAnError) {
  Reader reader(folder_, false);
  Harvest harvest(folder_, reader);
  EXPECT_THROW(harvest.gather(), Error);
}

}  // namespace
}  // namespace gemmtune
