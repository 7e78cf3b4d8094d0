// Lookups allocate nothing: proved by counting.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "gemmtune/dispatch/dispatcher.h"
#include "tests/dispatch/rows.h"

namespace {

std::atomic<long> allocation_count{0};

void* counted(std::size_t size) {
  ++allocation_count;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
// The standard library takes temporary buffers with these and frees them with the others.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocation_count;
  return std::malloc(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  ++allocation_count;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace gemmtune {
namespace {

TEST(Allocation, TheCounterCounts) {
  const auto before = allocation_count.load();
  const std::vector<int> some(100);
  EXPECT_GT(allocation_count, before);
}

TEST(Allocation, NoLevelOfALookupAllocates) {
  const auto index =
      index_of({row_of(a4w4(5, 512, 512), 1), row_of(a4w4(16, 512, 512), 2), row_of(a4w4(64, 512, 512), 3)});
  const auto other = parse_problem("1x8x8:a16w16");
  const auto before = allocation_count.load();
  std::int64_t kinds = 0;
  for (const std::int64_t m : {5, 6, 40, 100, 1000, 0})
    kinds |= std::int64_t{1} << static_cast<int>(index.lookup(a4w4(m, 512, 512), mi355).match);
  kinds |= std::int64_t{1} << static_cast<int>(index.lookup(other, mi355).match);
  const auto after = allocation_count.load();
  EXPECT_EQ(kinds, 31);  // all five
  EXPECT_EQ(after, before);
}

TEST(Allocation, NorDoesADispatcher) {
  const Dispatcher dispatcher({.gfx = "gfx950", .cu_num = 256});
  const auto problem = a4w4(8, 64, 64);
  const auto before = allocation_count.load();
  for (int i = 0; i < 100; ++i) (void)dispatcher.lookup(problem);
  EXPECT_EQ(allocation_count, before);
}

}  // namespace
}  // namespace gemmtune
