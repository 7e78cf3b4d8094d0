// A small number for each thread, by which threads spread over copies of something that they would otherwise wait for.
#pragma once

#include <cstddef>

namespace gemmtune {

/// 0, 1, 2, … in the order in which threads first ask. The numbers of threads that have ended are not given again.
std::size_t this_thread_number() noexcept;

}  // namespace gemmtune
