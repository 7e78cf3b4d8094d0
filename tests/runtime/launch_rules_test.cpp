#include "gemmtune/runtime/launch_rules.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

/// A product that is never computed.
class Invented final : public PreparedGemm {
 public:
  explicit Invented(std::string layout, std::size_t packed = 512) : layout_(std::move(layout)), packed_(packed) {}
  std::size_t packed_weight_bytes() const override { return packed_; }
  std::string packed_layout() const override { return layout_; }
  std::size_t workspace_bytes() const override { return 1024; }
  AddressAlignment alignment() const override { return {.tensors = 32, .scales = 8}; }
  void launch(const Operands&, Stream&) noexcept override {}

 private:
  std::string layout_;
  std::size_t packed_;
};

std::byte* address(std::uintptr_t value) { return reinterpret_cast<std::byte*>(value); }

LaunchRules rules_of(const std::string& problem, DeviceKind kind = DeviceKind::cuda) {
  return launch_rules(parse_problem(problem), "invented", Invented("bricks"), kind);
}

const LaunchRules& fp8() {
  static const auto rules = rules_of("8x64x128:e4m3/row:e4m3/row:bf16:bias:residual:packed");
  return rules;
}

LaunchOperands good() {
  return {.at = {.a = address(0x1000),
                 .a_scale = address(0x2000),
                 .w_scale = address(0x3000),
                 .bias = address(0x4000),
                 .residual = address(0x5000),
                 .c = address(0x6000),
                 .packed_w = address(0x7000),
                 .workspace = address(0x8000)},
          .packed_layout = fp8().packed_layout,
          .workspace_bytes = 1024};
}

std::string why_refused(const LaunchOperands& operands, Refusal refusal) {
  EXPECT_EQ(check_operands(fp8(), operands), refusal);
  return refusal_text(fp8(), operands);
}

TEST(LaunchRules, AcceptWhatTheyAskFor) { EXPECT_EQ(why_refused(good(), Refusal::none), ""); }

TEST(LaunchRules, RefuseNullOperandsThatTheProblemHas) {
  for (const auto& [member, name] : {std::pair(&Operands::a, "a"), std::pair(&Operands::a_scale, "a_scale"),
                                     std::pair(&Operands::w_scale, "w_scale"), std::pair(&Operands::bias, "bias"),
                                     std::pair(&Operands::residual, "residual")}) {
    auto operands = good();
    operands.at.*member = nullptr;
    EXPECT_EQ(why_refused(operands, Refusal::missing_operand), std::string(name) + " is null, and the problem has it");
  }
  auto operands = good();
  operands.at.c = nullptr;
  EXPECT_EQ(why_refused(operands, Refusal::missing_operand), "c is null, and the problem has it");
}

TEST(LaunchRules, RefuseAResidualThatIsCItself) {
  auto operands = good();
  operands.at.residual = operands.at.c;
  EXPECT_EQ(why_refused(operands, Refusal::missing_operand), "the residual is C itself");
}

TEST(LaunchRules, RefuseMisalignedAddresses) {
  for (const auto& [member, alignment] :
       {std::pair(&Operands::a, 32), std::pair(&Operands::bias, 32), std::pair(&Operands::residual, 32),
        std::pair(&Operands::a_scale, 8), std::pair(&Operands::w_scale, 8), std::pair(&Operands::packed_w, 256)}) {
    auto operands = good();
    operands.at.*member += alignment / 2;
    const auto why = why_refused(operands, Refusal::misaligned);
    EXPECT_NE(why.find("which is no multiple of " + std::to_string(alignment) + " bytes"), std::string::npos) << why;
  }
  auto operands = good();
  operands.at.workspace += 128;
  EXPECT_EQ(why_refused(operands, Refusal::misaligned), "workspace is at 0x8080, which is no multiple of 256 bytes");
}

TEST(LaunchRules, RefuseASmallWorkspace) {
  auto operands = good();
  operands.workspace_bytes = 1023;
  EXPECT_EQ(why_refused(operands, Refusal::small_workspace), "the workspace has 1023 bytes, 1024 are needed");
  operands = good();
  operands.at.workspace = nullptr;
  EXPECT_EQ(why_refused(operands, Refusal::small_workspace), "workspace is null, 1024 bytes are needed");
}

TEST(LaunchRules, RefuseWeightsThatArePackedForAnotherKernel) {
  auto operands = good();
  operands.packed_layout = 7;
  EXPECT_NE(why_refused(operands, Refusal::wrong_packing).find("packed_layout is 0x7, and the plan's kernel reads 0x"),
            std::string::npos);
  operands = good();
  operands.at.packed_w = nullptr;
  EXPECT_EQ(why_refused(operands, Refusal::wrong_packing),
            "packed_w is null, and the plan's kernel reads packed weights");
}

TEST(LaunchRules, LookAtNothingThatTheProblemDoesNotHave) {
  const auto rules =
      launch_rules(parse_problem("8x64x128:bf16:bf16:bf16"), "invented", Invented("", 0), DeviceKind::cuda);
  LaunchOperands operands{.at = {.a = address(0x1000), .w = address(0x2000), .c = address(0x3000)}};
  operands.at.workspace = address(0x4000);
  operands.workspace_bytes = 1024;
  operands.at.bias = operands.at.residual = operands.at.a_scale = operands.at.packed_w = address(1);
  EXPECT_EQ(check_operands(rules, operands), Refusal::none);
  operands.at.w = nullptr;
  EXPECT_EQ(check_operands(rules, operands), Refusal::missing_operand);
}

TEST(LaunchRules, AskForTheElementsOwnSizeOnACpu) {
  EXPECT_EQ(rules_of("8x64x128:bf16:bf16:f32", DeviceKind::cpu).tensor_alignment, 4U);
  EXPECT_EQ(rules_of("8x64x128:bf16:bf16:bf16", DeviceKind::cpu).tensor_alignment, 2U);
  const auto mx = rules_of("8x64x128:e2m1/1x32:e2m1/1x32:bf16:packed", DeviceKind::cpu);
  EXPECT_EQ(mx.a_scale_alignment, 1U);
  EXPECT_EQ(rules_of("8x64x128:e4m3/tensor:e4m3/tensor:bf16").a_scale_alignment, 4U);
}

TEST(LaunchRules, PackedWeightsAreSharedByLayoutAndNotByM) {
  const auto layout = [](const std::string& problem, const std::string& name, const std::string& text) {
    return launch_rules(parse_problem(problem), name, Invented(text), DeviceKind::cuda).packed_layout;
  };
  const auto known = layout("8x64x128:f32:f32:f32:packed", "a", "bricks");
  EXPECT_NE(known, 0U);
  EXPECT_EQ(known, layout("99x64x128:f32:f32:f32:bias:packed", "b", "bricks"));
  EXPECT_NE(known, layout("8x64x256:f32:f32:f32:packed", "a", "bricks"));
  EXPECT_NE(known, layout("8x64x128:f32:f32:f32:packed", "a", "tiles"));
  const auto own = layout("8x64x128:f32:f32:f32:packed", "a", "");
  EXPECT_NE(own, layout("9x64x128:f32:f32:f32:packed", "a", ""));
  EXPECT_NE(own, layout("8x64x128:f32:f32:f32:packed", "b", ""));
}

TEST(LaunchRules, RefuseToPackWhatCannotBePacked) {
  Operands weights{.w = address(0x1000), .w_scale = address(0x2000), .packed_w = address(0x3000)};
  EXPECT_EQ(check_packing(fp8(), weights), Refusal::none);
  weights.packed_w += 64;
  EXPECT_EQ(check_packing(fp8(), weights), Refusal::misaligned);
  EXPECT_EQ(packing_refusal_text(fp8(), weights), "packed is at 0x3040, which is no multiple of 256 bytes");
  weights.w_scale = nullptr;
  EXPECT_EQ(check_packing(fp8(), weights), Refusal::missing_operand);
  EXPECT_EQ(packing_refusal_text(fp8(), weights), "w_scale is null");
  EXPECT_EQ(check_packing({}, weights), Refusal::wrong_packing);
  EXPECT_EQ(packing_refusal_text({}, weights), "the plan's kernel reads the weights as they are");
}

}  // namespace
}  // namespace gemmtune
