// A kernel family: a folder under gemmtune/families that answers four questions: what it supports, which candidates it
// has, how one of them is prepared, and how a prepared one is launched. docs/adding-a-family.md walks through one. Most
// families have one space of candidates and derive from SpaceFamily (families/space_family.h).
//
// A family knows nothing of timing, of verification or of where buffers come from.
#pragma once

#include <cstddef>
#include <memory>
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

namespace gemmtune {

/// Yes, or why not: "K % 64 != 0", "no AVX-512".
struct Support {
  std::string why_not{};

  explicit operator bool() const { return why_not.empty(); }
};

/// One candidate made ready for one problem: compiled, checked, sizes known. Whoever calls owns all memory.
class PreparedGemm {
 public:
  virtual ~PreparedGemm() = default;

  /// Bytes of Operands::packed_w; 0 when weights are used as they are. More than 0 only for problems with packed
  /// weights.
  virtual std::size_t packed_weight_bytes() const { return 0; }

  /// Bytes of Operands::workspace, which a launch may overwrite.
  virtual std::size_t workspace_bytes() const { return 0; }

  /// Done once for each weight matrix, and only when packed_weight_bytes() is more than 0: reads w and w_scale, writes
  /// that many bytes to `packed`. Throws Error{unsupported} when these weights are none this candidate can multiply
  /// exactly.
  virtual void pack_weights(const Operands& operands, std::byte* packed, Stream& stream);

  /// All that a call costs: activations are quantised or converted here, split-K is reduced here. Does not allocate and
  /// does not throw; failures go to stream.report_failure. Packed weights stand in packed_w; w may be null then,
  /// w_scale not.
  virtual void launch(const Operands& operands, Stream& stream) noexcept = 0;
};

class KernelFamily {
 public:
  virtual ~KernelFamily() = default;

  /// The CSV's libtype: "onednn".
  virtual std::string_view name() const = 0;

  /// Version of the library or of the kernels, and of the ISA or compiler where that matters; goes into each trial.
  virtual std::string version() const = 0;

  /// Which devices its operands may live on; the family is asked nothing about others.
  virtual DeviceKind runs_on() const { return DeviceKind::cpu; }

  /// What problems may ask of this family. Everything else is refused before the family is asked, so that a feature
  /// that is added to problems later is taken by no family that does not know it.
  virtual FeatureSet features() const { return basic_features(); }

  /// Yes, or the first reason against it: the kind of device, a feature that the family does not have, or what
  /// why_not() says.
  Support supports(const Problem& problem, const DeviceInfo& device) const;

  /// For a supported problem: the candidates worth trying, the family's own default choice first.
  virtual std::vector<Candidate> candidates(const Problem& problem, const DeviceInfo& device) const = 0;

  /// From the candidate's name alone. Throws Error{unsupported} with the reason when the device is of another kind,
  /// when the problem asks for a feature that the family does not have, or when make() refuses.
  std::unique_ptr<PreparedGemm> prepare(const Problem& problem, const Candidate& candidate,
                                        const DeviceInfo& device) const;

  /// What prepare() compiles at run time for this candidate, if it compiles: needs no device, so that it can be done
  /// ahead. What is listed is a help, not a promise: prepare() does without it.
  virtual std::vector<KernelSource> kernels(const Problem& /*problem*/, const Candidate& /*candidate*/,
                                            const DeviceInfo& /*device*/) const {
    return {};
  }

  /// Why a table's kernel of this name is to be tuned again, or "": it was chosen with another version of the library
  /// than the one at hand. Only names that say their version can be judged.
  virtual std::string why_outdated(std::string_view /*kernel_name*/) const { return {}; }

 private:
  /// Why this problem cannot be multiplied on this device, or "". Kind of device and features are as they should be.
  virtual std::string why_not(const Problem& problem, const DeviceInfo& device) const = 0;

  /// Throws Error{unsupported} with the reason when the name is none of this family's or does not fit problem and
  /// device. Kind of device and features are as they should be; why_not() was not asked.
  virtual std::unique_ptr<PreparedGemm> make(const Problem& problem, const Candidate& candidate,
                                             const DeviceInfo& device) const = 0;
};

/// Why the family is asked nothing about a problem with these features on this device, or "": the one place that looks
/// at what families declare. Names the family and the feature.
std::string why_not_asked(const KernelFamily& family, FeatureSet wanted, const DeviceInfo& device);

/// Whose candidate has this name: names start with their family's. Null where none fits.
const KernelFamily* find_family_of(std::span<const std::unique_ptr<KernelFamily>> families,
                                   std::string_view candidate_name);

}  // namespace gemmtune
