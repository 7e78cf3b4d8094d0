// Parallel loops for host work on whole tensors: drawing, quantising, references. Not for kernels, which are timed and
// choose their own threads.
#pragma once

#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

namespace gemmtune {

/// Calls body(begin, end) for consecutive pieces of [0, count), in any order and on any thread. Each piece but the last
/// has `grain` items; the boundaries depend on `grain` alone. The first exception is rethrown after all threads have
/// stopped.
void parallel_pieces(std::int64_t count, std::int64_t grain,
                     const std::function<void(std::int64_t, std::int64_t)>& body);

/// The results of make(item) for all items, in the order of the items. Pieces of `grain` items run on any thread.
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
