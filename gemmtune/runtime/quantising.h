// Quantises activations and weights where a program has them: on the device of its runtime, in one call.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/runtime/serving_device.h"

namespace gemmtune {

class GroupQuantiser;

/// `rows` × `k` row-major elements of type `from`, and what they become.
struct Quantisation {
  DType from{DType::bf16};
  Side to{};
  std::int64_t rows{};
  std::int64_t k{};
  std::int64_t leading_dimension{};  // elements from one row of the input to the next; 0: k

  auto operator<=>(const Quantisation&) const = default;
};

struct QuantisationMemory {
  const std::byte* from{};
  std::byte* values{};  // [rows, k] without gaps
  std::byte* scales{};
};

/// Why this cannot be quantised, or "".
std::string why_not_quantised(const Quantisation& wanted);

/// Bytes of the values and of the scales.
struct QuantisedBytes {
  std::int64_t values{};
  std::int64_t scales{};

  bool operator==(const QuantisedBytes&) const = default;
};
QuantisedBytes quantised_bytes(const Quantisation& wanted);

class Quantising {
 public:
  explicit Quantising(std::shared_ptr<const ServingDevice> device);
  ~Quantising();
  Quantising(const Quantising&) = delete;
  Quantising& operator=(const Quantising&) = delete;

  /// Enqueues the work on the program's stream; on a CPU it is done when this returns. The first call for each pair of
  /// types and scaling compiles a kernel on a GPU. The bits are those of gemm/quantise.h. Throws Error{unsupported}
  /// with the text of why_not_quantised(), and Error{usage} for addresses that are null or not aligned to their
  /// elements.
  void run(const Quantisation& wanted, const QuantisationMemory& memory, void* native_stream);

 private:
  using Quantisers = std::map<std::tuple<DType, Side>, std::shared_ptr<const GroupQuantiser>>;

  void run_on_gpu(const Quantisation& wanted, const QuantisationMemory& memory, void* native_stream);
  std::shared_ptr<const GroupQuantiser> quantiser_for(const Quantisation& wanted);

  std::shared_ptr<const ServingDevice> device_;
  std::mutex mutex_;
  std::unique_ptr<Quantisers> quantisers_{std::make_unique<Quantisers>()};
};

}  // namespace gemmtune
