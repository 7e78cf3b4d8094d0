#include "gemmtune/worker/named_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class NamedWorkerTest : public testing::Test {
 protected:
  NamedWorkerTest() : path_(std::filesystem::path(testing::TempDir()) / "workers.toml") {}
  ~NamedWorkerTest() override { std::filesystem::remove(path_); }

  std::vector<NamedWorker> read(const std::string& text) {
    write_file_atomically(path_, text);
    return read_worker_file(path_);
  }

  std::string complaint(const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::input);
      return error.what();
    }
    return "no complaint";
  }

  std::filesystem::path path_;
};

TEST_F(NamedWorkerTest, IsReadFromAFile) {
  const auto workers = read(R"(
    [triton]
    command = ["python3", "-m", "w", "--device", "{device}"]
    families = ["triton", "gluon"]
    environment = { PYTHONPATH = "{folder}/python" }

    [mine]
    command = "./mine 'of me' {device}"
    families = ["mine"]
    trusted = true
  )");
  ASSERT_EQ(workers.size(), 2U);
  EXPECT_EQ(workers[0].name, "mine");
  EXPECT_THAT(workers[0].command, ElementsAre("./mine", "of me", "{device}"));
  EXPECT_TRUE(workers[0].trusted);
  EXPECT_THAT(workers[1].families, ElementsAre("triton", "gluon"));
  EXPECT_FALSE(workers[1].trusted);
  EXPECT_EQ(workers[1].environment.at("PYTHONPATH"), path_.parent_path().string() + "/python");
}

TEST_F(NamedWorkerTest, ComplaintsNameThePlace) {
  EXPECT_THAT(complaint("[a\n"), HasSubstr("workers.toml:1:"));
  EXPECT_THAT(complaint("a = 1\n"), HasSubstr("expected a table, as [a]"));
  EXPECT_THAT(complaint("[a]\nfamilies = [\"a\"]\n"), HasSubstr("[a] has no command"));
  EXPECT_THAT(complaint("[a]\ncommand = \"a\"\n"), HasSubstr("[a] names no families"));
  EXPECT_THAT(complaint("[a]\ncommand = [1]\nfamilies = [\"a\"]\n"), HasSubstr(":2:12: command: expected a text"));
  EXPECT_THAT(complaint("[a]\ncommand = 1\nfamilies = [\"a\"]\n"), HasSubstr("command: expected a list of texts"));
  EXPECT_THAT(complaint("[a]\nfamily = \"a\"\n"), HasSubstr(":2:"));
  EXPECT_THAT(complaint("[a]\ntrusted = \"yes\"\n"), HasSubstr("trusted: expected true or false"));
}

TEST_F(NamedWorkerTest, IsStartedForADevice) {
  ::setenv("GEMMTUNE_TEST_PATH", "/before", 1);
  const NamedWorker worker{.name = "w",
                           .command = {"w", "--on={device}"},
                           .environment = {{"GEMMTUNE_TEST_PATH", "/first"}, {"OTHER", "x"}}};
  const auto options = start_options(worker, "cuda:1");
  ::unsetenv("GEMMTUNE_TEST_PATH");
  EXPECT_EQ(options.name, "w");
  EXPECT_THAT(options.command, ElementsAre("w", "--on=cuda:1"));
  EXPECT_EQ(options.environment.at("GEMMTUNE_TEST_PATH"), "/first:/before");
  EXPECT_EQ(options.environment.at("OTHER"), "x");
}

TEST_F(NamedWorkerTest, TheFileThatIsShippedIsRead) {
  const auto workers = read_worker_file(TEST_WORKERS_TOML);
  std::vector<std::string> names;
  for (const auto& worker : workers) names.push_back(worker.name);
  EXPECT_THAT(names, testing::IsSupersetOf({"deepgemm", "gluon", "humming", "quack", "torch", "triton"}));
}

}  // namespace
}  // namespace gemmtune
