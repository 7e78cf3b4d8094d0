// Tests the installed interfaces within the build. tests/install checks that they build and link from outside.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gemmtune/runtime.hpp>
#include <new>
#include <string>
#include <vector>

namespace {

namespace runtime = gemmtune::runtime;

runtime::Options on_cpu() {
  runtime::Options options;
  options.device = "cpu";
  options.tables = "";
  options.say = [](const char*) {};
  return options;
}

/// Operands of 4x8x16:f32:f32:f32 with a bias: every product is 16 times a[m] plus n.
struct Memory {
  Memory() {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i / 16 + 1);
    for (std::size_t n = 0; n < bias.size(); ++n) bias[n] = static_cast<float>(n);
    w.fill(1);
    c.fill(-1);
  }

  runtime::Operands operands(const gemmtune_plan_info& info) {
    workspace.resize(info.workspace_bytes + 256);
    runtime::Operands o;
    o.a = a.data();
    o.w = w.data();
    o.bias = bias.data();
    o.c = c.data();
    o.workspace = workspace.data() + (256 - reinterpret_cast<std::uintptr_t>(workspace.data()) % 256) % 256;
    o.workspace_bytes = info.workspace_bytes;
    return o;
  }

  bool is_right() const {
    for (std::size_t i = 0; i < c.size(); ++i)
      if (c[i] != 16 * static_cast<float>(i / 8 + 1) + static_cast<float>(i % 8)) return false;
    return true;
  }

  std::array<float, 4 * 16> a;
  std::array<float, 8 * 16> w;
  std::array<float, 8> bias;
  std::array<float, 4 * 8> c;
  std::vector<char> workspace;
};

gemmtune_problem problem() { return runtime::parse_problem("4x8x16:f32:f32:f32:bias"); }

class RuntimeCApi : public testing::Test {
 protected:
  /// The status of a launch with what `change` makes of good operands.
  template <typename Change>
  gemmtune_status launch_after(const Change& change) {
    auto operands = memory.operands(plan.info());
    change(operands);
    message.text[0] = '?';
    return gemmtune_launch(plan.get(), &operands, nullptr, &message);
  }

  runtime::Runtime opened{on_cpu()};
  runtime::Plan plan{opened.plan(problem())};
  Memory memory;
  gemmtune_message message{};
};

TEST_F(RuntimeCApi, Multiplies) {
  EXPECT_EQ(opened.device(), "cpu:0");
  EXPECT_EQ(launch_after([](auto&) {}), GEMMTUNE_OK);
  EXPECT_STREQ(message.text, "");
  EXPECT_TRUE(memory.is_right());
  EXPECT_EQ(opened.counters().launches, 1U);
  EXPECT_EQ(opened.counters().fallback, 1U);
  EXPECT_NE(opened.summary().find("launches: 1"), std::string::npos);
}

TEST_F(RuntimeCApi, TellsWhichKernelRuns) {
  const auto info = plan.info();
  EXPECT_EQ(info.match, GEMMTUNE_FALLBACK);
  EXPECT_STREQ(info.libtype, "onednn");
  EXPECT_EQ(std::string(info.kernel_name).find("onednn_"), 0U);
  EXPECT_STREQ(info.source, "default of onednn");
  EXPECT_EQ(info.alignment, sizeof(float));
  EXPECT_EQ(info.packed_bytes, 0U);
}

TEST_F(RuntimeCApi, RefusedLaunchesWriteNothingAndSayWhy) {
  EXPECT_EQ(launch_after([](auto& o) { o.a = nullptr; }), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_STREQ(message.text, "a is null, and the problem has it");
  EXPECT_EQ(launch_after([](auto& o) { o.struct_size = 8; }), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(message.text).find("struct_size"), std::string::npos);
  EXPECT_EQ(launch_after([](auto& o) { o.c = static_cast<char*>(o.c) + 2; }), GEMMTUNE_MISALIGNED);
  EXPECT_NE(std::string(message.text).find("no multiple of 4 bytes"), std::string::npos) << message.text;
  EXPECT_EQ(gemmtune_launch(nullptr, nullptr, nullptr, &message), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_EQ(gemmtune_launch(plan.get(), nullptr, nullptr, nullptr), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_EQ(memory.c.front(), -1);
  EXPECT_EQ(opened.counters().refused, 2U);
  EXPECT_THROW(plan.launch(runtime::Operands()), runtime::Error);
  EXPECT_EQ(plan.try_launch(runtime::Operands()), GEMMTUNE_INVALID_ARGUMENT);
}

TEST_F(RuntimeCApi, RefusesToPackWhereNothingIsPacked) {
  EXPECT_EQ(gemmtune_pack_weights(plan.get(), memory.w.data(), nullptr, memory.c.data(), nullptr, &message),
            GEMMTUNE_WRONG_PACKING);
  EXPECT_STREQ(message.text, "the plan's kernel reads the weights as they are");
  EXPECT_EQ(gemmtune_pack_weights(nullptr, nullptr, nullptr, nullptr, nullptr, &message), GEMMTUNE_INVALID_ARGUMENT);
}

TEST_F(RuntimeCApi, RefusesProblemsThatItCannotRead) {
  gemmtune_plan* none = plan.get();
  auto odd = problem();
  odd.struct_size = 0;
  EXPECT_EQ(gemmtune_plan_problem(opened.get(), &odd, &none, &message), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_EQ(none, nullptr);
  odd = problem();
  odd.a_type = 99;
  EXPECT_EQ(gemmtune_plan_problem(opened.get(), &odd, &none, &message), GEMMTUNE_INVALID_ARGUMENT);
  odd = problem();
  odd.lda = -1;
  EXPECT_EQ(gemmtune_plan_problem(opened.get(), &odd, &none, nullptr), GEMMTUNE_INVALID_ARGUMENT);
  odd = problem();
  odd.m = -4;
  EXPECT_EQ(gemmtune_plan_problem(opened.get(), &odd, &none, &message), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_STRNE(message.text, "");
  odd = problem();
  odd.a_type = GEMMTUNE_E8M0;
  EXPECT_EQ(gemmtune_plan_problem(opened.get(), &odd, &none, &message), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_EQ(gemmtune_plan_problem(nullptr, &odd, &none, &message), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_EQ(gemmtune_plan_problem(opened.get(), nullptr, &none, &message), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_EQ(gemmtune_plan_problem(opened.get(), &odd, nullptr, &message), GEMMTUNE_INVALID_ARGUMENT);
}

TEST_F(RuntimeCApi, PrewarmingSaysHowManyAreReady) {
  const std::array<gemmtune_problem, 2> wanted{problem(), runtime::parse_problem("8x8x16:bf16:bf16:bf16")};
  std::size_t ready = 77;
  EXPECT_EQ(gemmtune_prewarm(opened.get(), wanted.data(), wanted.size(), &ready, &message), GEMMTUNE_OK);
  EXPECT_EQ(ready, 2U);
  auto odd = wanted;
  odd[1].k = 0;
  EXPECT_EQ(gemmtune_prewarm(opened.get(), odd.data(), odd.size(), &ready, &message), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_EQ(ready, 1U);
  EXPECT_EQ(gemmtune_prewarm(opened.get(), nullptr, 1, &ready, &message), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_EQ(gemmtune_prewarm(opened.get(), nullptr, 0, nullptr, nullptr), GEMMTUNE_OK);
}

TEST_F(RuntimeCApi, Quantises) {
  auto wanted = gemmtune_quantisation_init();
  wanted.from_type = GEMMTUNE_F32;
  wanted.to_type = GEMMTUNE_INT8;
  wanted.scaling = GEMMTUNE_PER_ROW;
  wanted.rows = 2;
  wanted.k = 4;
  std::size_t value_bytes = 0;
  std::size_t scale_bytes = 0;
  EXPECT_EQ(gemmtune_quantised_bytes(&wanted, &value_bytes, &scale_bytes, &message), GEMMTUNE_OK);
  EXPECT_EQ(value_bytes, 8U);
  EXPECT_EQ(scale_bytes, 8U);
  const std::array<float, 8> from{127, -127, 1, 0, 254, 2, -4, 0};
  std::array<signed char, 8> values{};
  std::array<float, 2> scales{};
  EXPECT_EQ(gemmtune_quantise(opened.get(), &wanted, from.data(), values.data(), scales.data(), nullptr, &message),
            GEMMTUNE_OK)
      << message.text;
  EXPECT_EQ(values, (std::array<signed char, 8>{127, -127, 1, 0, 127, 1, -2, 0}));
  EXPECT_EQ(scales, (std::array<float, 2>{1, 2}));
  EXPECT_EQ(gemmtune_quantise(opened.get(), &wanted, nullptr, values.data(), scales.data(), nullptr, &message),
            GEMMTUNE_INVALID_ARGUMENT);
  wanted.scaling = GEMMTUNE_MX_1X32;
  EXPECT_EQ(gemmtune_quantised_bytes(&wanted, &value_bytes, &scale_bytes, &message), GEMMTUNE_UNSUPPORTED);
  EXPECT_STREQ(message.text, "1x32 scales are for e2m1 and e4m3");
  wanted.to_type = 77;
  EXPECT_EQ(gemmtune_quantised_bytes(&wanted, &value_bytes, &scale_bytes, &message), GEMMTUNE_INVALID_ARGUMENT);
}

TEST_F(RuntimeCApi, CopiesOfAPlanHoldIt) {
  auto copy = plan;
  plan = runtime::Plan(nullptr);
  opened = runtime::Runtime(on_cpu());
  copy.launch(memory.operands(copy.info()));
  EXPECT_TRUE(memory.is_right());
}

TEST(RuntimeOpening, FailuresHaveAStatusAndAMessage) {
  gemmtune_runtime* none = nullptr;
  gemmtune_message message{};
  auto options = gemmtune_runtime_options_init();
  options.device = "cuda:77";
  EXPECT_EQ(gemmtune_runtime_open(&options, &none, &message), GEMMTUNE_NO_DEVICE);
  EXPECT_NE(std::string(message.text).find("cuda:77"), std::string::npos) << message.text;
  EXPECT_EQ(none, nullptr);
  options.device = "cpu";
  options.tables = "/nowhere/a16w16_tuned.csv";
  EXPECT_EQ(gemmtune_runtime_open(&options, &none, &message), GEMMTUNE_BAD_INPUT) << message.text;
  options.tables = "";
  options.fallback = 5;
  EXPECT_EQ(gemmtune_runtime_open(&options, &none, &message), GEMMTUNE_INVALID_ARGUMENT);
  options.fallback = 0;
  options.struct_size = 3;
  EXPECT_EQ(gemmtune_runtime_open(&options, &none, &message), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_EQ(gemmtune_runtime_open(&options, nullptr, &message), GEMMTUNE_INVALID_ARGUMENT);
}

TEST(RuntimeOpening, NullHandlesAreAnswered) {
  gemmtune_runtime_close(nullptr);
  gemmtune_plan_release(nullptr);
  gemmtune_plan_retain(nullptr);
  auto counters = gemmtune_counters_init();
  auto info = gemmtune_plan_info_init();
  EXPECT_STREQ(gemmtune_runtime_device(nullptr), "");
  EXPECT_EQ(gemmtune_runtime_poll(nullptr), GEMMTUNE_RELOAD_FAILED);
  EXPECT_EQ(gemmtune_runtime_count(nullptr, &counters), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_EQ(gemmtune_plan_get_info(nullptr, &info), GEMMTUNE_INVALID_ARGUMENT);
  EXPECT_EQ(gemmtune_runtime_summary(nullptr, nullptr, 0), 0U);
}

TEST(RuntimeOpening, ExceptionsOfTheCppInterfaceHaveTheStatus) {
  auto options = on_cpu();
  options.fallback = GEMMTUNE_NO_FALLBACK;
  runtime::Runtime opened(options);
  try {
    static_cast<void>(opened.plan(problem()));
    FAIL() << "there is no row";
  } catch (const runtime::Error& error) {
    EXPECT_EQ(error.status(), GEMMTUNE_UNSUPPORTED);
    EXPECT_NE(std::string(error.what()).find("no table has a row for it"), std::string::npos);
  }
  EXPECT_EQ(opened.counters().missed, 1U);
}

}  // namespace
