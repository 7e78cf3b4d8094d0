#include "gemmtune/dispatch/index/published_index.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/dispatch/rows.h"

namespace gemmtune {
namespace {

std::shared_ptr<const TableIndex> index_with(std::int64_t keys) {
  std::vector<TunedRow> rows;
  for (std::int64_t m = 1; m <= keys; ++m) rows.push_back(row_of(a4w4(m, 64, 64), 1));
  return std::make_shared<const TableIndex>(index_of(rows));
}

TEST(PublishedIndex, TheNewestIsRead) {
  PublishedIndex published(index_with(1));
  EXPECT_EQ(published.of_this_thread().key_count(), 1);
  published.publish(index_with(2));
  EXPECT_EQ(published.of_this_thread().key_count(), 2);
  EXPECT_EQ(published.current()->key_count(), 2);
}

TEST(PublishedIndex, AnOldOneLivesUntilItsThreadAsksAgain) {
  auto first = index_with(1);
  const std::weak_ptr<const TableIndex> watched = first;
  PublishedIndex published(std::move(first));
  (void)published.of_this_thread();
  published.publish(index_with(2));
  EXPECT_FALSE(watched.expired());
  (void)published.of_this_thread();
  EXPECT_TRUE(watched.expired());
}

TEST(PublishedIndex, AThreadThatEndsHoldsNothing) {
  auto first = index_with(1);
  const std::weak_ptr<const TableIndex> watched = first;
  PublishedIndex published(std::move(first));
  std::thread([&] { (void)published.of_this_thread(); }).join();
  published.publish(index_with(2));
  EXPECT_TRUE(watched.expired());
}

TEST(PublishedIndex, SeveralAreHeldAtOnce) {
  PublishedIndex one(index_with(1)), two(index_with(2));
  const auto& held = one.of_this_thread();
  EXPECT_EQ(two.of_this_thread().key_count(), 2);
  one.publish(index_with(3));
  EXPECT_EQ(held.key_count(), 1);  // still alive: this thread lets go of it when it next asks `one`
  EXPECT_EQ(one.of_this_thread().key_count(), 3);
  EXPECT_EQ(two.of_this_thread().key_count(), 2);
}

/// More than a thread has places for without allocating.
TEST(PublishedIndex, NoneTakesTheIndexOfAnotherAway) {
  std::vector<std::unique_ptr<PublishedIndex>> all;
  std::vector<std::weak_ptr<const TableIndex>> first_indexes;
  for (int i = 0; i < 50; ++i) {
    all.push_back(std::make_unique<PublishedIndex>(index_with(1)));
    first_indexes.push_back(all.back()->current());
    (void)all.back()->of_this_thread();
  }
  for (auto& published : all) published->publish(index_with(2));
  for (const auto& index : first_indexes) EXPECT_FALSE(index.expired());  // this thread may still read its answers
  for (const auto& published : all) EXPECT_EQ(published->of_this_thread().key_count(), 2);
  for (const auto& index : first_indexes) EXPECT_TRUE(index.expired());
}

TEST(PublishedIndex, WhatADestroyedOneServedIsReleasedAtTheNextQuestion) {
  std::vector<std::unique_ptr<PublishedIndex>> all;
  std::vector<std::weak_ptr<const TableIndex>> indexes;
  for (int i = 0; i < 50; ++i) {
    all.push_back(std::make_unique<PublishedIndex>(index_with(1)));
    indexes.push_back(all.back()->current());
    (void)all.back()->of_this_thread();
  }
  all.clear();
  const PublishedIndex another(index_with(3));
  EXPECT_EQ(another.of_this_thread().key_count(), 3);
  for (const auto& index : indexes) EXPECT_TRUE(index.expired());
}

}  // namespace
}  // namespace gemmtune
