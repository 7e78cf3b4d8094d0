// A kernel family: a folder under gemmtune/families that answers four questions: what it supports, which candidates it
// has, how a candidate is prepared, and how a prepared candidate is launched. docs/adding-a-family.md walks through
// one. Most families derive from SpaceFamily (families/space_family.h: one space of candidates) or from PathFamily
// (families/path_family.h: several).
//
// A family knows nothing about timing, about verification or about where buffers come from.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/features.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/candidate.h"
#include "gemmtune/space/library_kernel.h"

namespace gemmtune {

/// Whether a family supports a problem. If not, the reason: "K % 64 != 0", "no AVX-512".
struct Support {
  std::string why_not{};

  explicit operator bool() const { return why_not.empty(); }
};

/// What launches require of addresses, in bytes. Workspace and packed weights are always aligned to 256 bytes.
struct AddressAlignment {
  std::size_t tensors{16};  // A, unpacked weights, C, bias and residual
  std::size_t scales{16};

  auto operator<=>(const AddressAlignment&) const = default;
};

/// One candidate, prepared for one problem: compiled, checked, with known sizes. The caller owns all memory.
class PreparedGemm {
 public:
  virtual ~PreparedGemm() = default;

  /// Bytes of Operands::packed_w; 0 if weights are used as they are. It is above 0 only for problems with packed
  /// weights.
  virtual std::size_t packed_weight_bytes() const { return 0; }

  /// Bytes of Operands::workspace, which a launch may overwrite.
  virtual std::size_t workspace_bytes() const { return 0; }

  /// The alignment for which the kernel was checked. Asked on GPUs only: on a CPU, elements are aligned to their size.
  virtual AddressAlignment alignment() const { return {}; }

  /// Describes the arrangement of packed weights. Products whose texts are equal read each other's packed weights, if
  /// N, K, batch and the type of the weights are equal too. "" if no other candidate reads this one's.
  virtual std::string packed_layout() const { return {}; }

  /// Called once for each weight matrix, and only if packed_weight_bytes() is above 0. Reads w and w_scale and writes
  /// that many bytes to `packed`. Throws Error{unsupported} if the candidate cannot multiply these weights exactly.
  virtual void pack_weights(const Operands& operands, std::byte* packed, Stream& stream);

  /// Does everything that a call costs: activations are quantised or converted here, and split-K is reduced here. Does
  /// not allocate and does not throw; failures go to stream.report_failure(). Packed weights are in packed_w; then w
  /// may be null, but w_scale may not. Any number of threads may launch at once, each with a C and a workspace of its
  /// own (families/launch_slots.h).
  virtual void launch(const Operands& operands, Stream& stream) noexcept = 0;
};

/// How good a family's default candidate is for a problem that was never tuned, compared with those of others.
enum class DefaultRank : std::uint8_t { best, usual, last_resort };

class KernelFamily {
 public:
  virtual ~KernelFamily() = default;

  /// The CSV's libtype: "onednn".
  virtual std::string_view name() const = 0;

  /// Version of the library or of the kernels, and of the ISA or compiler if that matters.
  virtual std::string version() const = 0;

  /// What trials record: version(), and for kernels of our own the hash of the sources that they were built from, so
  /// that no trial of a kernel that was edited since counts. "2, build 3fa81c02".
  std::string version_of_build() const { return build_.empty() ? version() : version() + ", build " + build_; }

  /// Sets that hash. For the table of families that CMake writes.
  void built_from(std::string_view hash) { build_ = hash; }

  /// The kind of device that holds its operands. The family is not asked about other kinds.
  virtual DeviceKind runs_on() const { return DeviceKind::cpu; }

  /// The features that this family accepts. Problems with any other feature are refused before the family is asked, so
  /// that no family accepts a feature that was added after it.
  virtual FeatureSet features() const { return basic_features(); }

  /// Whether the family supports the problem, or the first reason against it: the kind of device, a feature that the
  /// family does not have, or the text of why_not().
  Support supports(const Problem& problem, const DeviceInfo& device) const;

  /// The candidates worth trying for a supported problem, the family's own default choice first.
  virtual std::vector<Candidate> candidates(const Problem& problem, const DeviceInfo& device) const = 0;

  /// The first of candidates(), for a caller that needs no others. Nothing if there are none.
  virtual std::optional<Candidate> default_candidate(const Problem& problem, const DeviceInfo& device) const;

  /// Of default_candidate(), for a supported problem.
  virtual DefaultRank default_rank(const Problem& /*problem*/) const { return DefaultRank::usual; }

  /// Prepares a candidate, using only its name. Throws Error{unsupported} with the reason if the device is of another
  /// kind, if the problem requires a feature that the family does not have, or if make() refuses.
  std::unique_ptr<PreparedGemm> prepare(const Problem& problem, const Candidate& candidate,
                                        const DeviceInfo& device) const;

  /// The sources that prepare() compiles at run time for this candidate, so that they can be compiled in advance
  /// without a device. The list need not be complete: prepare() compiles what is missing.
  virtual std::vector<KernelSource> kernels(const Problem& /*problem*/, const Candidate& /*candidate*/,
                                            const DeviceInfo& /*device*/) const {
    return {};
  }

  /// Why a table's kernel of this name must be tuned again, or "": it was chosen with another version of the library
  /// than the present one. Only names that contain their version can be judged.
  virtual std::string why_outdated(std::string_view /*kernel_name*/) const { return {}; }

  /// A kernel of this name in the numbers of the vendor's library, for programs that call the library themselves.
  /// Nothing if it is no kernel of a library, or one that only gemmtune can run.
  virtual std::optional<LibraryKernel> library_kernel(std::string_view /*kernel_name*/) const { return {}; }

  /// The name of such a kernel. "" if it is none of this family's.
  virtual std::string kernel_name(const LibraryKernel& /*kernel*/) const { return {}; }

 private:
  /// Why this problem cannot be multiplied on this device, or "". Kind of device and features have been checked.
  virtual std::string why_not(const Problem& problem, const DeviceInfo& device) const = 0;

  /// Throws Error{unsupported} with the reason if the name is not one of this family's, or does not fit problem and
  /// device. Kind of device and features have been checked, but why_not() has not been called.
  virtual std::unique_ptr<PreparedGemm> make(const Problem& problem, const Candidate& candidate,
                                             const DeviceInfo& device) const = 0;

  std::string build_{};
};

/// Why the family is not asked about a problem with these features on this device, or "". The text names the family and
/// the feature. Only this function reads what families declare.
std::string why_not_asked(const KernelFamily& family, FeatureSet wanted, const DeviceInfo& device);

/// The family whose candidate has this name: names start with the name of their family. Null if there is none.
const KernelFamily* find_family_of(std::span<const std::unique_ptr<KernelFamily>> families,
                                   std::string_view candidate_name);

}  // namespace gemmtune
