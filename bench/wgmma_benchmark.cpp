// The product kernel alone, without folding. Each variant runs for a quarter of a second before it is timed, so that
// the card has settled at the clock that the variant's power draw allows.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/main_on_device.h"
#include "gemmtune/core/clock.h"
#include "gemmtune/device/device.h"
#include "gemmtune/gemm/draw.h"
#include "gemmtune/kernels/fold.h"
#include "gemmtune/kernels/wgmma_gemm.h"

namespace gemmtune {
namespace {

constexpr double settling_s = 0.25;
constexpr std::int64_t rounds = 5;

struct Variant {
  std::string what{};
  FoldType type{FoldType::int8};
  FoldFill a_fill{FoldFill::high};
  FoldFill w_fill{FoldFill::low};
  WgmmaTile tile{};
};

std::vector<Variant> variants() {
  const WgmmaTile alone{};
  WgmmaTile pair{};
  pair.cluster_m = 2;
  WgmmaTile tall{.block_m = 256, .block_n = 128};
  tall.cluster_n = 2;
  const WgmmaTile promoted{.block_n = 192, .cluster_m = 2, .promote_k = 256};
  return {{.what = "int8 128x256", .tile = alone},
          {.what = "the same, both filled high", .w_fill = FoldFill::high, .tile = alone},
          {.what = "the same, W alone filled high", .a_fill = FoldFill::low, .w_fill = FoldFill::high, .tile = alone},
          {.what = "int8 128x256, clusters of 2", .tile = pair},
          {.what = "the same, both filled low", .a_fill = FoldFill::low, .tile = pair},
          {.what = "the same, both filled high", .w_fill = FoldFill::high, .tile = pair},
          {.what = "int8 256x128, clusters of 2", .tile = tall},
          {.what = "e4m3 128x192, promoted after 256", .type = FoldType::e4m3, .tile = promoted}};
}

/// One operand, folded.
class Side {
 public:
  Side(Device& device, std::int64_t rows, std::int64_t k) : device_(device), rows_(rows), k_(k) {
    Problem problem{.m = rows, .n = 1, .k = k};
    problem.a = problem.w = {DType::e2m1, Scaling::mx_1x32};
    const auto host = draw_operands(problem, Recipe::gaussian, static_cast<std::uint64_t>(rows));
    values_ = device.allocate(host.a.size());
    scales_ = device.allocate(host.a_scale.size());
    device.upload(host.a, values_.data());
    device.upload(host.a_scale, scales_.data());
  }

  Buffer folded(FoldType type, FoldFill fill) const {
    const Folder folder({.type = type, .rows = rows_, .k = k_, .fill = fill}, device_.info().arch);
    auto to = device_.allocate(folder.layout().bytes);
    folder.launch(values_.data(), scales_.data(), to.data(), device_.stream());
    device_.stream().synchronize();
    return to;
  }

  FoldLayout layout(FoldType type) const { return fold_layout({.type = type, .rows = rows_, .k = k_}); }

 private:
  Device& device_;
  std::int64_t rows_;
  std::int64_t k_;
  Buffer values_;
  Buffer scales_;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// A variant ready to be launched.
class Running {
 public:
  Running(Device& device, const Problem& problem, const Side& a, const Side& w, const Variant& variant)
      : device_(device),
        a_(a.folded(variant.type, variant.a_fill)),
        w_(w.folded(variant.type, variant.w_fill)),
        c_(device.allocate(static_cast<std::size_t>(problem.m * problem.n * 2))),
        gemm_(make_wgmma_gemm({problem, variant.type}, variant.tile, device.info().cu_num)),
        at_{.a = a_.data() + a.layout(variant.type).values,
            .a_scales = reinterpret_cast<const float*>(a_.data() + a.layout(variant.type).scales),
            .w = w_.data() + w.layout(variant.type).values,
            .w_scales = reinterpret_cast<const float*>(w_.data() + w.layout(variant.type).scales),
            .c = c_.data()} {}

  /// The time of one launch, at the clock that the card settles at with this variant.
  double settled_us() {
    const auto start = SteadyClock::now();
    while (seconds_since(start) < settling_s) launch(4);
    return median_us(9);
  }

 private:
  void launch(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) gemm_.launch(at_, device_.stream());
    device_.stream().synchronize();
  }

  double median_us(std::int64_t count) {
    return median(device_.timer().time_us({[&](std::int64_t) { gemm_.launch(at_, device_.stream()); }, 1}, 0, count));
  }

  Device& device_;
  Buffer a_;
  Buffer w_;
  Buffer c_;
  WgmmaKernel gemm_;
  WgmmaAddresses at_;
};

/// Measures in rounds over all variants, so that a card that grows warmer slows all of them alike.
void bench(Device& device, const Problem& problem) {
  const Side a(device, problem.m, problem.k);
  const Side w(device, problem.n, problem.k);
  const auto all = variants();
  std::vector<std::unique_ptr<Running>> running;
  for (const auto& variant : all) running.push_back(std::make_unique<Running>(device, problem, a, w, variant));
  std::vector<std::vector<double>> times(all.size());
  std::vector<std::vector<double>> clocks(all.size());
  for (std::int64_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      times[i].push_back(running[i]->settled_us());
      clocks[i].push_back(device.read_clock().clock_mhz);
    }
  for (std::size_t i = 0; i < all.size(); ++i)
    fmt::print("{:6}x{}x{} {:34} {:10.1f} us {:6.0f} TFLOPS, {:.0f} MHz\n", problem.m, problem.n, problem.k,
               all[i].what, median(times[i]), tflops(problem, median(times[i])), median(clocks[i]));
}

int run(const char* id) {
  const auto device = open_device(id);
  for (const auto* sizes : {"16384x16384x32768", "8192x8192x8192", "6528x7040x5632"})
    bench(*device, parse_problem(std::string(sizes) + ":e2m1/1x32:e2m1/1x32:bf16:packed"));
  return 0;
}

}  // namespace
}  // namespace gemmtune

/// wgmma_benchmark [DEVICE]
int main(int argc, char** argv) { return gemmtune::main_on_device(argc, argv, gemmtune::run); }
