#include "tests/families/broken_gpu/broken_gpu_family.h"

#include <algorithm>
#include <array>

#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/gpu_module.h"

namespace gemmtune::broken_gpu {
namespace {

constexpr std::array<std::string_view, 6> faults{"right", "unwritten_tile", "k_tail", "writes_after_end",
                                                 "hang",  "illegal_address"};

/// One thread for each element of C, one block for each tile of 16 by 16. The planted fault is the one whose constant
/// is true.
constexpr const char* text = R"(
__device__ float widen(unsigned short bits) { return __uint_as_float((unsigned)bits << 16); }

__device__ unsigned short round_to_even(float value) {
  if (value != value) return 0x7fff;
  unsigned bits = __float_as_uint(value);
  return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}

extern "C" __global__ void multiply(const unsigned short* a, const unsigned short* w, unsigned short* c, long m, long n,
                                    long k) {
  const long column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  const bool first = column == 0 && row == 0;
  if (hang)
    while (*(volatile unsigned short*)c != 0x1234) {}
  if (illegal_address && first) c[1l << 45] = 1;
  if (writes_after_end && first) c[m * n] = 1;
  if (unwritten_tile && blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1) return;
  if (column >= n || row >= m) return;
  float sum = 0;
  for (long i = 0; i < (k_tail ? k - 8 : k); ++i) sum += widen(a[row * k + i]) * widen(w[column * k + i]);
  c[row * n + column] = round_to_even(sum);
}
)";

class BrokenGpuGemm final : public PreparedGemm {
 public:
  BrokenGpuGemm(const Problem& problem, std::string_view fault, const std::string& arch)
      : problem_(problem), module_(compile_kernel(source(fault, arch))), multiply_(module_.function("multiply")) {}

  void launch(const Operands& operands, Stream& stream) noexcept override {
    const LaunchShape shape{.grid = {tiles(problem_.n), tiles(problem_.m)}, .block = {16, 16}};
    module_.launch(stream, multiply_, shape, operands.a, operands.w, operands.c, problem_.m, problem_.n, problem_.k);
  }

 private:
  static unsigned tiles(std::int64_t count) { return static_cast<unsigned>((count + 15) / 16); }

  Problem problem_;
  GpuModule module_;
  GpuFunction multiply_;
};

class BrokenGpuFamily final : public KernelFamily {
 public:
  std::string_view name() const override { return "broken_gpu"; }
  std::string version() const override { return "1"; }
  DeviceKind runs_on() const override { return DeviceKind::cuda; }

  std::string why_not(const Problem& problem, const DeviceInfo&) const override {
    const Side bf16{.type = DType::bf16, .scaling = Scaling::none};
    const bool plain = problem.a == bf16 && problem.w == bf16 && problem.out == DType::bf16 && !problem.epilogue.bias;
    return plain && problem.batch == 1 ? "" : "not bf16 alone";
  }

  std::vector<Candidate> candidates(const Problem&, const DeviceInfo&) const override {
    std::vector<Candidate> all;
    for (const auto fault : faults) all.push_back(candidate(fault));
    return all;
  }

  std::unique_ptr<PreparedGemm> make(const Problem& problem, const Candidate& chosen,
                                     const DeviceInfo& device) const override {
    return std::make_unique<BrokenGpuGemm>(problem, chosen.name, device.arch);
  }
};

}  // namespace

Candidate candidate(std::string_view fault) {
  return {
      .family = "broken_gpu", .name = std::string(fault), .params = {{.key = "fault", .value = std::string(fault)}}};
}

KernelSource source(std::string_view fault, const std::string& arch) {
  if (std::ranges::find(faults, fault) == faults.end()) fail(ErrorCode::unsupported, "no fault is named {}", fault);
  KernelSource source{.name = fmt::format("broken_{}.cu", fault), .text = text, .arch = arch};
  for (const auto known : faults) source.options.push_back(fmt::format("-D{}={}", known, known == fault ? 1 : 0));
  return source;
}

std::unique_ptr<KernelFamily> make_family() { return std::make_unique<BrokenGpuFamily>(); }

}  // namespace gemmtune::broken_gpu
