// Where the operands of a problem are made and its outputs judged: on the device itself, or on the host with copies to
// and fro. The numbers and the verdicts are the same.
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
#include "gemmtune/verify/verifier.h"

namespace gemmtune {

/// The inputs of a problem on a device; no buffers for absent ones.
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

  /// Of an output in device memory, once all launches that write it are done. See compare() in verify/verifier.h.
  virtual Verdict judge(const std::byte* c) = 0;
};

class Examiner {
 public:
  virtual ~Examiner() = default;

  /// Writes what draw_operands() draws.
  virtual void draw(const Problem& problem, Recipe recipe, std::uint64_t seed, const Inputs& to) = 0;

  /// From the inputs as they stand on the device. May check more rows than the policy affords where they cost less.
  virtual std::unique_ptr<Expectation> expect(const Problem& problem, const Inputs& inputs, const VerifyPolicy& policy,
                                              std::uint64_t seed) = 0;

  /// Changes with the buffer's bytes. To be compared with fingerprints of the same examiner only.
  virtual std::uint64_t fingerprint(const Buffer& buffer) = 0;

  /// GuardedBuffer::why_broken tells what is not.
  virtual bool guards_intact(std::span<const GuardedBuffer* const> buffers) = 0;
};

/// On the device where it is a GPU that kernels can be compiled for, else on the host. The device must outlive it.
std::unique_ptr<Examiner> make_examiner(Device& device);

std::unique_ptr<Examiner> make_host_examiner(Device& device);

}  // namespace gemmtune
