#include "gemmtune/cli/tune/tune_options.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"
#include "gemmtune/device/device.h"

namespace gemmtune {
namespace {

TEST(TuneOptions, ColdInstructionsAreForWhatIsTimed) {
  for (const bool cold : {false, true}) {
    const auto plan = plan_of({.cold_instructions = cold}, {});
    EXPECT_EQ(plan.screen.measure.cold_instructions, cold);
    EXPECT_EQ(plan.confirm.measure.cold_instructions, cold);
    EXPECT_FALSE(plan.prove.measure.cold_instructions) << "proofs time nothing, so they need not be repeated";
  }
}

TEST(TuneOptions, TheRegretIsGivenInPercent) {
  EXPECT_DOUBLE_EQ(plan_of({}, {}).regret, usual_regret);
  EXPECT_DOUBLE_EQ(plan_of({.regret_pct = 0.5}, {}).regret, 0.005);
}

TEST(TuneOptions, ThePolicysTextNamesThemWhereTheyAre) {
  auto policy = confirm_policy();
  EXPECT_EQ(policy_text(policy), "confirm warmup=5 samples<=101 cold err_ratio<=0.05 seed=0");
  policy.measure.cold_instructions = true;
  EXPECT_EQ(policy_text(policy), "confirm warmup=5 samples<=101 cold cold_instructions err_ratio<=0.05 seed=0");
}

TEST(TuneOptions, ColdInstructionsNeedADeviceThatHasThem) {
  for (const auto kind : {DeviceKind::cpu, DeviceKind::cuda, DeviceKind::hip}) {
    const DeviceInfo device{.kind = kind};
    EXPECT_NO_THROW(insist_on_measurable({}, device));
    if (kind == DeviceKind::cuda) {
      EXPECT_NO_THROW(insist_on_measurable({.cold_instructions = true}, device));
      continue;
    }
    try {
      insist_on_measurable({.cold_instructions = true}, device);
      ADD_FAILURE() << device_id(device) << " is not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_EQ(error.what(),
                "--cold_instructions on " + device_id(device) + ": " + why_not_cold_instructions(device.kind));
    }
  }
}

}  // namespace
}  // namespace gemmtune
