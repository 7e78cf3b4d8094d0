// Makes the operands of a problem and judges its outputs, either on the device itself or on the host with copies in
// both directions. Numbers and verdicts are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "gemmtune/device/device.h"
#include "gemmtune/gemm/draw.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/policy.h"
#include "gemmtune/verify/guard.h"
#include "gemmtune/verify/poison.h"
#include "gemmtune/verify/verifier.h"

namespace gemmtune {

/// The inputs of a problem on a device. Absent inputs have no buffer.
struct Inputs {
  Buffer a{};
  Buffer a_scale{};
  Buffer w{};
  Buffer w_scale{};
  Buffer bias{};
  Buffer residual{};
};

Inputs allocate_inputs(Device& device, const Problem& problem);

/// What the output of one problem, recipe and seed should be.
class Expectation {
 public:
  virtual ~Expectation() = default;

  /// Judges an output in device memory, once all launches that write it are done. `poison` is what was in it before.
  /// See compare() in verify/verifier.h.
  virtual Verdict judge(const std::byte* c, Poison poison) = 0;
  Verdict judge(const std::byte* c) { return judge(c, {}); }
};

class Examiner {
 public:
  virtual ~Examiner() = default;

  /// Writes what draw_operands() draws.
  virtual void draw(const Problem& problem, Recipe recipe, std::uint64_t seed, const Inputs& to) = 0;

  /// From the inputs as they are on the device. May check more rows than the policy affords where that costs less.
  virtual std::unique_ptr<Expectation> expect(const Problem& problem, const Inputs& inputs, const VerifyPolicy& policy,
                                              std::uint64_t seed) = 0;

  /// Changes the sign of all elements of a buffer, in place.
  virtual void negate(DType type, const Buffer& elements) = 0;

  /// Changes when any byte of the buffer changes. Only fingerprints of the same examiner can be compared.
  virtual std::uint64_t fingerprint(const Buffer& buffer) = 0;

  /// GuardedBuffer::why_broken says which guard is broken.
  virtual bool guards_intact(std::span<const GuardedBuffer* const> buffers) = 0;
};

/// On the device if it is a GPU for which kernels can be compiled, else on the host. The device must outlive the
/// examiner.
std::unique_ptr<Examiner> make_examiner(Device& device);

std::unique_ptr<Examiner> make_host_examiner(Device& device);

}  // namespace gemmtune
