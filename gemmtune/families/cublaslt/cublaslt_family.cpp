// cuBLASLt's matmul: the kernel that users of NVIDIA GPUs get from the library, and everything else that the library
// can do for the same problem.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/core/parallel.h"
#include "gemmtune/families/cublaslt/call.h"
#include "gemmtune/families/cublaslt/enumeration.h"
#include "gemmtune/families/cublaslt/kernel_name.h"
#include "gemmtune/families/cublaslt/knowledge.h"
#include "gemmtune/families/cublaslt/matmul.h"
#include "gemmtune/families/cublaslt/prepared_call.h"
#include "gemmtune/families/cublaslt/sessions.h"
#include "gemmtune/families/family.h"
#include "gemmtune/families/fp8_in_call.h"

namespace gemmtune {
namespace {

using cublaslt::Call;
using cublaslt::Entry;
using cublaslt::Enumeration;
using cublaslt::Library;
using cublaslt::Matmul;
using cublaslt::MatmulSpec;

constexpr std::int64_t names_of_a_piece = 128;  // takes some tenths of a millisecond

std::int64_t workspace_mib(const Entry& entry) {
  const bool fits_default = entry.accepted.workspace_bytes <= cublaslt::default_workspace_bytes;
  return static_cast<std::int64_t>(
      (fits_default ? cublaslt::default_workspace_bytes : cublaslt::large_workspace_bytes) >> 20);
}

/// The specs whose candidates a problem has: one without and one with fast accumulation.
std::vector<MatmulSpec> specs_of(const Call& call) {
  std::vector<MatmulSpec> specs{call.matmul};
  if (!call.has_fast_accumulation) return specs;
  specs.push_back(call.matmul);
  specs.back().fast_accumulation = true;
  return specs;
}

std::vector<Candidate> candidates_of(const Enumeration& enumeration, const MatmulSpec& spec, std::int64_t version) {
  const Entry* const first_choice = enumeration.has_first_choice ? enumeration.entries.data() : nullptr;
  return parallel_map(enumeration.entries, names_of_a_piece, [&](const Entry& entry) {
    return cublaslt::candidate_of({.is_default = &entry == first_choice,
                                   .config = entry.config,
                                   .fast_accumulation = spec.fast_accumulation,
                                   .workspace_mib = workspace_mib(entry),
                                   .version = version});
  });
}

/// Takes one candidate of each list in turn, so that the best of each list come first.
std::vector<Candidate> in_turn(const std::vector<std::vector<Candidate>>& lists) {
  std::vector<Candidate> all;
  std::size_t longest = 0;
  for (const auto& list : lists) longest = std::max(longest, list.size());
  for (std::size_t i = 0; i < longest; ++i)
    for (const auto& list : lists)
      if (i < list.size()) all.push_back(list[i]);
  return all;
}

class CublasltFamily final : public KernelFamily {
 public:
  std::string_view name() const override { return "cublaslt"; }

  std::string version() const override {
    try {
      const auto library = sessions_.library();
      return library ? cublaslt::version_text(library->version()) : "none: " + Library::why_not();
    } catch (const Error& error) {
      return fmt::format("none: {}", error.what());
    }
  }

  DeviceKind runs_on() const override { return DeviceKind::cuda; }

  /// The library has no epilogues for GELU by erf and for SiLU.
  FeatureSet features() const override {
    return basic_features()
        .with(layout_features())
        .with(fp8_in_call_features())
        .with({Feature::residual, Feature::relu, Feature::gelu_tanh});
  }

  std::string why_not(const Problem& asked, const DeviceInfo& device) const override {
    if (auto why = why_not_quantised_in_call(asked, device); !why.empty()) return why;
    const Problem problem = product_in_call(asked);
    if (auto why = cublaslt::why_no_call(problem); !why.empty()) return why;
    try {
      const Matmul matmul(sessions_.of(device), cublaslt::call_of(problem).matmul);
      return matmul.why_not();
    } catch (const Error& error) {
      return error.what();
    }
  }

  std::vector<Candidate> candidates(const Problem& problem, const DeviceInfo& device) const override {
    const auto session = sessions_.of(device);
    std::vector<std::vector<Candidate>> lists;
    for (const auto& spec : specs_of(cublaslt::call_of(product_in_call(problem))))
      lists.push_back(
          candidates_of(knowledge_.enumerate(session, device.index, spec), spec, session->library().version()));
    auto all = in_turn(lists);
    if (!all.empty()) all.front().is_default = true;
    return all;
  }

  /// Asks for the library's first choice only, which takes microseconds.
  std::optional<Candidate> default_candidate(const Problem& problem, const DeviceInfo& device) const override {
    const auto session = sessions_.of(device);
    const Matmul matmul(session, cublaslt::call_of(product_in_call(problem)).matmul);
    const auto first = matmul.ranked({.workspace_bytes = cublaslt::default_workspace_bytes, .most = 1});
    if (first.empty()) return std::nullopt;
    return cublaslt::candidate_of({.is_default = true,
                                   .config = first.front(),
                                   .workspace_mib = std::int64_t{cublaslt::default_workspace_bytes >> 20},
                                   .version = session->library().version()});
  }

  DefaultRank default_rank(const Problem&) const override { return DefaultRank::best; }

  std::unique_ptr<PreparedGemm> make(const Problem& problem, const Candidate& candidate,
                                     const DeviceInfo& device) const override {
    if (const auto why = why_not_quantised_in_call(problem, device); !why.empty())
      fail(ErrorCode::unsupported, "{}", why);
    return make_in_call(problem, [&](const Problem& product) { return make_product(product, candidate, device); });
  }

  std::vector<KernelSource> kernels(const Problem& problem, const Candidate&, const DeviceInfo&) const override {
    return sources_in_call(problem, {});
  }

  std::optional<LibraryKernel> library_kernel(std::string_view kernel_name) const override {
    const auto name = cublaslt::parse_kernel_name(kernel_name);
    return name ? std::optional(cublaslt::library_kernel_of(*name)) : std::nullopt;
  }

  std::string kernel_name(const LibraryKernel& kernel) const override {
    const auto name = cublaslt::kernel_name_of(kernel);
    return name ? cublaslt::to_string(*name) : std::string();
  }

  std::string why_outdated(std::string_view kernel_name) const override {
    const auto name = cublaslt::parse_kernel_name(kernel_name);
    const auto library = name ? sessions_.library() : nullptr;
    if (!library || library->version() == name->version) return {};
    return fmt::format("it was chosen with cuBLASLt {}, and this is {}", cublaslt::version_text(name->version),
                       cublaslt::version_text(library->version()));
  }

 private:
  std::unique_ptr<PreparedGemm> make_product(const Problem& problem, const Candidate& candidate,
                                             const DeviceInfo& device) const {
    const auto name = cublaslt::parse_kernel_name(candidate.name);
    if (!name) fail(ErrorCode::unsupported, "cublaslt has no kernel '{}'", candidate.name);
    if (const auto why = cublaslt::why_no_call(problem); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
    if (name->fast_accumulation && !cublaslt::call_of(problem).has_fast_accumulation)
      fail(ErrorCode::unsupported, "{}: there is no fast accumulation for {}", candidate.name, to_string(problem));
    return cublaslt::prepare_call(sessions_.of(device), problem, *name, device);
  }

  mutable cublaslt::Sessions sessions_;
  mutable cublaslt::Knowledge knowledge_;
};

}  // namespace

std::unique_ptr<KernelFamily> make_cublaslt_family() { return std::make_unique<CublasltFamily>(); }

}  // namespace gemmtune
