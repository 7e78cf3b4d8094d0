// Times the kernels of gemmtune/kernels on a GPU and compares their bandwidth with that of copying as many bytes.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "bench/main_on_device.h"
#include "gemmtune/device/device.h"
#include "gemmtune/gemm/draw.h"
#include "gemmtune/kernels/fold.h"
#include "gemmtune/kernels/fold_words.h"
#include "gemmtune/kernels/rescue.h"
#include "tests/support/quantise/quantise.h"

namespace gemmtune {
namespace {

constexpr std::int64_t rotated_bytes = 300'000'000;  // far beyond any cache
constexpr std::int64_t launches = 40;

/// What one launch reads and writes.
struct Traffic {
  std::int64_t read{};
  std::int64_t written{};
};

class Bench {
 public:
  explicit Bench(Device& device) : device_(device) {}

  const std::string& arch() const { return device_.info().arch; }
  Stream& stream() { return device_.stream(); }

  /// Device buffers with the contents `bytes`, in so many sets that no launch finds its own in a cache.
  std::vector<Buffer> sets(const std::vector<std::byte>& bytes, std::int64_t of_a_set) {
    std::vector<Buffer> all;
    for (std::int64_t i = 0; i < count(of_a_set); ++i) {
      all.push_back(device_.allocate(bytes.size()));
      device_.upload(bytes, all.back().data());
    }
    return all;
  }
  std::vector<Buffer> sets(std::int64_t bytes, std::int64_t of_a_set) {
    std::vector<Buffer> all;
    for (std::int64_t i = 0; i < count(of_a_set); ++i) all.push_back(device_.allocate(static_cast<std::size_t>(bytes)));
    return all;
  }

  double median_us(const std::function<void(std::int64_t)>& launch) {
    launch(0);
    stream().synchronize();
    auto times = device_.timer().time_us({launch}, 0, launches);
    std::ranges::sort(times);
    return times[times.size() / 2];
  }

  /// The rate of device-to-device copies that move as much.
  double copy_gbps(const Traffic& traffic) {
    const auto bytes = (traffic.read + traffic.written) / 2;
    const auto from = sets(bytes, 2 * bytes);
    const auto to = sets(bytes, 2 * bytes);
    const auto us = median_us([&](std::int64_t i) {
      const auto set = static_cast<std::size_t>(i) % from.size();
      device_.copy(from[set].data(), to[set].data(), static_cast<std::size_t>(bytes));
    });
    return static_cast<double>(2 * bytes) / us / 1e3;
  }

  void line(const std::string& what, const Traffic& traffic, double us) {
    const double gbps = static_cast<double>(traffic.read + traffic.written) / us / 1e3;
    const double copy = copy_gbps(traffic);
    fmt::print("{:44} {:9.2f} us {:7.0f} GB/s, copy {:5.0f}: {:5.1f} %\n", what, us, gbps, copy, 100 * gbps / copy);
  }

 private:
  static std::int64_t count(std::int64_t of_a_set) {
    return std::clamp<std::int64_t>(rotated_bytes / of_a_set, 1, 64) + 1;
  }

  Device& device_;
};

HostOperands drawn(std::int64_t rows, std::int64_t k) {
  Problem problem{.m = rows, .n = 1, .k = k};
  problem.a = problem.w = {DType::e2m1, Scaling::mx_1x32};
  return draw_operands(problem, Recipe::gaussian, 1);
}

void bench_folds(Bench& bench, std::int64_t rows, std::int64_t k, const std::vector<FoldSpec>& specs) {
  const auto host = drawn(rows, k);
  const auto of_a_set = rows * k * 3 / 2;
  const auto values = bench.sets(host.a, of_a_set);
  const auto scales = bench.sets(host.a_scale, of_a_set);
  for (auto spec : specs) {
    spec.rows = rows;
    spec.k = k;
    const Folder folder(spec, bench.arch());
    const auto to = bench.sets(static_cast<std::int64_t>(folder.layout().bytes), of_a_set);
    const auto us = bench.median_us([&](std::int64_t i) {
      const auto set = static_cast<std::size_t>(i) % values.size();
      folder.launch(values[set].data(), scales[set].data(), to[set].data(), bench.stream());
    });
    bench.line(fmt::format("fold {} {} {}x{}{}", fold_word(spec.type), fold_word(spec.base), rows, k,
                           spec.values == InputLayout::shuffled ? " shuffled" : ""),
               {rows * k / 2 + rows * k / 32, rows * k * (spec.type == FoldType::bf16 ? 2 : 1)}, us);
  }
}

void bench_quantise(Bench& bench, std::int64_t rows, std::int64_t k, DType from) {
  Problem problem{.m = rows, .n = 1, .k = k};
  problem.a = problem.w = {from, Scaling::none};
  const auto of_a_set = rows * k * 5 / 2;
  const auto values = bench.sets(draw_operands(problem, Recipe::gaussian, 1).a, of_a_set);
  const auto to = bench.sets(rows * k / 2, of_a_set);
  const auto scales = bench.sets(rows * k / 32, of_a_set);
  const Quantiser quantiser({.from = from, .rows = rows, .k = k}, bench.arch());
  const auto us = bench.median_us([&](std::int64_t i) {
    const auto set = static_cast<std::size_t>(i) % values.size();
    quantiser.launch(values[set].data(), to[set].data(), scales[set].data(), bench.stream());
  });
  bench.line(fmt::format("quantise {} {}x{}", to_string(from), rows, k), {rows * k * 2, rows * k / 2 + rows * k / 32},
             us);
}

/// The first scale of each of `wide_rows` rows is raised by 20 binades, which makes the row wide.
void bench_rescue(Bench& bench, const Problem& problem, std::int64_t wide_rows) {
  auto host = draw_operands(problem, Recipe::gaussian, 1);
  for (std::int64_t row = 0; row < wide_rows; ++row) {
    auto& scale = host.a_scale[static_cast<std::size_t>(row * problem.k / 32)];
    scale = static_cast<std::byte>(static_cast<unsigned char>(scale) + 20);
  }
  const FoldSpec a_spec{.type = FoldType::e4m3, .base = FoldBase::row, .rows = problem.m, .k = problem.k};
  const FoldSpec w_spec{.type = FoldType::e4m3, .base = FoldBase::row, .rows = problem.n, .k = problem.k};
  const auto one = std::int64_t{1} << 40;
  const auto a = bench.sets(host.a, one), a_scale = bench.sets(host.a_scale, one);
  const auto w = bench.sets(host.w, one), w_scale = bench.sets(host.w_scale, one);
  const auto folded_a = bench.sets(static_cast<std::int64_t>(fold_layout(a_spec).bytes), one);
  const auto folded_w = bench.sets(static_cast<std::int64_t>(fold_layout(w_spec).bytes), one);
  const auto c = bench.sets(problem.m * problem.n * 2, one);
  Folder(a_spec, bench.arch()).launch(a[0].data(), a_scale[0].data(), folded_a[0].data(), bench.stream());
  Folder(w_spec, bench.arch()).launch(w[0].data(), w_scale[0].data(), folded_w[0].data(), bench.stream());
  bench.stream().synchronize();
  const Rescuer rescuer(problem, a_spec, w_spec, bench.arch());
  const Operands operands{.a = a[0].data(), .a_scale = a_scale[0].data(), .c = c[0].data()};
  const auto us = bench.median_us(
      [&](std::int64_t) { rescuer.launch(operands, folded_a[0].data(), folded_w[0].data(), bench.stream()); });
  const double flops = 2.0 * static_cast<double>(wide_rows) * static_cast<double>(problem.n * problem.k);
  fmt::print("rescue {:5} of {} rows, N = {}, K = {}: {:.2f} us, {:.0f} TFLOPS\n", wide_rows, problem.m, problem.n,
             problem.k, us, flops / us / 1e6);
}

int run(const char* id) {
  const auto device = open_device(id);
  Bench bench(*device);
  const FoldSpec row{.type = FoldType::e4m3, .base = FoldBase::row};
  const FoldSpec tensor{.type = FoldType::e4m3, .base = FoldBase::tensor};
  const FoldSpec chunk{.type = FoldType::e4m3, .base = FoldBase::chunk};
  const FoldSpec int8{.type = FoldType::int8, .base = FoldBase::row};
  const FoldSpec bf16{.type = FoldType::bf16, .base = FoldBase::none};
  auto shuffled = row;
  shuffled.values = shuffled.e8m0 = InputLayout::shuffled;
  bench_folds(bench, 16384, 32768, {row, tensor, chunk, int8, bf16});
  bench_folds(bench, 16384, 8192, {row, tensor, chunk, int8, bf16, shuffled});
  bench_folds(bench, 4480, 36224, {row});
  bench_folds(bench, 6528, 5632, {row, tensor});
  for (const std::int64_t m : {1, 16, 64, 128}) bench_folds(bench, m, 8192, {row, tensor});
  for (const std::int64_t m : {1, 128}) bench_folds(bench, m, 28672, {row});
  bench_quantise(bench, 16384, 16384, DType::bf16);
  bench_quantise(bench, 16384, 16384, DType::f16);
  bench_quantise(bench, 128, 8192, DType::bf16);
  const auto problem = parse_problem("4096x8192x8192:e2m1/1x32:e2m1/1x32:bf16:packed");
  for (const std::int64_t wide : {0, 1, 64, 1024, 4096}) bench_rescue(bench, problem, wide);
  bench_rescue(bench, parse_problem("65536x1024x512:e2m1/1x32:e2m1/1x32:bf16:packed"), 0);
  return 0;
}

}  // namespace
}  // namespace gemmtune

/// kernels_benchmark [DEVICE]
int main(int argc, char** argv) { return gemmtune::main_on_device(argc, argv, gemmtune::run); }
