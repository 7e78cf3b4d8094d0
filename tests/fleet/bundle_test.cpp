#include "gemmtune/fleet/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/fleet/temporary_folder.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Bundles : public testing::Test {
 protected:
  Bundles() {
    fs::create_directories(user());
    write_file_atomically(user() / "worker.py", "print(1)\n");
    write_file_atomically(user() / "data", "some data\n");
  }

  fs::path user() const { return folder_.path / "user's files"; }
  fs::path cache() const { return folder_.path / "cache"; }
  fs::path run(const std::string& name) const { return folder_.path / (name + ".fleet") / "bundles"; }
  Bundle shipped() const { return shipped_bundle(cache(), {user().string()}); }

  std::vector<std::string> in_cache() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(cache())) names.push_back(entry.path().filename().string());
    return names;
  }

  std::string why_not(const std::string& path) const {
    try {
      shipped_bundle(cache(), {path});
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  TemporaryFolder folder_;
};

TEST_F(Bundles, TheProgramIsLinkedAndNotCopied) {
  const auto bundle = program_bundle(cache());
  EXPECT_EQ(bundle.id.size(), 16U);
  EXPECT_TRUE(fs::is_symlink(bundle.folder / "bin/gemmtune"));
  EXPECT_EQ(read_file(bundle.folder / "bin/gemmtune"), read_file("/proc/self/exe"));
  EXPECT_THAT(read_file(bundle.folder / "MANIFEST"), HasSubstr("  ./bin/gemmtune\n"));
  for (const auto& library : fs::directory_iterator(bundle.folder / "lib")) EXPECT_TRUE(library.is_symlink());
}

TEST_F(Bundles, FilesAreHashedOnce) {
  const auto first = shipped();
  const auto written = fs::last_write_time(first.folder / "MANIFEST");
  const auto again = shipped();
  EXPECT_EQ(again.folder, first.folder);
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(fs::last_write_time(first.folder / "MANIFEST"), written);
  EXPECT_EQ(in_cache().size(), 1U);
}

TEST_F(Bundles, AFileThatIsWrittenMakesAnotherBundle) {
  const auto before = shipped();
  write_file_atomically(user() / "data", "same size!");
  const auto after = shipped();
  EXPECT_NE(after.id, before.id);
  write_file_atomically(user() / "data", "some data\n");
  EXPECT_EQ(shipped().id, before.id);
}

TEST_F(Bundles, AFileThatBecomesExecutableMakesAnotherBundle) {
  const auto before = shipped();
  fs::permissions(user() / "worker.py", fs::perms::owner_exec, fs::perm_options::add);
  EXPECT_NE(shipped().id, before.id);
}

TEST_F(Bundles, AnotherLinkToAFileAndPythonsCacheChangeNothing) {
  const auto before = shipped();
  fs::create_hard_link(user() / "data", folder_.path / "another link");
  fs::create_directories(user() / "__pycache__");
  write_file_atomically(user() / "__pycache__/worker.pyc", "compiled\n");
  EXPECT_EQ(shipped().folder, before.folder);
}

TEST_F(Bundles, WhatAKilledProcessLeftIsMadeAnew) {
  const auto whole = shipped();
  write_file_atomically(whole.folder / "MANIFEST", "");
  EXPECT_EQ(shipped().id, whole.id);
  fs::remove(whole.folder / "user's files/data");
  EXPECT_EQ(shipped().id, whole.id);
  EXPECT_TRUE(fs::exists(whole.folder / "user's files/data"));

  fs::create_directories(cache() / "new-killed");
  fs::last_write_time(cache() / "new-killed", fs::file_time_type::clock::now() - std::chrono::hours(2));
  write_file_atomically(user() / "data", "other data\n");
  shipped();
  const auto names = in_cache();
  EXPECT_EQ(std::ranges::count(names, "new-killed"), 0);
}

TEST_F(Bundles, WhatCannotBeShippedIsNamed) {
  EXPECT_THAT(why_not((user() / "absent").string()), HasSubstr("there is no such file"));
  fs::create_directories(user() / "empty/inside");
  EXPECT_THAT(why_not((user() / "empty").string()), HasSubstr("there is no file in it"));
  fs::create_symlink("nowhere", user() / "empty/link");
  EXPECT_THAT(why_not((user() / "empty").string()), HasSubstr("link: No such file"));
  write_file_atomically(user() / "MANIFEST", "mine\n");
  EXPECT_THAT(why_not((user() / "MANIFEST").string()), HasSubstr("the name MANIFEST is taken"));
  EXPECT_EQ(read_file(user() / "MANIFEST"), "mine\n");
}

TEST_F(Bundles, AFolderWithALinkToItselfEnds) {
  fs::create_directory_symlink(".", user() / "again");
  EXPECT_NE(why_not(user().string()), "");
}

TEST_F(Bundles, RunsOnSharedFoldersHaveTheirOwnFilesOnce) {
  const auto links = shipped();
  const auto first = bundle_of_files(links, run("a"), {});
  EXPECT_EQ(first.folder, run("a") / links.id);
  EXPECT_EQ(read_file(first.folder / "user's files/data"), "some data\n");
  EXPECT_FALSE(fs::is_symlink(first.folder / "user's files/data"));
  EXPECT_FALSE(fs::equivalent(first.folder / "user's files/data", user() / "data"));

  const auto second = bundle_of_files(links, run("b"), {run("absent") / links.id, first.folder});
  EXPECT_TRUE(fs::equivalent(second.folder / "user's files/data", first.folder / "user's files/data"));
}

TEST_F(Bundles, ADamagedFolderIsNeitherKeptNorLinkedTo) {
  const auto links = shipped();
  const auto first = bundle_of_files(links, run("a"), {});
  write_file_atomically(first.folder / "user's files/data", "damaged\n");
  const auto second = bundle_of_files(links, run("b"), {first.folder});
  EXPECT_EQ(read_file(second.folder / "user's files/data"), "some data\n");
  bundle_of_files(links, run("a"), {});
  EXPECT_EQ(read_file(first.folder / "user's files/data"), "some data\n");

  fs::create_directories(run("c") / "new/bin");  // as a kill leaves it
  EXPECT_EQ(read_file(bundle_of_files(links, run("c"), {}).folder / "user's files/worker.py"), "print(1)\n");
  EXPECT_FALSE(fs::exists(run("c") / "new"));
}

}  // namespace
}  // namespace gemmtune
