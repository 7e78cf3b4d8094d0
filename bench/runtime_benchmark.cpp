// What finding a plan and launching it cost, beside the kernel's own launch. See docs/results/runtime.md.
//   runtime_benchmark            on a CPU: plans found, and launches of a kernel that does nothing
//   runtime_benchmark            on a machine with an NVIDIA GPU also: cublasLtMatmul, called directly and by a plan;
//                                these alone: --benchmark_filter=16x64
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <gemmtune/runtime.hpp>
#include <memory>
#include <string>
#include <vector>

#include "gemmtune/device/gpu/vendor.h"
#include "gemmtune/families/cublaslt/call.h"
#include "gemmtune/families/cublaslt/enumeration.h"
#include "gemmtune/families/cublaslt/kernel_name.h"
#include "gemmtune/families/cublaslt/matmul.h"
#include "gemmtune/runtime/runtime.h"

namespace gemmtune::bench {
namespace {

constexpr std::int64_t hot_problems = 256;  // what a model asks for again and again

LineSink quiet() {
  return [](const std::string&) {};
}

RuntimeOptions options(const std::string& device) {
  return {.device = device, .dispatcher = {.say = quiet()}, .say = quiet()};
}

Runtime& on_cpu() {
  static Runtime runtime(options("cpu"));
  return runtime;
}

std::vector<PlanKey> planned(Runtime& runtime) {
  std::vector<PlanKey> keys;
  for (std::int64_t m = 1; m <= hot_problems; ++m) {
    keys.push_back({.problem = parse_problem(std::to_string(m) + "x32x32:f32:f32:f32")});
    static_cast<void>(runtime.plan(keys.back()));
  }
  return keys;
}

void plan_found(benchmark::State& state) {
  static const auto keys = planned(on_cpu());
  std::size_t i = 37 * static_cast<std::size_t>(state.thread_index());
  for (auto _ : state) {
    const auto answer = on_cpu().plan(keys[i++ % keys.size()]);
    benchmark::DoNotOptimize(answer.plan);
  }
}

void plan_found_by_the_c_interface(benchmark::State& state) {
  static runtime::Runtime opened([] {
    runtime::Options given;
    given.device = "cpu";
    given.tables = "";
    return given;
  }());
  auto problem = runtime::parse_problem("16x32x32:f32:f32:f32");
  static_cast<void>(opened.plan(problem));
  for (auto _ : state) {
    gemmtune_plan* plan = nullptr;
    benchmark::DoNotOptimize(gemmtune_plan_problem(opened.get(), &problem, &plan, nullptr));
    gemmtune_plan_release(plan);
  }
}

/// A family whose kernel does nothing, so that only the plan's own cost is left.
class NothingFamily final : public KernelFamily {
  class Nothing final : public PreparedGemm {
    void launch(const Operands& operands, Stream&) noexcept override { benchmark::DoNotOptimize(operands); }
  };

 public:
  std::string_view name() const override { return "nothing"; }
  std::string version() const override { return "1"; }
  std::vector<Candidate> candidates(const Problem&, const DeviceInfo&) const override { return {}; }

 private:
  std::string why_not(const Problem&, const DeviceInfo&) const override { return ""; }
  std::unique_ptr<PreparedGemm> make(const Problem&, const Candidate&, const DeviceInfo&) const override {
    return std::make_unique<Nothing>();
  }
};

void launch_of_nothing(benchmark::State& state) {
  static const auto set = std::make_shared<const FamilySet>(ServingDevice::open("cpu"));
  static const NothingFamily family;
  static const auto problem = parse_problem("16x32x32:f32:f32:f32");
  static const PlanRef plan(new Plan(problem, std::make_shared<const PreparedKernel>(set, family, problem, "nothing"),
                                     {}, std::make_shared<KernelTally>()));
  alignas(256) static std::byte memory[256];
  gemmtune_operands operands = gemmtune_operands_init();
  operands.a = operands.w = operands.c = memory;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        gemmtune_launch(reinterpret_cast<const gemmtune_plan*>(&*plan), &operands, nullptr, nullptr));
}

/// One product on the first NVIDIA GPU, small enough that the host's work is what takes the time.
class OnGpu {
 public:
  explicit OnGpu(const char* text)
      : problem_(parse_problem(text)),
        device_(open_device("cuda:0")),
        runtime_(options("cuda:0")),
        plan_(runtime_.plan({.problem = problem_}).plan),
        session_(std::make_shared<const cublaslt::Session>(cublaslt::Library::open())),
        matmul_(session_, cublaslt::call_of(problem_).matmul),
        algo_(matmul_.ranked_algos({.workspace_bytes = cublaslt::default_workspace_bytes, .most = 1}).front()),
        memory_(device_->allocate(std::size_t{64} << 20)) {
    const auto name = cublaslt::parse_kernel_name(plan_->kernel()->name());
    if (!name || matmul_.config_of(algo_) != name->config) throw std::runtime_error("the plan has another algorithm");
  }

  void launch_directly() {
    const cublaslt::Addresses addresses{.a = at(0),
                                        .a_scale = at(5),
                                        .w = at(1),
                                        .w_scale = at(5),
                                        .bias = at(4),
                                        .product = at(2),
                                        .workspace = at(3)};
    if (const char* why = matmul_.launch(addresses, algo_, plan_->rules().workspace_bytes, stream()); *why != '\0')
      throw std::runtime_error(why);
  }

  void launch_by_plan() {
    gemmtune_operands operands = gemmtune_operands_init();
    operands.a = at(0);
    operands.w = at(1);
    operands.c = at(2);
    operands.bias = at(4);
    operands.a_scale = operands.w_scale = at(5);
    operands.workspace = at(3);
    operands.workspace_bytes = plan_->rules().workspace_bytes;
    if (gemmtune_launch(reinterpret_cast<const gemmtune_plan*>(&*plan_), &operands, stream(), nullptr) != GEMMTUNE_OK)
      throw std::runtime_error("refused");
  }

  /// What each launch asks the driver.
  void look_at_context() { benchmark::DoNotOptimize(plan_->kernel()->device().is_reached()); }

  void wait() { device_->stream().synchronize(); }

 private:
  std::byte* at(std::size_t i) const { return memory_.data() + (i << 20); }
  cudaStream_t stream() const { return static_cast<cudaStream_t>(device_->stream().native_handle()); }

  Problem problem_;
  std::unique_ptr<Device> device_;
  Runtime runtime_;
  PlanRef plan_;
  std::shared_ptr<const cublaslt::Session> session_;
  cublaslt::Matmul matmul_;
  cublasLtMatmulAlgo_t algo_;  // the same structure as the plan's
  Buffer memory_;
};

using Clock = std::chrono::steady_clock;

constexpr int burst = 128;  // launches that the device's queue holds

/// Nanoseconds of the host for one launch. Waiting for the device is not timed.
double launch_ns(OnGpu& gpu, void (OnGpu::*launch)()) {
  const auto start = Clock::now();
  for (int i = 0; i < burst; ++i) (gpu.*launch)();
  const std::chrono::duration<double, std::nano> took = Clock::now() - start;
  gpu.wait();
  return took.count() / burst;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Bursts of direct launches and of plans' launches in turn, in changing order. `again_ns` is the difference between
/// direct launches and more of them, which says how far the difference can be trusted.
void launches_in_turn(benchmark::State& state, const char* text) {
  OnGpu gpu(text);
  const std::vector ways{&OnGpu::launch_directly, &OnGpu::launch_by_plan, &OnGpu::launch_directly};
  std::vector<double> direct, planned, again, context;
  for (auto _ : state) {
    std::array<double, 3> took{};
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const auto way = (direct.size() + i) % ways.size();
      took[way] = launch_ns(gpu, ways[way]);
    }
    direct.push_back(took[0]);
    planned.push_back(took[1] - took[0]);
    again.push_back(took[2] - took[0]);
    context.push_back(launch_ns(gpu, &OnGpu::look_at_context));
  }
  state.counters["direct_ns"] = median(direct);
  state.counters["planned_more_ns"] = median(planned);
  state.counters["again_more_ns"] = median(again);
  state.counters["context_ns"] = median(context);
}

/// Where other people use the machine, too, the least disturbed repetition is the most telling.
double least(const std::vector<double>& times) { return *std::ranges::min_element(times); }

void with_minimum(benchmark::internal::Benchmark* benchmark) { benchmark->ComputeStatistics("min", least); }

BENCHMARK(plan_found)->Apply(with_minimum)->ThreadRange(1, 16)->UseRealTime();
BENCHMARK(plan_found_by_the_c_interface)->Apply(with_minimum);
BENCHMARK(launch_of_nothing)->Apply(with_minimum)->ThreadRange(1, 16)->UseRealTime();

void add_gpu() {
  if (!gpu::find_driver(DeviceKind::cuda)) return;
  for (const char* text :
       {"16x64x64:bf16:bf16:bf16", "16x64x64:bf16:bf16:bf16:bias", "16x64x128:e4m3/tensor:e4m3/tensor:bf16"})
    benchmark::RegisterBenchmark(text, launches_in_turn, text)->Iterations(1000);
}

}  // namespace
}  // namespace gemmtune::bench

int main(int argc, char** argv) {
  gemmtune::bench::add_gpu();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
