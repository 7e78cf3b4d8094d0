// MXFP4 with few rows of A (gemmtune/kernels/stream.h): what a launch takes, over what copying the same bytes takes.
// docs/results/h100-mxfp4-small-m.md.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/main_on_device.h"
#include "gemmtune/device/device.h"
#include "gemmtune/gemm/draw.h"
#include "gemmtune/kernels/stream.h"

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
      median(device.timer().time_us([&](std::int64_t) { device.copy(from.data(), to.data(), bytes); }, 0, 20));
  return 2.0 * static_cast<double>(bytes) / us / 1e3;
}

/// One product's operands, the packed weights several times.
class Bench {
 public:
  Bench(Device& device, const Problem& problem) : device_(device), problem_(problem) {
    const auto host = draw_operands(problem, Recipe::gaussian, 1);
    const auto sizes = operand_sizes(problem);
    operands_ = {.a = kept(host.a), .a_scale = kept(host.a_scale), .w = kept(host.w), .w_scale = kept(host.w_scale)};
    operands_.c = room(static_cast<std::size_t>(sizes.c));
  }

  double time_us(const StreamTile& tile) {
    const StreamGemm gemm(problem_, tile, device_.info().cu_num);
    std::vector<Buffer> packed;
    for (std::int64_t bytes = 0; bytes < rotated_bytes; bytes += static_cast<std::int64_t>(gemm.packed_bytes())) {
      packed.push_back(device_.allocate(gemm.packed_bytes()));
      gemm.pack(operands_.w, operands_.w_scale, packed.back().data(), device_.stream());
    }
    const auto launch = [&](std::int64_t i) {
      Operands operands = operands_;
      operands.packed_w = packed[static_cast<std::size_t>(i) % packed.size()].data();
      gemm.launch(operands, device_.stream());
    };
    launch(0);
    device_.stream().synchronize();
    const auto times = device_.timer().time_us(launch, 0, launches);
    device_.stream().synchronize();
    return median(times);
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

struct Variant {
  std::int64_t m{};  // at most
  StreamTile tile{};
};

/// The fastest of the results.
std::vector<Variant> variants() {
  const auto block = StreamScales::block;
  const StreamTile few{.rows_a = 8, .k_groups = 3, .stages = 2, .converters = 2, .scales = block};
  const StreamTile some{.rows_a = 16, .k_groups = 3, .stages = 3, .converters = 6, .scales = block};
  const StreamTile pair{.rows_a = 32, .row_groups = 2, .k_groups = 1, .cluster = 2, .stages = 4, .converters = 2};
  auto wide = pair;
  wide.rows_a = 64;
  wide.stages = 3;
  wide.converters = 6;
  auto widest = wide;
  widest.rows_a = 128;
  return {{1, few}, {8, few}, {16, some}, {32, pair}, {64, wide}, {128, widest}};
}

int run(const char* id) {
  const auto device = open_device(id);
  const double gbps = copy_gbps(*device);
  fmt::print("{}, copying at {:.0f} GB/s\n", device->info().name, gbps);
  for (const char* sizes : {"57344x8192", "8192x28672", "8192x8192", "7168x2048", "1536x7168"})
    for (const auto& [m, tile] : variants()) {
      const auto problem = parse_problem(fmt::format("{}x{}:a4w4:packed", m, sizes));
      const double us = Bench(*device, problem).time_us(tile);
      const double floor_us = moved_bytes(problem) / gbps / 1e3;
      fmt::print("{:30} {:8.2f} us, floor {:7.2f}: {:.2f}\n", to_string(problem), us, floor_us, us / floor_us);
    }
  return 0;
}

}  // namespace
}  // namespace gemmtune

/// stream_benchmark [DEVICE]
int main(int argc, char** argv) { return gemmtune::main_on_device(argc, argv, gemmtune::run); }
