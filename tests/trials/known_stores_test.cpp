#include "gemmtune/trials/known_stores.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

class KnownStores : public testing::Test {
 protected:
  KnownStores() { ::setenv("GEMMTUNE_STATE", (folder_.path() / "state").c_str(), 1); }
  ~KnownStores() override { ::unsetenv("GEMMTUNE_STATE"); }

  fs::path make(const std::string& name) const {
    std::ofstream(folder_.path() / name) << "store";
    return folder_.path() / name;
  }

  TemporaryFolder folder_;
};

TEST_F(KnownStores, NoneAtFirst) { EXPECT_TRUE(known_stores().empty()); }

TEST_F(KnownStores, AreRememberedOnceEach) {
  const auto b = make("b.db");
  const auto a = make("a.db");
  remember_store(b);
  remember_store(a);
  remember_store(folder_.path() / "." / "a.db");
  EXPECT_EQ(known_stores(), (std::vector<fs::path>{fs::canonical(a), fs::canonical(b)}));
}

TEST_F(KnownStores, ThoseThatAreGoneAreLeftOut) {
  const auto a = make("a.db");
  remember_store(a);
  fs::remove(a);
  EXPECT_TRUE(known_stores().empty());
}

TEST_F(KnownStores, OtherFilesInTheFolderAreNoEntries) {
  remember_store(make("a.db"));
  std::ofstream(state_folder() / "stores" / ".0123.tmp") << "/nowhere";
  EXPECT_EQ(known_stores().size(), 1U);
}

TEST_F(KnownStores, AFolderThatCannotBeMadeIsSaid) {
  make("state");  // a file in its place
  EXPECT_EQ(caught([&] { remember_store(make("a.db")); }).code, ErrorCode::io);
  EXPECT_TRUE(known_stores().empty());
}

TEST_F(KnownStores, WhereTheyAre) {
  ::unsetenv("GEMMTUNE_STATE");
  ::setenv("XDG_STATE_HOME", "/somewhere", 1);
  EXPECT_EQ(state_folder(), "/somewhere/gemmtune");
  ::unsetenv("XDG_STATE_HOME");
  EXPECT_TRUE(state_folder().string().ends_with("/.local/state/gemmtune"));
}

}  // namespace
}  // namespace gemmtune
