// MXFP4 with few rows of A (gemmtune/families/mxfp4_skinny/skinny_gemm.h, stream_folded.h): the time of a call,
// relative to that of copying the same bytes. See docs/results/h100-mxfp4-small-m.md.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/main_on_device.h"
#include "gemmtune/device/device.h"
#include "gemmtune/families/mxfp4_fused/fused_gemm.h"
#include "gemmtune/families/mxfp4_skinny/skinny_gemm.h"
#include "gemmtune/gemm/draw.h"

namespace gemmtune {
namespace {

constexpr std::int64_t rotated_bytes = 260'000'000;  // of packed weights, far beyond any cache
constexpr std::int64_t launches = 200;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// GB/s of device-to-device copies, read and written.
double copy_gbps(Device& device) {
  constexpr std::int64_t bytes = 512 << 20;
  const auto from = device.allocate(bytes);
  const auto to = device.allocate(bytes);
  device.fill(from.data(), bytes, 0x1234);
  const auto us =
      median(device.timer().time_us({[&](std::int64_t) { device.copy(from.data(), to.data(), bytes); }, 1}, 0, 20));
  return 2.0 * static_cast<double>(bytes) / us / 1e3;
}

/// The operands of one product, with several copies of the packed weights.
class Bench {
 public:
  Bench(Device& device, const Problem& problem) : device_(device), problem_(problem) {
    const auto host = draw_operands(problem, Recipe::gaussian, 1);
    const auto sizes = operand_sizes(problem);
    operands_ = {.a = kept(host.a), .a_scale = kept(host.a_scale), .w = kept(host.w), .w_scale = kept(host.w_scale)};
    operands_.c = room(static_cast<std::size_t>(sizes.c));
  }

  template <typename Gemm>
  double time_us(const Gemm& gemm) {
    const auto bytes_of_one = gemm.packer().bytes();
    std::vector<Buffer> packed;
    for (std::int64_t bytes = 0; bytes < rotated_bytes; bytes += static_cast<std::int64_t>(bytes_of_one)) {
      packed.push_back(device_.allocate(bytes_of_one));
      gemm.packer().pack(operands_.w, operands_.w_scale, packed.back().data(), device_.stream());
    }
    const Timer::Launch launch{.run =
                                   [&](std::int64_t i) {
                                     Operands operands = operands_;
                                     operands.packed_w = packed[static_cast<std::size_t>(i) % packed.size()].data();
                                     gemm.launch(operands, device_.stream());
                                   },
                               .period = static_cast<std::int64_t>(packed.size())};
    launch(0);
    device_.stream().synchronize();
    const auto times = device_.timer().time_us(launch, 0, launches);
    device_.stream().synchronize();
    return median(times);
  }

  double time_us(const SkinnyTile& tile) { return time_us(SkinnyGemm(problem_, tile, device_.info().cu_num)); }

  double time_us(const FusedTile& tile) {
    const FusedGemm gemm(problem_, tile, device_.info().cu_num);
    operands_.workspace = room(gemm.workspace_bytes());
    return time_us(gemm);
  }

 private:
  std::byte* room(std::size_t bytes) {
    buffers_.push_back(device_.allocate(bytes));
    return buffers_.back().data();
  }
  std::byte* kept(const std::vector<std::byte>& bytes) {
    std::byte* const to = room(bytes.size());
    device_.upload(bytes, to);
    return to;
  }

  Device& device_;
  Problem problem_{};
  Operands operands_{};
  std::vector<Buffer> buffers_;
};

/// The time of the kernel that docs/results/h100-mxfp4-small-m.md found fastest.
double best_us(Device& device, const Problem& problem) {
  Bench bench(device, problem);
  if (problem.m <= 8) return bench.time_us(SkinnyTile{.rows_a = 8, .k_groups = 3, .stages = 3, .converters = 2});
  if (problem.m <= 16) return bench.time_us(SkinnyTile{.rows_a = 16, .k_groups = 3, .stages = 3, .converters = 6});
  if (problem.n > 32'768)
    return bench.time_us(FusedTile{.rows_a = problem.m, .cluster = 1, .stages = problem.m > 64 ? 8 : 10});
  return bench.time_us(FusedTile{.rows_a = problem.m, .stages = problem.m > 64 ? 7 : 8});
}

int run(const char* id) {
  const auto device = open_device(id);
  const double gbps = copy_gbps(*device);
  fmt::print("{}, copying at {:.0f} GB/s\n", device->info().name, gbps);
  for (const char* sizes : {"57344x8192", "8192x28672", "8192x8192", "7168x2048", "1536x7168"})
    for (const std::int64_t m : {1, 8, 16, 32, 64, 128}) {
      const auto problem = parse_problem(fmt::format("{}x{}:a4w4:packed", m, sizes));
      const double us = best_us(*device, problem);
      const double floor_us = moved_bytes(problem) / gbps / 1e3;
      fmt::print("{:30} {:8.2f} us, floor {:7.2f}: {:.2f}\n", to_string(problem), us, floor_us, us / floor_us);
    }
  return 0;
}

}  // namespace
}  // namespace gemmtune

/// small_m_benchmark [DEVICE]
int main(int argc, char** argv) { return gemmtune::main_on_device(argc, argv, gemmtune::run); }
