// How a model is spread over devices, and what one device's part of a dimension is.
#pragma once

#include <cstdint>
#include <string_view>

namespace gemmtune {

struct Parallelism {
  std::int64_t tensor{1};
  std::int64_t expert{1};  // ranks over which the experts are spread; each expert is cut tensor / expert ways
};

struct Dimension {
  std::string_view name{};  // as the model's file calls it, for messages
  std::int64_t size{};
};

/// One of `ways` equal parts. Throws Error{usage}, which names the flag and the dimension, if it cannot be divided.
std::int64_t cut(Dimension dimension, std::int64_t ways, std::string_view flag);

/// The number of KV heads on one of `ways` ranks. If there are more ranks than KV heads, each rank has a copy of one
/// head. Throws Error{usage} if neither number divides the other.
std::int64_t cut_kv_heads(Dimension kv_heads, std::int64_t ways);

/// Into how many parts each expert is cut: 1 if there are at least as many ranks of experts as of tensors. Throws
/// Error{usage} if neither number divides the other.
std::int64_t ways_of_each_expert(Parallelism parallelism);

}  // namespace gemmtune
