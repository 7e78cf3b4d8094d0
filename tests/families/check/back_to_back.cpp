#include "tests/families/check/back_to_back.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gemmtune::check {
namespace {

constexpr std::size_t launches = 24;
constexpr std::uint8_t far_above = 30;  // in binades: a wider spread than any type folds
constexpr std::int64_t far_step = 37;   // in rows

using Bytes = std::vector<std::byte>;

/// For every other launch, one scale of every 37th row of A is far above the rest.
HostOperands drawn(const Problem& problem, const Case& one, std::size_t launch) {
  auto host = draw_operands(problem, one.recipe, one.seed + launch);
  const auto row = static_cast<std::size_t>(problem.k / 32);
  if (launch % 2 == 1)
    for (std::size_t i = 0; i < host.a_scale.size(); i += far_step * row)
      host.a_scale[i] = std::byte(std::to_integer<std::uint8_t>(host.a_scale[i]) + far_above);
  return host;
}

class BackToBack {
 public:
  BackToBack(const KernelFamily& family, const Problem& problem, const Case& one, const Candidate& candidate)
      : device_(open_device(device_id(*device_of(family)))),
        gemm_(family.prepare(problem, {.family = candidate.family, .name = candidate.name}, device_->info())),
        workspace_(device_->allocate(gemm_->workspace_bytes())),
        packed_(device_->allocate(gemm_->packed_weight_bytes())),
        c_bytes_(static_cast<std::size_t>(operand_sizes(problem).c)) {
    for (std::size_t i = 0; i < launches; ++i) add(drawn(problem, one, i));
    if (packed_.size() > 0) gemm_->pack_weights(each_.front().operands, packed_.data(), device_->stream());
    for (auto& launch : each_) launch.operands.packed_w = packed_.data();
  }

  std::string why_wrong() {
    std::vector<Bytes> expected;
    for (std::size_t i = 0; i < launches; ++i) {
      launch(i);
      device_->stream().synchronize();
      expected.push_back(result(i));
    }
    poison();
    for (std::size_t i = 0; i < launches; ++i) launch(i);
    if (auto why = difference(expected, "queued"); !why.empty()) return why;
    poison();
    device_->timer().time_us({[this](std::int64_t i) { launch(static_cast<std::size_t>(i) % launches); }}, 0, launches);
    return difference(expected, "timed");
  }

 private:
  struct Launch {
    std::vector<Buffer> memory{};
    Operands operands{};
  };

  const std::byte* uploaded(Launch& launch, const Bytes& bytes) {
    launch.memory.push_back(device_->allocate(bytes.size()));
    device_->upload(bytes, launch.memory.back().data());
    return launch.memory.back().data();
  }

  void add(const HostOperands& host) {
    Launch launch;
    launch.operands = {.a = uploaded(launch, host.a), .a_scale = uploaded(launch, host.a_scale)};
    const bool is_first = each_.empty();
    launch.operands.w = is_first ? uploaded(launch, host.w) : each_.front().operands.w;
    launch.operands.w_scale = is_first ? uploaded(launch, host.w_scale) : each_.front().operands.w_scale;
    launch.memory.push_back(device_->allocate(c_bytes_));
    launch.operands.c = launch.memory.back().data();
    launch.operands.workspace = workspace_.data();
    each_.push_back(std::move(launch));
  }

  void launch(std::size_t i) { gemm_->launch(each_[i].operands, device_->stream()); }

  void poison() {
    for (const auto& launch : each_) device_->fill(launch.operands.c, c_bytes_, 0xffff);
  }

  Bytes result(std::size_t i) {
    Bytes bytes(c_bytes_);
    device_->download(each_[i].operands.c, bytes);
    return bytes;
  }

  std::string difference(const std::vector<Bytes>& expected, std::string_view how) {
    device_->stream().synchronize();
    for (std::size_t i = 0; i < launches; ++i) {
      const auto found = result(i);
      const auto at = std::ranges::mismatch(found, expected[i]).in1 - found.begin();
      if (at != static_cast<std::ptrdiff_t>(c_bytes_))
        return fmt::format("launch {} of {}, {}: byte {} of {} is not what it is alone", i, launches, how, at,
                           c_bytes_);
    }
    return "";
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<PreparedGemm> gemm_;
  Buffer workspace_;
  Buffer packed_;
  std::size_t c_bytes_;
  std::vector<Launch> each_;
};

}  // namespace

std::string why_back_to_back_wrong(const KernelFamily& family, const Case& one, const Candidate& candidate) {
  const auto why = BackToBack(family, parse_problem(one.problem), one, candidate).why_wrong();
  return why.empty() ? "" : fmt::format("{}: {} [{}]\n", candidate.name, why, one.text());
}

}  // namespace gemmtune::check
