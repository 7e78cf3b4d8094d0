#include "tests/families/check/family_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/relayout.h"
#include "tests/families/check/reference_product.h"

namespace gemmtune::check {
namespace {

/// Device memory of exactly the right sizes, so that a sanitizer sees every overrun.
class DeviceOperands {
 public:
  DeviceOperands(Device& device, const HostOperands& host, const Problem& problem)
      : device_(device),
        a_(uploaded(host.a)),
        a_scale_(uploaded(host.a_scale)),
        w_(uploaded(host.w)),
        w_scale_(uploaded(host.w_scale)),
        bias_(uploaded(host.bias)),
        residual_(uploaded(host.residual)),
        c_(poisoned(static_cast<std::size_t>(operand_sizes(problem).c))) {}

  Operands operands() const {
    return {.a = a_.data(),
            .a_scale = a_scale_.data(),
            .w = w_.data(),
            .w_scale = w_scale_.data(),
            .bias = bias_.data(),
            .residual = residual_.data(),
            .c = c_.data()};
  }

  std::vector<std::byte> c() const {
    std::vector<std::byte> bytes(c_.size());
    device_.download(c_.data(), bytes);
    return bytes;
  }

  /// A buffer with all bits set, as in gaps: NaN in every output type, and in every type that workspaces are read as.
  Buffer poisoned(std::size_t bytes) const { return uploaded(std::vector<std::byte>(bytes, gap_byte)); }

 private:
  Buffer uploaded(const std::vector<std::byte>& bytes) const {
    Buffer buffer = device_.allocate(bytes.size());
    device_.upload(bytes, buffer.data());
    return buffer;
  }

  Device& device_;
  Buffer a_;
  Buffer a_scale_;
  Buffer w_;
  Buffer w_scale_;
  Buffer bias_;
  Buffer residual_;
  Buffer c_;
};

std::string run_once(PreparedGemm& gemm, Device& device, const Problem& problem, const HostOperands& host,
                     std::span<const Expected> expected) {
  const DeviceOperands memory(device, host, problem);
  Operands operands = memory.operands();
  const Buffer packed = memory.poisoned(gemm.packed_weight_bytes());
  const Buffer workspace = memory.poisoned(gemm.workspace_bytes());
  operands.workspace = workspace.data();
  if (packed.size() > 0) {
    gemm.pack_weights(operands, packed.data(), device.stream());
    operands.packed_w = packed.data();
    operands.w = nullptr;
  }
  gemm.launch(operands, device.stream());
  device.stream().synchronize();
  const auto c = memory.c();
  const auto why = first_difference(problem, expected, c);
  return why.empty() ? first_written_gap(problem, c) : why;
}

DeviceInfo must_have_device(const KernelFamily& family) {
  const auto device = device_of(family);
  if (!device) fail(ErrorCode::no_device, "there is no device for {}", family.name());
  return *device;
}

/// Launches twice, with different memory. Returns "" or the first difference.
std::string why_not_expected(const KernelFamily& family, const Problem& problem, const HostOperands& host,
                             const Candidate& candidate, std::span<const Expected> expected) {
  const auto device = open_device(device_id(must_have_device(family)));
  std::string why;
  try {
    const auto gemm = family.prepare(problem, {.family = candidate.family, .name = candidate.name}, device->info());
    for (int run = 0; run < 2 && why.empty(); ++run) why = run_once(*gemm, *device, problem, host, expected);
  } catch (const Error& error) {
    why = error.what();
  }
  return why;
}

/// The line that reports a failure; `what` describes the operands. "" when `why` is "".
std::string failure(const Candidate& candidate, const std::string& why, std::string_view what) {
  return why.empty() ? "" : fmt::format("{}: {} [{}]\n", candidate.name, why, what);
}

std::string refusal(const KernelFamily& family, const Problem& problem, const std::string& name) {
  try {
    family.prepare(problem, {.family = std::string(family.name()), .name = name}, must_have_device(family));
    return "";
  } catch (const Error& error) {
    return error.code() == ErrorCode::unsupported ? error.what() : fmt::format("wrong kind of error: {}", error.what());
  }
}

}  // namespace

std::string Case::text() const { return fmt::format("{} {} seed {}", problem, to_string(recipe), seed); }

std::string why_wrong(const KernelFamily& family, const Case& one, const Candidate& candidate) {
  const Problem problem = parse_problem(one.problem);
  const auto host = draw_operands(problem, one.recipe, one.seed);
  const auto expected = expected_product(
      problem, host, {.computed_on = must_have_device(family).kind, .rounds_product = one.rounds_product});
  return failure(candidate, why_not_expected(family, problem, host, candidate, expected), one.text());
}

std::string why_wrong_on(const KernelFamily& family, const Problem& problem, const HostOperands& host,
                         const Candidate& candidate, std::string_view what) {
  const auto expected = expected_product(problem, host, {.computed_on = must_have_device(family).kind});
  return failure(candidate, why_not_expected(family, problem, host, candidate, expected), what);
}

std::string why_any_wrong(const KernelFamily& family, const Case& one) {
  const Problem problem = parse_problem(one.problem);
  if (const Support support = family.supports(problem, must_have_device(family)); !support) {
    return fmt::format("not supported: {} [{}]\n", support.why_not, one.text());
  }
  const auto candidates = family.candidates(problem, must_have_device(family));
  if (candidates.empty()) return fmt::format("no candidates [{}]\n", one.text());
  std::string all;
  for (const Candidate& candidate : candidates) all += why_wrong(family, one, candidate);
  return all;
}

std::string why_names_wrong(const KernelFamily& family, const Problem& problem) {
  std::set<std::string> seen;
  for (const Candidate& candidate : family.candidates(problem, must_have_device(family))) {
    if (candidate.family != family.name()) return fmt::format("{} is of family '{}'", candidate.name, candidate.family);
    if (!candidate.name.starts_with(family.name())) return fmt::format("{} does not say its family", candidate.name);
    if (!seen.insert(candidate.name).second) return fmt::format("{} is there twice", candidate.name);
    if (auto why = refusal(family, problem, candidate.name); !why.empty()) return why;
    for (const std::string& bad : {candidate.name + "0x", candidate.name + "_t1", "x" + candidate.name,
                                   candidate.name.substr(0, candidate.name.rfind('_')), std::string()}) {
      if (refusal(family, problem, bad).empty()) return fmt::format("'{}' was prepared", bad);
    }
  }
  return seen.empty() ? "no candidates" : "";
}

std::vector<std::string> candidate_names(const KernelFamily& family, std::string_view problem) {
  std::vector<std::string> names;
  for (const Candidate& candidate : family.candidates(parse_problem(problem), must_have_device(family))) {
    names.push_back(candidate.name);
  }
  return names;
}

std::string why_refused(const KernelFamily& family, std::string_view problem, const std::string& name) {
  return refusal(family, parse_problem(problem), name);
}

DeviceInfo this_cpu() { return list_devices().front(); }

std::optional<DeviceInfo> device_of(const KernelFamily& family) {
  for (auto& device : list_devices())
    if (device.kind == family.runs_on()) return std::move(device);
  return std::nullopt;
}

}  // namespace gemmtune::check
