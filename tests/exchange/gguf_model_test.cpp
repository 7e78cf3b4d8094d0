#include "gemmtune/exchange/gguf_model.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "tests/support/gguf_writer.h"

namespace gemmtune {
namespace {

using testing::GgufWriter;
namespace fs = std::filesystem;

class GgufModelFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& bytes) const {
    write_file_atomically(folder_ / name, bytes);
    return folder_ / name;
  }

  /// Two files with a tensor each.
  void write_split() const {
    write("m-00001-of-00002.gguf", GgufWriter()
                                       .word("general.architecture", "llama")
                                       .u32("split.count", 2)
                                       .u32("split.no", 0)
                                       .u32("split.tensors.count", 2)
                                       .tensor("a", 0, {4})
                                       .bytes());
    write("m-00002-of-00002.gguf", GgufWriter().u32("split.count", 2).u32("split.no", 1).tensor("b", 0, {4}).bytes());
  }

  std::string complaint(const fs::path& path) const {
    try {
      (void)read_gguf_model(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::input);
      return error.what();
    }
    return "none";
  }

  fs::path folder_;
};

TEST_F(GgufModelFiles, APartStandsForAllParts) {
  write_split();
  for (const auto* name : {"m-00001-of-00002.gguf", "m-00002-of-00002.gguf", ""}) {
    const auto model = read_gguf_model(folder_ / name);
    ASSERT_EQ(model.files.size(), 2) << name;
    EXPECT_EQ(model.architecture(), "llama");
    EXPECT_EQ(model.key("block_count"), "llama.block_count");
    EXPECT_EQ(model.files[1].tensors.at(0).name, "b");
    EXPECT_EQ(model.paths[1], folder_ / "m-00002-of-00002.gguf");
  }
}

TEST_F(GgufModelFiles, PartsThatDoNotBelongTogetherAreRefused) {
  write_split();
  const auto second = GgufWriter().u32("split.no", 1).tensor("a", 0, {4});
  write("m-00002-of-00002.gguf", second.bytes());
  EXPECT_NE(complaint(folder_).find("another file of the model has a tensor a, too"), std::string::npos);
  write("m-00002-of-00002.gguf", GgufWriter().u32("split.no", 0).tensor("b", 0, {4}).bytes());
  EXPECT_NE(complaint(folder_).find("split.no: found 0, expected 1"), std::string::npos);
  write("m-00002-of-00002.gguf", GgufWriter().bytes());
  EXPECT_NE(complaint(folder_).find("split.tensors.count: found 2, but its files have 1"), std::string::npos);
  fs::remove(folder_ / "m-00002-of-00002.gguf");
  EXPECT_NE(complaint(folder_).find("m-00002-of-00002.gguf: "), std::string::npos);
  const auto renamed = write("n.gguf", read_file(folder_ / "m-00001-of-00002.gguf"));
  EXPECT_NE(complaint(renamed).find("split.count: found 2, expected 1, as its name says"), std::string::npos);
}

TEST_F(GgufModelFiles, AFolderHasOneModel) {
  EXPECT_FALSE(is_gguf_model(folder_));
  EXPECT_NE(complaint(folder_).find("found no model"), std::string::npos);
  write("mmproj-F16.gguf", GgufWriter().bytes());
  write("a.gguf", GgufWriter().word("general.architecture", "a").bytes());
  EXPECT_TRUE(is_gguf_model(folder_));
  EXPECT_EQ(read_gguf_model(folder_).architecture(), "a");
  write("b.gguf", GgufWriter().bytes());
  EXPECT_NE(complaint(folder_).find("found 2 models, expected one: name one of them, such as "), std::string::npos);
  write("config.json", "{}");
  EXPECT_FALSE(is_gguf_model(folder_));
}

TEST_F(GgufModelFiles, AFileIsKnownByItsNameOrItsStart) {
  EXPECT_TRUE(is_gguf_model(write("blob", GgufWriter().bytes())));
  EXPECT_TRUE(is_gguf_model(write("bad.gguf", "x")));
  EXPECT_FALSE(is_gguf_model(write("config.json", "{}")));
  EXPECT_FALSE(is_gguf_model(folder_ / "absent"));
  EXPECT_NE(complaint(folder_ / "absent.gguf").find("absent.gguf: "), std::string::npos);
}

}  // namespace
}  // namespace gemmtune
