#include "gemmtune/fleet/hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class HostsTest : public testing::Test {
 protected:
  std::vector<Host> read(const std::string& text) const {
    write_file_atomically(path, text);
    return read_hosts(path);
  }

  std::string complaint(const std::string& text) const {
    try {
      read(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::input);
      return error.what();
    }
    return "none";
  }

  ~HostsTest() override { std::filesystem::remove(path); }

  std::filesystem::path path = std::filesystem::path(testing::TempDir()) /
                               (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".toml");
};

TEST_F(HostsTest, TakesWhatStandsBeforeTheFirstTableForAll) {
  const auto hosts = read(R"(
arch = "gfx950"
container = "rocm/x:1"
environment = { A = "1" }
[zeta]
[alpha]
address = "me@10.0.0.1"
gpus = [0, 3]
container = ""
environment = { HIP_FORCE = "it's" }
)");
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[0].name, "zeta");  // in the file's order
  EXPECT_EQ(hosts[0].address, "zeta");
  EXPECT_EQ(hosts[0].container, "rocm/x:1");
  EXPECT_TRUE(hosts[0].devices.empty());
  EXPECT_EQ(hosts[0].environment.at("A"), "1");
  EXPECT_EQ(hosts[1].arch, "gfx950");
  EXPECT_EQ(hosts[1].container, "");
  EXPECT_THAT(hosts[1].devices, ElementsAre("0", "3"));
  EXPECT_EQ(hosts[1].environment.at("HIP_FORCE"), "it's");
}

TEST_F(HostsTest, TakesSshAsACommandOrAsWords) {
  const auto hosts =
      read("[a]\nssh = \"ssh -F 'my config'\"\n[b]\nssh = [\"ssh\", \"-p\", \"23\"]\n[c]\naddress = \"local\"\n");
  EXPECT_THAT(hosts[0].ssh, ElementsAre("ssh", "-F", "my config"));
  EXPECT_THAT(hosts[1].ssh, ElementsAre("ssh", "-p", "23"));
  EXPECT_TRUE(hosts[2].is_local());
}

TEST_F(HostsTest, HostsMayBeOneMachineWithAFolderForEach) {
  const auto hosts = read("address = \"local\"\n[a]\nfolder = \"x\"\n[b]\nfolder = \"y\"\n");
  EXPECT_TRUE(hosts[0].is_local() && hosts[1].is_local());
}

TEST_F(HostsTest, SaysWhereAFileIsWrong) {
  EXPECT_THAT(complaint("[a]\nfoldr = \"x\"\n"), HasSubstr(":2:9: foldr is unknown, expected address"));
  EXPECT_THAT(complaint("[a\n"), HasSubstr(":1:"));
  EXPECT_THAT(complaint("arch = \"sm90\"\n"), HasSubstr("no hosts"));
  EXPECT_THAT(complaint("[a]\ngpus = [\"x;y\"]\n"), HasSubstr("expected the number of a GPU"));
  EXPECT_THAT(complaint("[a]\ngpus = [1, 1]\n"), HasSubstr("1 stands twice"));
  EXPECT_THAT(complaint("[a]\ngpus = []\n"), HasSubstr("at least one device"));
  EXPECT_THAT(complaint("[a]\nenvironment = { \"A B\" = \"\" }\n"), HasSubstr("'A B' names no variable"));
  EXPECT_THAT(complaint("[a]\nfolder = \"x\\ny\"\n"), HasSubstr("a text of one line"));
}

TEST_F(HostsTest, RefusesWhatSshWouldTakeForAnOption) {
  EXPECT_THAT(complaint("[a]\naddress = \"-oProxyCommand=x\"\n"), HasSubstr("is no address"));
  EXPECT_THAT(complaint("[\"-x\"]\n"), HasSubstr("is no address"));
}

TEST_F(HostsTest, RefusesTwoHostsInOneFolder) {
  EXPECT_THAT(complaint("[a]\naddress = \"n\"\n[b]\naddress = \"n\"\n"), HasSubstr("[b] works at the same address"));
  EXPECT_EQ(read("[a]\naddress = \"n\"\n[b]\naddress = \"n\"\nfolder = \"other\"\n").size(), 2U);
}

}  // namespace
}  // namespace gemmtune
