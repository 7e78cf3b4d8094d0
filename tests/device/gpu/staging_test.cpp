#include "gemmtune/device/gpu/staging.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "tests/device/gpu/random_bytes.h"

namespace gemmtune {
namespace {

constexpr std::size_t block_bytes = 64;

/// A link that copies nothing until someone waits for a block. Then it runs, in order, all copies begun so far up to
/// that block's last. A block that is written or read too early, or never waited for, has the wrong bytes.
class LateLink final : public PinnedLink {
 public:
  explicit LateLink(std::size_t blocks_to_be_had = 2) : blocks_to_be_had_(blocks_to_be_had) {}

  std::byte* allocate_pinned(std::size_t bytes) override {
    ++asked_for;
    if (held.size() >= blocks_to_be_had_) return nullptr;
    return held.emplace_back(std::make_unique<std::byte[]>(bytes)).get();
  }
  void release_pinned(std::byte* memory) noexcept override {
    std::erase_if(held, [&](const auto& block) { return block.get() == memory; });
  }
  void begin_upload(std::size_t block, std::span<const std::byte> from, std::byte* to) override {
    begin(block, [=] { std::ranges::copy(from, to); });
  }
  void begin_download(std::size_t block, const std::byte* from, std::span<std::byte> to) override {
    begin(block, [=] { std::copy_n(from, to.size(), to.data()); });
  }
  void wait(std::size_t block) override {
    while (std::ranges::any_of(queue_, [&](const auto& copy) { return copy.block == block; })) {
      queue_.front().run();
      queue_.pop_front();
    }
  }

  std::size_t under_way() const { return queue_.size(); }

  std::size_t asked_for{};
  std::size_t most_under_way{};
  std::vector<std::unique_ptr<std::byte[]>> held;

 private:
  struct Copy {
    std::size_t block{};
    std::function<void()> run{};
  };

  void begin(std::size_t block, std::function<void()> run) {
    queue_.push_back({block, std::move(run)});
    most_under_way = std::max(most_under_way, queue_.size());
  }

  std::size_t blocks_to_be_had_;
  std::deque<Copy> queue_;
};

std::vector<std::size_t> awkward_sizes() {
  std::vector<std::size_t> sizes{0, 1, 1000 * block_bytes, 1000 * block_bytes + 17};
  for (const std::size_t blocks : {1, 2, 3, 4, 5})
    for (const std::size_t size : {blocks * block_bytes - 1, blocks * block_bytes, blocks * block_bytes + 1})
      sizes.push_back(size);
  return sizes;
}

TEST(Staging, UploadsEveryByteAndNoOther) {
  LateLink link;
  Staging staging(link, {.block_bytes = block_bytes, .least_bytes = 0});
  for (const auto size : awkward_sizes()) {
    const auto sent = random_bytes(size);
    std::vector<std::byte> there(size + 1, std::byte{0xee});
    ASSERT_TRUE(staging.takes(size));
    staging.upload(sent, there.data());
    EXPECT_EQ(link.under_way(), 0U) << size;
    EXPECT_TRUE(std::equal(sent.begin(), sent.end(), there.begin())) << size;
    EXPECT_EQ(there.back(), std::byte{0xee}) << size;
  }
}

TEST(Staging, DownloadsEveryByteAndNoOther) {
  LateLink link;
  Staging staging(link, {.block_bytes = block_bytes, .least_bytes = 0});
  for (const auto size : awkward_sizes()) {
    const auto there = random_bytes(size);
    std::vector<std::byte> got(size + 1, std::byte{0xee});
    ASSERT_TRUE(staging.takes(size));
    staging.download(there.data(), std::span(got).first(size));
    EXPECT_EQ(link.under_way(), 0U) << size;
    EXPECT_TRUE(std::equal(there.begin(), there.end(), got.begin())) << size;
    EXPECT_EQ(got.back(), std::byte{0xee}) << size;
  }
}

/// Blocks so large that several threads fill them.
TEST(Staging, LargeBlocksArriveWhole) {
  LateLink link;
  const StagingSizes sizes;
  Staging staging(link, sizes);
  const auto sent = random_bytes(3 * sizes.block_bytes + 12345);
  std::vector<std::byte> there(sent.size());
  ASSERT_TRUE(staging.takes(sent.size()));
  staging.upload(sent, there.data());
  EXPECT_TRUE(there == sent);
  std::vector<std::byte> back(sent.size());
  staging.download(there.data(), back);
  EXPECT_TRUE(back == sent);
}

/// The purpose of staging: the host copies one block while the other is on its way.
TEST(Staging, BothBlocksAreUnderWayAtOnce) {
  LateLink link;
  Staging staging(link, {.block_bytes = block_bytes, .least_bytes = 0});
  auto bytes = random_bytes(4 * block_bytes);
  std::vector<std::byte> there(bytes.size());
  ASSERT_TRUE(staging.takes(bytes.size()));
  staging.upload(bytes, there.data());
  EXPECT_EQ(link.most_under_way, 2U);
  link.most_under_way = 0;
  staging.download(there.data(), bytes);
  EXPECT_EQ(link.most_under_way, 2U);
}

TEST(Staging, LeavesShortCopiesAloneAndAsksForNothing) {
  LateLink link;
  Staging staging(link, {.block_bytes = block_bytes, .least_bytes = 100});
  EXPECT_FALSE(staging.takes(0));
  EXPECT_FALSE(staging.takes(99));
  EXPECT_EQ(link.asked_for, 0U);
  EXPECT_TRUE(staging.takes(100));
  EXPECT_TRUE(staging.takes(1000));
  EXPECT_EQ(link.asked_for, 2U);
}

TEST(Staging, TakesNothingWherePinnedMemoryIsRefused) {
  for (const std::size_t blocks : {0, 1}) {
    LateLink link(blocks);
    Staging staging(link, {.block_bytes = block_bytes, .least_bytes = 0});
    EXPECT_FALSE(staging.takes(1000));
    EXPECT_TRUE(link.held.empty()) << "kept one block of two";
    const auto asked_for = link.asked_for;
    EXPECT_FALSE(staging.takes(1000));
    EXPECT_EQ(link.asked_for, asked_for) << "asks again and again";
  }
}

TEST(Staging, GivesTheBlocksBack) {
  LateLink link;
  {
    Staging staging(link, {.block_bytes = block_bytes, .least_bytes = 0});
    ASSERT_TRUE(staging.takes(1));
    EXPECT_EQ(link.held.size(), 2U);
  }
  EXPECT_TRUE(link.held.empty());
}

}  // namespace
}  // namespace gemmtune
