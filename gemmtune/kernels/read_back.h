// Copies results from the device to the host, for decisions that are made once. Not for launches that are timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gemmtune/device/device.h"

namespace gemmtune {

/// Copies in the stream's order and waits for the stream. Throws what the stream throws.
void read_back(const std::byte* from, std::span<std::byte> to, Stream& stream);

template <typename T>
std::vector<T> read_back(const std::byte* from, std::int64_t count, Stream& stream) {
  std::vector<T> values(static_cast<std::size_t>(count));
  read_back(from, std::as_writable_bytes(std::span(values)), stream);
  return values;
}

}  // namespace gemmtune
