// A loop over the machine's threads, for host work on whole tensors: drawing, quantising, references.
// Not for kernels: they are timed, and choose their threads themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

namespace gemmtune {

/// Calls body(begin, end) for consecutive pieces of [0, count), each of `grain` but the last, in any order and on any
/// thread. Where the pieces lie depends on `grain` alone. The first exception is thrown on once all threads have
/// stopped.
void parallel_pieces(std::int64_t count, std::int64_t grain,
                     const std::function<void(std::int64_t, std::int64_t)>& body);

/// make(item) for each of them, in their order: pieces of `grain` on any thread.
template <std::ranges::contiguous_range Items, typename Make>
auto parallel_map(const Items& items, std::int64_t grain, const Make& make) {
  const std::span all(items);
  using Made = std::decay_t<decltype(make(all.front()))>;
  static_assert(!std::is_same_v<Made, bool>, "a vector's bools share bytes between threads");
  std::vector<Made> made(all.size());
  parallel_pieces(std::ssize(all), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      made[static_cast<std::size_t>(i)] = make(all[static_cast<std::size_t>(i)]);
  });
  return made;
}

}  // namespace gemmtune
