// Plans on the CPU: which kernel runs, how it was found, and that its product is right.
#include "gemmtune/runtime/runtime.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gemmtune/core/error.h"
#include "gemmtune/families/registry.h"
#include "tests/runtime/tables.h"

namespace gemmtune {
namespace {

constexpr const char* problem = "16x24x64:f32:f32:f32";

class RuntimeOnCpu : public testing::Test {
 protected:
  RuntimeOptions options() {
    return {.device = "cpu",
            .dispatcher = {.tables = {table.source()}, .say = quiet()},
            .say = [this](const std::string& line) { said += line + "\n"; }};
  }
  static LineSink quiet() {
    return [](const std::string&) {};
  }

  RuntimeOptions without_tables() {
    auto all = options();
    all.dispatcher.tables.clear();
    return all;
  }

  /// The last candidate of a family, which no default is.
  Candidate last_of(const std::string& family, const std::string& text = problem) const {
    for (const auto& one : families)
      if (one->name() == family) return one->candidates(parse_problem(text), cpu).back();
    throw Error(ErrorCode::internal, "no family " + family);
  }

  static PlanAnswer plan(Runtime& runtime, const std::string& text) {
    return runtime.plan({.problem = parse_problem(text)});
  }

  DeviceInfo cpu = list_devices().front();
  std::vector<std::unique_ptr<KernelFamily>> families = make_families();
  TableFile table{Format::a16w16, cpu};
  std::string said;
};

TEST_F(RuntimeOnCpu, RunsTheRowsKernelOfEachFamily) {
  for (const char* family : {"cpu_reference", "cpu_tile", "onednn", "openblas"}) {
    table.add(problem, last_of(family)).write();
    Runtime runtime(options());
    const auto answer = plan(runtime, problem);
    ASSERT_TRUE(answer.plan) << answer.why_not;
    EXPECT_EQ(answer.plan->kernel()->family(), family);
    EXPECT_EQ(answer.plan->kernel()->name(), last_of(family).name);
    EXPECT_EQ(answer.plan->origin().match, MatchKind::exact);
    EXPECT_EQ(answer.plan->origin().expected_us, 5);
    EXPECT_EQ(answer.plan->origin().line, 2);
    EXPECT_EQ(answer.plan->origin().notes, "");
    EXPECT_EQ(why_wrong(*answer.plan, Drawn(problem)), "") << family;
  }
}

/// Floats are A's only tensor, whatever the call makes of them.
TEST_F(RuntimeOnCpu, MultipliesFloatsByWeightsInBlocks) {
  Runtime runtime(without_tables());
  for (const char* types : {"a16w4", "a8w4", "a16w4_nvfp4", "a8w4_nvfp4", "a8wq4", "a8wq8", "f32/q8:int4/1x32f16:f32",
                            "f16/q8:e2m1/1x32:f16:bias", "a16w8", "a16w8_blockscale", "a16w4_fp8",
                            "f16/fp8_1x128:e4m3/128x128:f32:bias:packed"}) {
    const auto text = std::string("5x24x96:") + types;
    const auto answer = plan(runtime, text);
    ASSERT_TRUE(answer.plan) << text << ": " << answer.why_not;
    EXPECT_EQ(why_wrong(*answer.plan, Drawn(text.c_str())), "") << text;
  }
}

/// The bytes, one element after an address that is a multiple of 256.
struct Shifted {
  Shifted(const std::vector<std::byte>& bytes, std::size_t element)
      : block(bytes.size() + element), data(block.data() + element) {
    std::ranges::copy(bytes, data);
  }

  HostBlock block;
  std::byte* data;
};

/// Plans on a CPU ask for no more than whole elements.
TEST_F(RuntimeOnCpu, MultipliesTensorsThatAreAlignedToTheirElementsOnly) {
  for (const char* text : {problem, "16x24x64:bf16:bf16:bf16:bias", "16x24x64:int8/row:int8/row:bf16",
                           "16x32x64:e2m1/1x32:e2m1/1x32:bf16:packed"}) {
    const Drawn drawn(text);
    const auto element = [&](DType type) { return static_cast<std::size_t>(storage_bytes(type, 1)); };
    const auto& p = drawn.problem;
    const auto most = std::max({element(p.a.type), element(p.w.type), element(p.out)});
    const Shifted a(drawn.host.a, most), w(drawn.host.w, most), bias(drawn.host.bias, most);
    const Shifted a_scale(drawn.host.a_scale, 4), w_scale(drawn.host.w_scale, 4);
    const Shifted c(std::vector<std::byte>(static_cast<std::size_t>(operand_sizes(p).c)), most);
    for (const auto& family : families) {
      if (!family->supports(p, cpu)) continue;
      table.add(text, family->candidates(p, cpu).back()).write();
      Runtime runtime(options());
      const auto answer = runtime.plan({.problem = p});
      ASSERT_TRUE(answer.plan) << answer.why_not;
      const auto& rules = answer.plan->rules();
      const HostBlock workspace(rules.workspace_bytes), packed(rules.packed_bytes);
      LaunchOperands operands{.at = {.a = a.data,
                                     .a_scale = a_scale.data,
                                     .w = w.data,
                                     .w_scale = w_scale.data,
                                     .bias = bias.data,
                                     .c = c.data,
                                     .packed_w = packed.data(),
                                     .workspace = workspace.data()},
                              .packed_layout = rules.packed_layout,
                              .workspace_bytes = rules.workspace_bytes};
      if (rules.packed_bytes > 0) {
        ASSERT_EQ(answer.plan->pack_weights(operands.at, nullptr), Refusal::none);
      }
      auto stream = answer.plan->stream(nullptr);
      ASSERT_EQ(answer.plan->launch(operands, stream), Refusal::none);
      const std::span<const std::byte> written(c.data, static_cast<std::size_t>(operand_sizes(p).c));
      EXPECT_EQ(check::first_difference(p, drawn.expected, written), "") << answer.plan->kernel()->name();
    }
  }
}

TEST_F(RuntimeOnCpu, RunsARowOfAnotherMAtTheProblemsOwnM) {
  const auto kernel = last_of("cpu_tile", "64x24x64:f32:f32:f32");
  table.add("64x24x64:f32:f32:f32", kernel).write();
  Runtime runtime(options());
  for (const auto& [text, match] : {std::pair("50x24x64:f32:f32:f32", MatchKind::padded_fine),
                                    std::pair("100x24x64:f32:f32:f32", MatchKind::nearest)}) {
    const auto answer = plan(runtime, text);
    ASSERT_TRUE(answer.plan) << answer.why_not;
    EXPECT_EQ(answer.plan->origin().match, match) << text;
    EXPECT_EQ(answer.plan->origin().tuned_m, 64);
    EXPECT_EQ(answer.plan->kernel()->name(), kernel.name);
    EXPECT_EQ(why_wrong(*answer.plan, Drawn(text)), "");
  }
}

TEST_F(RuntimeOnCpu, WithoutARowTheBestFamilysDefaultRuns) {
  Runtime runtime(without_tables());
  for (const char* text : {problem, "5x7x33:bf16:bf16:bf16:bias", "9x16x64:int8/row:int8/row:bf16",
                           "8x24x256:e4m3/1x128:e4m3/128x128:bf16", "16x32x64:e2m1/1x32:e2m1/1x32:bf16:packed",
                           "12x8x16:f32:f32:f32:tn:lda=20:gelu_tanh:residual", "6x10x32:bf16:bf16:f32:batch=3"}) {
    const auto answer = plan(runtime, text);
    ASSERT_TRUE(answer.plan) << answer.why_not;
    EXPECT_EQ(answer.plan->origin().match, MatchKind::fallback);
    EXPECT_EQ(answer.plan->origin().tuned_m, 0);
    EXPECT_EQ(answer.plan->origin().source, "default of " + answer.plan->kernel()->family());
    EXPECT_NE(answer.plan->kernel()->family(), "cpu_reference") << text;
    EXPECT_EQ(why_wrong(*answer.plan, Drawn(text)), "") << text;
  }
  EXPECT_EQ(plan(runtime, problem).plan->kernel()->family(), "onednn");
}

TEST_F(RuntimeOnCpu, WithoutAFallbackAProblemWithoutARowHasNoPlan) {
  auto strict = without_tables();
  strict.planner.fallback = FallbackPolicy::none;
  Runtime runtime(strict);
  const auto answer = plan(runtime, problem);
  EXPECT_EQ(answer.status, PlanStatus::unsupported);
  EXPECT_FALSE(answer.plan);
  EXPECT_EQ(answer.why_not, "16x24x64:f32:f32:f32: no table has a row for it, and there is no fallback");
  EXPECT_EQ(plan(runtime, problem).why_not, answer.why_not) << "it is known the second time";
  EXPECT_EQ(runtime.totals().missed, 1U);
}

TEST_F(RuntimeOnCpu, TakesTheSecondBestIfTheBestCannotBeRun) {
  const auto second = last_of("openblas");
  table.add(problem, {.family = "asm", .name = "fast_kernel"}, 4).add(problem, second, 6).write();
  Runtime runtime(options());
  const auto answer = plan(runtime, problem);
  ASSERT_TRUE(answer.plan) << answer.why_not;
  EXPECT_EQ(answer.plan->kernel()->name(), second.name);
  EXPECT_EQ(answer.plan->origin().match, MatchKind::exact);
  EXPECT_EQ(answer.plan->origin().expected_us, 6);
  EXPECT_EQ(answer.plan->origin().notes,
            "exact asm fast_kernel (" + table.source().path.string() + ":2): this build has no family \"asm\"");
  EXPECT_EQ(runtime.totals().declined, 1U);
  EXPECT_EQ(why_wrong(*answer.plan, Drawn(problem)), "");
}

/// Tables of this format have no column for the family.
TEST_F(RuntimeOnCpu, FindsTheFamilyByTheKernelsNameWhereTheTableDoesNotSayIt) {
  constexpr const char* mx = "16x32x64:e2m1/1x32:e2m1/1x32:bf16:packed";
  TableFile a4w4(Format::a4w4, cpu);
  a4w4.add(mx, last_of("cpu_tile", mx)).write();
  auto all = options();
  all.dispatcher.tables = {a4w4.source()};
  Runtime runtime(all);
  const auto answer = plan(runtime, mx);
  ASSERT_TRUE(answer.plan) << answer.why_not;
  EXPECT_EQ(answer.plan->kernel()->name(), last_of("cpu_tile", mx).name) << answer.plan->origin().notes;
  EXPECT_EQ(answer.plan->origin().match, MatchKind::exact);
  EXPECT_EQ(why_wrong(*answer.plan, Drawn(mx)), "");
}

TEST_F(RuntimeOnCpu, AKernelThatIsNotOfItsFamilyIsDeclined) {
  table.add(problem, {.family = "cpu_tile", .name = "cpu_tile_f32_of_the_future"}).write();
  Runtime runtime(options());
  const auto answer = plan(runtime, problem);
  ASSERT_TRUE(answer.plan) << answer.why_not;
  EXPECT_EQ(answer.plan->origin().match, MatchKind::fallback);
  EXPECT_NE(answer.plan->origin().notes.find("cpu_tile has no kernel 'cpu_tile_f32_of_the_future'"), std::string::npos)
      << answer.plan->origin().notes;
}

TEST_F(RuntimeOnCpu, KernelsThatNeedMoreWorkspaceThanTheLimitAreDeclined) {
  table.add(problem, last_of("cpu_reference")).write();
  auto limited = options();
  limited.planner.workspace_limit_bytes = 64;
  Runtime runtime(limited);
  const auto answer = plan(runtime, problem);
  if (answer.plan) {
    EXPECT_LE(answer.plan->rules().workspace_bytes, 64U);
    EXPECT_NE(answer.plan->origin().notes.find("bytes of workspace, and the limit is 64"), std::string::npos);
  } else {
    EXPECT_NE(answer.why_not.find("bytes of workspace, and the limit is 64"), std::string::npos) << answer.why_not;
  }
  EXPECT_GE(runtime.totals().declined, 1U);
}

TEST_F(RuntimeOnCpu, AProblemThatIsNoProductIsInvalid) {
  Runtime runtime(without_tables());
  auto odd = parse_problem(problem);
  odd.k = 0;
  const auto answer = runtime.plan({.problem = odd});
  EXPECT_EQ(answer.status, PlanStatus::invalid);
  EXPECT_NE(answer.why_not, "");
  EXPECT_EQ(runtime.totals().missed, 0U);
}

TEST_F(RuntimeOnCpu, EqualProblemsHaveOnePlan) {
  Runtime runtime(without_tables());
  const auto first = plan(runtime, problem);
  const auto second = plan(runtime, problem);
  EXPECT_EQ(&*first.plan, &*second.plan);
  auto spelt_out = parse_problem(problem);
  spelt_out.layout.a_strides.leading_dimension = spelt_out.k;  // what 0 stands for
  EXPECT_EQ(runtime.plan({.problem = spelt_out}).plan->problem(), parse_problem(problem));
  EXPECT_EQ(runtime.totals().plans[static_cast<std::size_t>(MatchKind::fallback)], 2U);
}

TEST_F(RuntimeOnCpu, OnlyPrewarmedProblemsAreReadyIfNothingMayBeCompiled) {
  auto serving = without_tables();
  serving.compile = CompilePolicy::in_prewarm;
  Runtime runtime(serving);
  EXPECT_EQ(plan(runtime, problem).status, PlanStatus::not_ready);
  EXPECT_EQ(plan(runtime, problem).why_not, "16x24x64:f32:f32:f32 was not prewarmed");
  const std::vector wanted{parse_problem(problem), Problem{}, parse_problem("32x24x64:f32:f32:f32")};
  const auto done = runtime.prewarm(wanted);
  EXPECT_EQ(done.ready, 2U);
  EXPECT_EQ(done.first_failure.status, PlanStatus::invalid);
  const auto answer = plan(runtime, problem);
  ASSERT_EQ(answer.status, PlanStatus::ready);
  EXPECT_EQ(why_wrong(*answer.plan, Drawn(problem)), "");
  EXPECT_EQ(plan(runtime, "33x24x64:f32:f32:f32").status, PlanStatus::not_ready);
}

TEST_F(RuntimeOnCpu, NewTablesBringNewPlansAndOldPlansStayValid) {
  constexpr const char* other = "16x48x64:f32:f32:f32";
  table.add(problem, last_of("openblas")).add(other, last_of("cpu_tile", other)).write();
  Runtime runtime(options());
  const auto old = plan(runtime, problem);
  const auto unchanged = plan(runtime, other);
  EXPECT_EQ(runtime.poll(), Reload::unchanged);

  table.add(problem, last_of("cpu_tile"), 4.5).add(other, last_of("cpu_tile", other)).write();
  EXPECT_EQ(runtime.poll(), Reload::reloaded);
  const auto renewed = plan(runtime, problem);
  EXPECT_EQ(renewed.plan->kernel()->name(), last_of("cpu_tile").name);
  EXPECT_EQ(renewed.plan->origin().expected_us, 4.5);
  EXPECT_EQ(old.plan->kernel()->name(), last_of("openblas").name);
  EXPECT_EQ(why_wrong(*old.plan, Drawn(problem)), "");
  EXPECT_EQ(why_wrong(*renewed.plan, Drawn(problem)), "");
  EXPECT_EQ(plan(runtime, other).plan->kernel(), unchanged.plan->kernel()) << "it was not prepared again";
  EXPECT_EQ(runtime.totals().reloads, 1U);

  write_file_atomically(table.source().path, "no table\n");
  EXPECT_EQ(runtime.poll(), Reload::failed);
  EXPECT_EQ(plan(runtime, problem).plan->kernel()->name(), last_of("cpu_tile").name);
}

TEST_F(RuntimeOnCpu, PlansOutliveTheirRuntime) {
  auto runtime = std::make_unique<Runtime>(without_tables());
  const auto answer = plan(*runtime, problem);
  runtime.reset();
  EXPECT_EQ(why_wrong(*answer.plan, Drawn(problem)), "");
}

TEST_F(RuntimeOnCpu, PlansForSeveralMShareOnePackedCopyWhereTheLayoutIsTheSame) {
  constexpr const char* one = "1x24x64:f32:f32:f32:packed";
  constexpr const char* many = "64x24x64:f32:f32:f32:packed";
  table.add(one, last_of("cpu_reference", one)).add(many, last_of("cpu_reference", many)).write();
  Runtime runtime(options());
  const auto few = plan(runtime, one);
  const auto more = plan(runtime, many);
  ASSERT_GT(few.plan->rules().packed_bytes, 0U);
  EXPECT_EQ(few.plan->rules().packed_layout, more.plan->rules().packed_layout);

  const auto shared = runtime.plan({parse_problem("7x24x64:f32:f32:f32:packed"), few.plan->rules().packed_layout});
  ASSERT_TRUE(shared.plan) << shared.why_not;
  EXPECT_EQ(shared.plan->kernel()->family(), "cpu_reference");
  EXPECT_EQ(why_wrong(*shared.plan, Drawn("7x24x64:f32:f32:f32:packed")), "");
  const auto none = runtime.plan({parse_problem(one), 12345});
  EXPECT_EQ(none.status, PlanStatus::unsupported);
  EXPECT_NE(none.why_not.find("it reads weights that are packed in another way"), std::string::npos) << none.why_not;
}

TEST_F(RuntimeOnCpu, LogsWhatRunsAndWhatWasDeclined) {
  table.add(problem, {.family = "asm", .name = "fast_kernel"}).write();
  auto logging = options();
  logging.logs_plans = true;
  Runtime runtime(logging);
  static_cast<void>(plan(runtime, problem));
  static_cast<void>(plan(runtime, problem));
  EXPECT_EQ(said.find("16x24x64:f32:f32:f32: fallback: onednn onednn_"), 0U) << said;
  EXPECT_NE(said.find("  declined: exact asm fast_kernel"), std::string::npos) << said;
  EXPECT_EQ(std::ranges::count(said, '\n'), 2);
}

TEST_F(RuntimeOnCpu, SaysItsSummaryOnceWhenItIsClosed) {
  auto telling = without_tables();
  telling.has_summary = true;
  {
    Runtime runtime(telling);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(why_wrong(*plan(runtime, problem).plan, Drawn(problem)), "");
    EXPECT_EQ(runtime.totals().launches, 3U);
    EXPECT_EQ(said, "");
  }
  EXPECT_NE(said.find("plans: 0 exact, 0 padded, 0 nearest, 1 fallback, 0 missed; 0 choices declined; launches: 3, of "
                      "them 0 tuned, 0 refused; 0 reloads\n"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("           3 fallback      onednn onednn_"), std::string::npos) << said;
}

TEST_F(RuntimeOnCpu, AMissingDeviceIsAnError) {
  auto elsewhere = without_tables();
  elsewhere.device = "cuda:77";
  try {
    const Runtime runtime(elsewhere);
    FAIL() << "there is no such device";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::no_device) << error.what();
  }
}

}  // namespace
}  // namespace gemmtune
