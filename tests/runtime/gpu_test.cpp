// Plans on a GPU: products inside and outside of graphs, on streams of the program, against the reference. Skipped
// without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "gemmtune/core/text.h"
#include "gemmtune/device/gpu/vendor.h"
#include "gemmtune/families/registry.h"
#include "tests/runtime/graph_kernels.h"
#include "tests/runtime/quantisations.h"
#include "tests/runtime/tables.h"
#include "tests/support/on_gpu.h"

namespace gemmtune {
namespace {

/// The operands of a plan on the device, with C and a workspace of their own.
class OnDevice {
 public:
  OnDevice(Device& device, const Plan& plan, const Drawn& drawn)
      : device_(device), plan_(plan), drawn_(drawn), c_(poisoned(operand_sizes(drawn.problem).c)) {
    for (const auto* bytes : {&drawn.host.a, &drawn.host.a_scale, &drawn.host.w, &drawn.host.w_scale, &drawn.host.bias,
                              &drawn.host.residual}) {
      inputs_.push_back(device.allocate(bytes->size()));
      device.upload(*bytes, inputs_.back().data());
    }
    workspace_ = device.allocate(plan.rules().workspace_bytes);
    packed_ = device.allocate(plan.rules().packed_bytes);
  }

  LaunchOperands operands() const {
    LaunchOperands o{.at = {.a = inputs_[0].data(),
                            .a_scale = inputs_[1].data(),
                            .w = inputs_[2].data(),
                            .w_scale = inputs_[3].data(),
                            .bias = inputs_[4].data(),
                            .residual = inputs_[5].data(),
                            .c = c_.data(),
                            .workspace = workspace_.data()},
                     .workspace_bytes = workspace_.size()};
    if (plan_.rules().packed_bytes == 0) return o;
    o.at.w = nullptr;
    o.at.packed_w = packed_.data();
    o.packed_layout = plan_.rules().packed_layout;
    return o;
  }

  void pack(void* stream) const {
    if (plan_.rules().packed_bytes == 0) return;
    const Operands weights{.w = inputs_[2].data(), .w_scale = inputs_[3].data(), .packed_w = packed_.data()};
    ASSERT_EQ(plan_.pack_weights(weights, stream), Refusal::none) << packing_refusal_text(plan_.rules(), weights);
  }

  void launch(void* stream) const {
    auto on = plan_.stream(stream);
    const auto refusal = plan_.launch(operands(), on);
    ASSERT_EQ(refusal, Refusal::none) << plan_.refusal_text(refusal, operands(), on);
  }

  void poison() { device_.fill(c_.data(), c_.size(), 0xffff); }

  std::string why_wrong() const {
    std::vector<std::byte> c(c_.size());
    device_.download(c_.data(), c);
    const auto why = check::first_difference(drawn_.problem, drawn_.expected, c);
    return why.empty() ? "" : to_string(drawn_.problem) + " by " + plan_.kernel()->name() + ": " + why;
  }

 private:
  Buffer poisoned(std::int64_t bytes) const {
    auto buffer = device_.allocate(static_cast<std::size_t>(bytes));
    device_.fill(buffer.data(), buffer.size(), 0xffff);
    device_.stream().synchronize();
    return buffer;
  }

  Device& device_;
  const Plan& plan_;
  const Drawn& drawn_;
  std::vector<Buffer> inputs_;
  Buffer c_;
  Buffer workspace_;
  Buffer packed_;
};

Drawn drawn_for_gpu(const std::string& text, std::uint64_t seed = 1) {
  Drawn drawn(text, seed);
  drawn.expected = check::expected_product(drawn.problem, drawn.host, {.computed_on = DeviceKind::cuda});
  return drawn;
}

class RuntimeOnGpu : public NeedsGpu {
 protected:
  void SetUp() override {
    NeedsGpu::SetUp();
    if (!device_) return;
    if (device_->info().kind != DeviceKind::cuda) GTEST_SKIP() << "these tests are for NVIDIA's driver";
    driver_ = gpu::driver_of(gpu::vendor_of(DeviceKind::cuda));
  }

  RuntimeOptions options(const std::vector<TableSource>& tables = {}) const {
    return {.device = device_id(device_->info()),
            .dispatcher = {.tables = tables, .say = [](const std::string&) {}},
            .say = [](const std::string& line) { std::printf("%s\n", line.c_str()); }};
  }

  void* own_stream() const { return driver_->create_stream(); }

  std::shared_ptr<const gpu::Driver> driver_;
};

/// Why a plan's product is wrong when launched on a stream of the program, or "".
std::string launched(Device& device, const gpu::Driver& driver, const Plan& plan, const Drawn& drawn) {
  OnDevice memory(device, plan, drawn);
  const auto stream = driver.create_stream();
  memory.pack(stream);
  memory.launch(stream);
  driver.synchronize(stream);
  driver.destroy(stream);
  return memory.why_wrong();
}

TEST_F(RuntimeOnGpu, DefaultsMultiplyEveryFormat) {
  auto all = options();
  all.logs_plans = true;
  Runtime runtime(all);
  for (const char* text :
       {"64x512x1024:bf16:bf16:bf16", "33x96x256:bf16:bf16:bf16:bias:relu", "48x128x512:fp16:fp16:fp16:residual",
        "64x256x512:e4m3/tensor:e4m3/tensor:bf16", "64x256x512:e4m3/row:e4m3/row:bf16:bias",
        "64x256x512:e4m3/1x128:e4m3/128x128:bf16", "64x256x512:int8/row:int8/row:bf16",
        "16x256x512:e2m1/1x32:e2m1/1x32:bf16:packed", "128x256x512:e2m1/1x32:e2m1/1x32:bf16:packed"}) {
    const auto answer = runtime.plan({.problem = parse_problem(text)});
    if (!answer.plan) {
      std::printf("no plan: %s\n", answer.why_not.c_str());
      continue;
    }
    EXPECT_EQ(answer.plan->origin().match, MatchKind::fallback);
    EXPECT_EQ(launched(*device_, *driver_, *answer.plan, drawn_for_gpu(text)), "");
  }
  EXPECT_TRUE(runtime.plan({.problem = parse_problem("64x512x1024:bf16:bf16:bf16")}).plan);
}

/// A family's first candidates for a problem, which a table then names.
std::vector<Candidate> some_candidates(const KernelFamily& family, const Problem& problem, const DeviceInfo& device) {
  if (!family.supports(problem, device)) return {};
  auto all = family.candidates(problem, device);
  all.resize(std::min<std::size_t>(all.size(), 3));
  return all;
}

/// A candidate that a table names, and the plan that it gives.
struct TabledCandidate {
  const KernelFamily& family;
  const Candidate& candidate;
  const Plan& plan;
  const Drawn& drawn;
};

/// Calls `use` for some candidates of every family, each planned from a table of its own. Returns how many there were.
template <typename Use>
int for_tabled_candidates(const DeviceInfo& device, const auto& options, const Use& use) {
  int count = 0;
  for (const auto& [text, format] : {std::pair("64x512x512:bf16:bf16:bf16", Format::a16w16),
                                     std::pair("32x256x512:e2m1/1x32:e2m1/1x32:bf16:packed", Format::a4w4)}) {
    const auto drawn = drawn_for_gpu(text);
    for (const auto& family : make_families()) {
      for (const auto& candidate : some_candidates(*family, drawn.problem, device)) {
        TableFile table(format, device);
        table.add(text, candidate).write();
        Runtime runtime(options({table.source()}));
        const auto answer = runtime.plan({.problem = drawn.problem});
        EXPECT_TRUE(answer.plan) << answer.why_not;
        if (!answer.plan) continue;
        EXPECT_EQ(answer.plan->kernel()->name(), candidate.name) << answer.plan->origin().notes;
        EXPECT_EQ(answer.plan->origin().match, MatchKind::exact);
        use(TabledCandidate{*family, candidate, *answer.plan, drawn});
        ++count;
      }
    }
  }
  return count;
}

TEST_F(RuntimeOnGpu, RunsTheRowsKernelOfEachFamilyInsideAGraph) {
  const auto with = [this](const std::vector<TableSource>& tables) { return options(tables); };
  const int run = for_tabled_candidates(device_->info(), with, [&](const TabledCandidate& one) {
    OnDevice memory(*device_, one.plan, one.drawn);
    const auto stream = driver_->create_stream();
    memory.pack(stream);
    driver_->begin_capture(stream);
    memory.launch(stream);  // the first launch of all: nothing may be loaded or allocated now
    const auto graph = driver_->end_capture(stream);
    ASSERT_NE(graph, nullptr) << one.candidate.name << " cannot be captured";
    const auto exec = driver_->instantiate(graph);
    for (int i = 0; i < 3; ++i) {
      memory.poison();
      device_->stream().synchronize();
      driver_->launch(exec, stream);
      driver_->synchronize(stream);
      EXPECT_EQ(memory.why_wrong(), "");
    }
    driver_->destroy(exec);
    driver_->destroy(graph);
    driver_->destroy(stream);
  });
  std::printf("%d kernels ran inside graphs\n", run);
  EXPECT_GT(run, 0);
}

/// What the driver reports for one launch of `launch`, which gets a stream that is being captured.
template <typename Launch>
std::vector<std::string> kernels_of(const gpu::Driver& driver, const Launch& launch) {
  const auto stream = driver.create_stream();
  driver.begin_capture(stream);
  launch(stream);
  const auto graph = driver.end_capture(stream);
  const auto names = graph == nullptr ? std::vector<std::string>{} : GraphKernels().names(graph);
  if (graph != nullptr) driver.destroy(graph);
  driver.destroy(stream);
  return names;
}

/// Part of the name that the driver knows the kernel by: "multiply_skinny", or the tile in the name of a library's
/// kernel ("nvjet_…_64x8_…").
std::string word_of(const Candidate& candidate) {
  if (candidate.family == "mxfp4_skinny") return "multiply_skinny";
  if (candidate.family == "mxfp4_fused") return "multiply_fused";
  const auto tile = candidate.name.find("_t");
  if (candidate.family != "cublaslt" || tile == std::string::npos) return "";
  return "_" + candidate.name.substr(tile + 2, candidate.name.find('_', tile + 2) - tile - 2) + "_";
}

TEST_F(RuntimeOnGpu, TheKernelOfTheTableIsWhatTheDriverRuns) {
  const auto with = [this](const std::vector<TableSource>& tables) { return options(tables); };
  const int run = for_tabled_candidates(device_->info(), with, [&](const TabledCandidate& one) {
    const OnDevice memory(*device_, one.plan, one.drawn);
    const auto ran = kernels_of(*driver_, [&](gpu::StreamHandle stream) { memory.launch(stream); });
    const auto gemm = one.family.prepare(one.drawn.problem, one.candidate, device_->info());
    const auto tuned = kernels_of(*driver_, [&](gpu::StreamHandle handle) {
      LaunchStream stream(DeviceKind::cuda, handle);
      gemm->launch(memory.operands().at, stream);
    });
    const auto& name = one.candidate.name;
    EXPECT_EQ(ran, tuned) << name;
    const auto word = word_of(one.candidate);
    const auto has_word = [&](const std::string& kernel) { return kernel.find(word) != std::string::npos; };
    EXPECT_TRUE(std::ranges::any_of(ran, has_word)) << name << ": no kernel is named *" << word << "*";
    std::printf("%s: %s\n", name.c_str(), join(ran, " ").c_str());
  });
  EXPECT_GT(run, 0);
}

TEST_F(RuntimeOnGpu, WeightsOfAnotherLayoutAreRefused) {
  Runtime runtime(options());
  constexpr const char* text = "16x256x512:e2m1/1x32:e2m1/1x32:bf16:packed";
  const auto answer = runtime.plan({.problem = parse_problem(text)});
  if (!answer.plan) GTEST_SKIP() << answer.why_not;
  const auto drawn = drawn_for_gpu(text);
  const OnDevice memory(*device_, *answer.plan, drawn);
  auto operands = memory.operands();
  operands.packed_layout ^= 1;
  auto stream = answer.plan->stream(nullptr);
  EXPECT_EQ(answer.plan->launch(operands, stream), Refusal::wrong_packing);
}

TEST_F(RuntimeOnGpu, MisalignedViewsAreRefused) {
  Runtime runtime(options());
  constexpr const char* text = "64x512x512:bf16:bf16:bf16";
  const auto answer = runtime.plan({.problem = parse_problem(text)});
  ASSERT_TRUE(answer.plan) << answer.why_not;
  const auto drawn = drawn_for_gpu(text);
  const OnDevice memory(*device_, *answer.plan, drawn);
  auto operands = memory.operands();
  operands.at.a += 2;
  auto stream = answer.plan->stream(nullptr);
  EXPECT_EQ(answer.plan->launch(operands, stream), Refusal::misaligned);
  std::printf("%s needs %zu bytes of alignment\n", answer.plan->kernel()->name().c_str(),
              answer.plan->rules().tensor_alignment);
}

TEST_F(RuntimeOnGpu, AThreadWithoutAContextLaunches) {
  Runtime runtime(options());
  const auto drawn = drawn_for_gpu("64x512x512:bf16:bf16:bf16");
  const auto answer = runtime.plan({.problem = drawn.problem});
  ASSERT_TRUE(answer.plan) << answer.why_not;
  const OnDevice memory(*device_, *answer.plan, drawn);
  std::thread([&] { memory.launch(nullptr); }).join();
  driver_->synchronize(gpu::StreamHandle{});
  EXPECT_EQ(memory.why_wrong(), "");
}

/// A context of a thread's own, on the same device.
class OwnContext {
 public:
  OwnContext() { create_(&context_, 0, 0); }
  ~OwnContext() { destroy_(context_); }
  OwnContext(const OwnContext&) = delete;
  OwnContext& operator=(const OwnContext&) = delete;

  bool is_there() const { return context_ != nullptr; }

 private:
  SharedLibrary library_ = *SharedLibrary::open({"libcuda.so.1"});
  int (*create_)(void**, unsigned, int) = library_.function<int(void**, unsigned, int)>("cuCtxCreate_v2");
  int (*destroy_)(void*) = library_.function<int(void*)>("cuCtxDestroy_v2");
  void* context_{};
};

TEST_F(RuntimeOnGpu, ALaunchInAnotherContextIsRefusedAndWritesNothing) {
  Runtime runtime(options());
  const auto drawn = drawn_for_gpu("64x512x512:bf16:bf16:bf16");
  const auto answer = runtime.plan({.problem = drawn.problem});
  ASSERT_TRUE(answer.plan) << answer.why_not;
  const OnDevice memory(*device_, *answer.plan, drawn);
  std::thread([&] {
    const OwnContext other;
    ASSERT_TRUE(other.is_there());
    auto stream = answer.plan->stream(nullptr);
    const auto refusal = answer.plan->launch(memory.operands(), stream);
    EXPECT_EQ(refusal, Refusal::wrong_device);
    EXPECT_NE(answer.plan->refusal_text(refusal, memory.operands(), stream).find("current device is not"),
              std::string::npos);
  }).join();
  EXPECT_NE(memory.why_wrong(), "");  // still the poison
}

/// A capture as programs begin them: calls of other threads that allocate would spoil it.
class StrictCapture {
 public:
  explicit StrictCapture(gpu::StreamHandle stream) : began_(begin_(stream, 0)) {}

  bool has_begun() const { return began_ == 0; }

 private:
  SharedLibrary library_ = *SharedLibrary::open({"libcuda.so.1"});
  int (*begin_)(gpu::StreamHandle, int) = library_.function<int(gpu::StreamHandle, int)>("cuStreamBeginCapture_v2");
  int began_;
};

/// Tables are reloaded, and new problems planned, while the program captures a graph: on its own thread and on others.
TEST_F(RuntimeOnGpu, PlanningAndReloadingDoNotSpoilACaptureOfTheProgram) {
  constexpr const char* mxfp4 = "16x256x512:e2m1/1x32:e2m1/1x32:bf16:packed";
  const auto drawn = drawn_for_gpu("64x512x512:bf16:bf16:bf16");
  const auto some = [&](const char* text, std::string_view name) {
    std::vector<Candidate> all;
    for (const auto& family : make_families())
      if (family->name() == name) all = some_candidates(*family, parse_problem(text), device_->info());
    return all;
  };
  const auto kernels = some(mxfp4, "mxfp4_skinny");
  if (kernels.size() < 2) GTEST_SKIP() << "this GPU has no kernels of mxfp4_skinny";
  TableFile table(Format::a4w4, device_->info());
  table.add(mxfp4, kernels[0]).write();
  Runtime runtime(options({table.source()}));
  ASSERT_TRUE(runtime.plan({.problem = parse_problem(mxfp4)}).plan);
  const auto plan = runtime.plan({.problem = drawn.problem}).plan;
  ASSERT_TRUE(plan);
  OnDevice memory(*device_, *plan, drawn);
  const auto stream = driver_->create_stream();
  const StrictCapture capture(stream);
  ASSERT_TRUE(capture.has_begun());
  memory.launch(stream);
  table.add(mxfp4, kernels[1]).write();
  std::thread([&] { EXPECT_EQ(runtime.poll(), Reload::reloaded); }).join();
  EXPECT_TRUE(runtime.plan({.problem = parse_problem("32x256x512:e2m1/1x32:e2m1/1x32:bf16:packed")}).plan);
  EXPECT_TRUE(runtime.plan({.problem = parse_problem("40x512x512:bf16:bf16:bf16:bias")}).plan);
  const auto graph = driver_->end_capture(stream);
  ASSERT_NE(graph, nullptr) << "the capture was spoilt";
  EXPECT_EQ(runtime.plan({.problem = parse_problem(mxfp4)}).plan->kernel()->name(), kernels[1].name);
  const auto exec = driver_->instantiate(graph);
  driver_->launch(exec, stream);
  driver_->synchronize(stream);
  EXPECT_EQ(memory.why_wrong(), "");
  driver_->destroy(exec);
  driver_->destroy(graph);
  driver_->destroy(stream);
}

TEST_F(RuntimeOnGpu, OpeningAndPlanningLeaveTheThreadsContextAsItIs) {
  std::thread([&] {
    const auto before = driver_->current_context();
    Runtime runtime(options());
    static_cast<void>(runtime.plan({.problem = parse_problem("64x512x512:bf16:bf16:bf16")}));
    EXPECT_EQ(driver_->current_context(), before);
  }).join();
}

TEST_F(RuntimeOnGpu, QuantisesToTheBitsOfTheHostsQuantiser) {
  Runtime runtime(options());
  const auto stream = driver_->create_stream();
  for (const auto& wanted : quantisations()) {
    const auto given = drawn_matrix(wanted);
    auto got = room_for(wanted);
    const auto from = device_->allocate(given.size());
    const auto values = device_->allocate(got.values.size());
    const auto scales = device_->allocate(got.scales.size());
    device_->upload(given, from.data());
    runtime.quantising().run(wanted, {from.data(), values.data(), scales.data()}, stream);
    driver_->synchronize(stream);
    device_->download(values.data(), got.values);
    device_->download(scales.data(), got.scales);
    const auto expected = expected_of(wanted, given);
    EXPECT_TRUE(got.values == expected.values) << text_of(wanted);
    EXPECT_TRUE(got.scales == expected.scales) << text_of(wanted);
  }
  driver_->destroy(stream);
}

/// The scales' addresses are part of the library's description of a call, which threads must not share.
TEST_F(RuntimeOnGpu, ThreadsOnFourStreamsMultiplyRightWhileTablesAreReloaded) {
  constexpr int thread_count = 16;
  const char* given = std::getenv("GEMMTUNE_TEST_LAUNCHES");  // of each thread
  const int launches = given == nullptr ? 2000 : std::atoi(given);
  const std::vector<std::string> texts{"64x256x512:bf16:bf16:bf16:bias", "32x256x512:e4m3/tensor:e4m3/tensor:bf16",
                                       "16x128x256:bf16:bf16:f32"};
  std::vector<Drawn> drawn;
  for (int i = 0; i < thread_count; ++i)
    drawn.push_back(drawn_for_gpu(texts[static_cast<std::size_t>(i) % texts.size()], 100 + static_cast<unsigned>(i)));
  TableFile table(Format::a16w16, device_->info());
  std::vector<Candidate> kernels;
  for (const auto& family : make_families())
    if (family->name() == "cublaslt") kernels = some_candidates(*family, drawn.front().problem, device_->info());
  ASSERT_FALSE(kernels.empty());
  const auto rewrite = [&](std::size_t n) {
    table.add(texts.front(), kernels[n % kernels.size()], 5 + static_cast<double>(n % 7)).write();
  };
  rewrite(0);
  Runtime runtime(options({table.source()}));
  std::vector<gpu::StreamHandle> streams;
  for (int i = 0; i < 4; ++i) streams.push_back(driver_->create_stream());
  std::atomic<int> running{thread_count};
  std::vector<std::string> whys(thread_count);
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i)
    threads.emplace_back([&, i] {
      const auto opened = make_gpu_device(device_->info());
      const auto& one = drawn[static_cast<std::size_t>(i)];
      for (int round = 0; round < 4 && whys[static_cast<std::size_t>(i)].empty(); ++round) {
        const auto answer = runtime.plan({.problem = one.problem});
        if (!answer.plan) break;
        OnDevice memory(*opened, *answer.plan, one);
        const auto stream = streams[static_cast<std::size_t>(i + round) % streams.size()];
        for (int n = 0; n < launches / 4; ++n) memory.launch(stream);
        driver_->synchronize(stream);
        whys[static_cast<std::size_t>(i)] = memory.why_wrong();
      }
      --running;
    });
  for (std::size_t n = 1; running > 0; ++n) {
    rewrite(n);
    EXPECT_NE(runtime.poll(), Reload::failed);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  for (auto& thread : threads) thread.join();
  for (const auto& why : whys) EXPECT_EQ(why, "");
  for (const auto stream : streams) driver_->destroy(stream);
  for (const auto& line : runtime.summary()) std::printf("%s\n", line.c_str());
  EXPECT_GT(runtime.totals().reloads, 0U);
}

}  // namespace
}  // namespace gemmtune
