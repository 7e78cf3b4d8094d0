#include "gemmtune/dispatch/dispatcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "tests/dispatch/rows.h"

namespace gemmtune {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view header = "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";

std::string table_with(const std::string& kernel) {
  return std::string(header) + "gfx950,256,8,64,64,1,0,2," + kernel + ",,,\n";
}

class DispatcherTest : public testing::Test {
 protected:
  DispatcherTest() { std::filesystem::create_directories(folder); }
  ~DispatcherTest() override { std::filesystem::remove_all(folder); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    write_file_atomically(folder / name, text);
    return folder / name;
  }

  DispatcherOptions options(std::vector<std::filesystem::path> paths) {
    DispatcherOptions result{.gfx = "gfx950", .cu_num = 256};
    for (const auto& path : paths) result.tables.push_back({path, {.format = Format::a4w4, .packed = true}});
    result.say = [this](const std::string& line) { said.push_back(line); };
    return result;
  }

  static std::string kernel(const Dispatcher& dispatcher) {
    return std::string(dispatcher.lookup(a4w4(8, 64, 64)).choice->kernel_name);
  }

  std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
  std::vector<std::string> said;
};

TEST_F(DispatcherTest, ServesItsDevice) {
  const Dispatcher dispatcher(options({write("a.csv", table_with("k1"))}));
  EXPECT_EQ(dispatcher.lookup(a4w4(8, 64, 64)).match, MatchKind::exact);
  EXPECT_EQ(dispatcher.lookup(a4w4(8, 64, 128)).match, MatchKind::fallback);
  EXPECT_TRUE(said.empty());
}

TEST_F(DispatcherTest, AChangedFileIsPickedUp) {
  const auto path = write("a.csv", table_with("k1"));
  Dispatcher dispatcher(options({path}));
  EXPECT_EQ(dispatcher.poll(), Reload::unchanged);
  write("a.csv", table_with("k2"));
  EXPECT_EQ(kernel(dispatcher), "k1");
  EXPECT_EQ(dispatcher.poll(), Reload::reloaded);
  EXPECT_EQ(kernel(dispatcher), "k2");
  EXPECT_EQ(dispatcher.poll(), Reload::unchanged);
}

TEST_F(DispatcherTest, ABrokenFileLeavesTheOldTableAndIsComplainedOfOnce) {
  const auto path = write("a.csv", table_with("k1"));
  Dispatcher dispatcher(options({path}));
  write("a.csv", "this is,no table\n");
  EXPECT_EQ(dispatcher.poll(), Reload::failed);
  EXPECT_EQ(dispatcher.poll(), Reload::unchanged);
  EXPECT_EQ(kernel(dispatcher), "k1");
  EXPECT_THAT(said, ElementsAre(HasSubstr("so lookups still use the old ones: " + path.string() + ":1:1")));
  write("a.csv", table_with("k3"));
  EXPECT_EQ(dispatcher.poll(), Reload::reloaded);
  EXPECT_EQ(kernel(dispatcher), "k3");
}

TEST_F(DispatcherTest, FilesThatGoAndCome) {
  const auto first = write("a.csv", table_with("k1"));
  Dispatcher dispatcher(options({first, folder / "later.csv"}));
  EXPECT_THAT(said, ElementsAre(HasSubstr("later.csv does not exist and is left out")));
  write("later.csv", std::string(header) + "gfx950,256,8,64,64,1,0,1,faster,,,\n");
  EXPECT_EQ(dispatcher.poll(), Reload::reloaded);
  EXPECT_EQ(kernel(dispatcher), "faster");
  std::filesystem::remove(folder / "later.csv");
  EXPECT_EQ(dispatcher.poll(), Reload::reloaded);
  EXPECT_EQ(kernel(dispatcher), "k1");
  std::filesystem::remove(first);
  EXPECT_EQ(dispatcher.poll(), Reload::failed);
  EXPECT_EQ(kernel(dispatcher), "k1");
}

TEST_F(DispatcherTest, WithoutAnyFileItDoesNotStart) {
  EXPECT_THROW(Dispatcher(options({folder / "none.csv"})), Error);
  const Dispatcher without_tables(options({}));
  EXPECT_EQ(without_tables.lookup(a4w4(8, 64, 64)).match, MatchKind::fallback);
}

TEST_F(DispatcherTest, LogsEachProblemOnce) {
  auto with_log = options({write("a.csv", table_with("k1"))});
  with_log.log_lookups = true;
  const Dispatcher dispatcher(std::move(with_log));
  for (int i = 0; i < 5; ++i) {
    (void)dispatcher.lookup(a4w4(8, 64, 64));
    (void)dispatcher.lookup(a4w4(9, 64, 64));
  }
  EXPECT_THAT(said,
              ElementsAre(HasSubstr("8x64x64:e2m1/1x32:e2m1/1x32:bf16:packed: exact: k1, 2 us (tuned for M = 8, "),
                          HasSubstr("9x64x64:e2m1/1x32:e2m1/1x32:bf16:packed: nearest: k1")));
}

TEST_F(DispatcherTest, TellsTheCapture) {
  auto captured = options({write("a.csv", table_with("k1"))});
  captured.capture = std::make_shared<Capture>(CaptureOptions{.path = folder / "capture.csv"});
  const auto capture = captured.capture;
  const Dispatcher dispatcher(std::move(captured));
  for (int i = 0; i < 3; ++i) (void)dispatcher.lookup(a4w4(8, 64, 64));
  ASSERT_TRUE(capture->flush());
  EXPECT_THAT(read_file(folder / "capture.csv"), HasSubstr("exact"));
}

TEST_F(DispatcherTest, AThreadOfItsOwnLooksForChanges) {
  auto watching = options({write("a.csv", table_with("k1"))});
  watching.reload_interval = std::chrono::milliseconds(2);
  watching.say = [](const std::string&) {};
  const Dispatcher dispatcher(std::move(watching));
  write("a.csv", table_with("k2"));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (kernel(dispatcher) != "k2" && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(kernel(dispatcher), "k2");
}

/// To be run under the thread sanitizer, too. An answer from before a reload must still be readable after it.
TEST_F(DispatcherTest, ThreadsLookUpWhileTablesChange) {
  const auto path = write("a.csv", table_with("kernel_0"));
  auto quiet = options({path});
  quiet.say = [](const std::string&) {};
  Dispatcher dispatcher(std::move(quiet));
  std::atomic<bool> is_over{false};
  std::atomic<std::int64_t> lookups{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (!is_over) {
        const auto answer = dispatcher.lookup(a4w4(8, 64, 64));
        std::this_thread::yield();
        wrong += answer.match != MatchKind::exact || !answer.choice->kernel_name.starts_with("kernel_");
        ++lookups;
      }
    });
  for (int i = 1; i <= 30; ++i) {
    write("a.csv", table_with("kernel_" + std::to_string(i)));
    EXPECT_EQ(dispatcher.poll(), Reload::reloaded);
  }
  while (lookups < 1000) std::this_thread::yield();
  is_over = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(kernel(dispatcher), "kernel_30");
}

TEST_F(DispatcherTest, OneThreadServesFromMany) {
  std::vector<std::unique_ptr<Dispatcher>> dispatchers;
  for (int i = 0; i < 40; ++i)
    dispatchers.push_back(std::make_unique<Dispatcher>(
        options({write("t" + std::to_string(i) + ".csv", table_with("kernel_" + std::to_string(i)))})));
  for (int round = 0; round < 3; ++round)
    for (std::size_t i = 0; i < dispatchers.size(); ++i)
      EXPECT_EQ(kernel(*dispatchers[i]), "kernel_" + std::to_string(i));
}

}  // namespace
}  // namespace gemmtune
