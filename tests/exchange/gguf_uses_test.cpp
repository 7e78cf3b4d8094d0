#include "gemmtune/exchange/gguf_uses.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

TEST(GgufUses, ANameHasALayerAStemAndAKind) {
  const auto name = parse_gguf_name("blk.12.ffn_gate_exps.weight");
  EXPECT_EQ(name.layer, 12);
  EXPECT_EQ(name.stem, "ffn_gate_exps");
  EXPECT_EQ(name.kind, "weight");
  EXPECT_EQ(parse_gguf_name("blk.0.attn_q.bias").kind, "bias");
  EXPECT_EQ(parse_gguf_name("blk.0.nextn.eh_proj.weight").stem, "nextn.eh_proj");
  EXPECT_EQ(parse_gguf_name("output.weight").layer, std::nullopt);
  EXPECT_EQ(parse_gguf_name("output.weight").stem, "output");
  for (const auto* odd :
       {"blk.", "blk..x", "blk.x.attn_q", "blk.-1.attn_q", "blk.99999999999999999999.a", "", "weight", ".weight"})
    EXPECT_EQ(parse_gguf_name(odd).layer, std::nullopt) << odd;
}

TEST(GgufUses, StemsHaveTheirUse) {
  EXPECT_EQ(gguf_use("attn_q"), GgufUse::outputs);
  EXPECT_EQ(gguf_use("attn_k"), GgufUse::kv_outputs);
  EXPECT_EQ(gguf_use("ffn_down"), GgufUse::inputs);
  EXPECT_EQ(gguf_use("ffn_down_exps"), GgufUse::expert_inputs);
  EXPECT_EQ(gguf_use("attn_k_b"), GgufUse::heads);
  for (const auto* stem : {"attn_q_norm", "ssm_conv1d", "post_ffw_norm_1", "time_mix_lerp_fused", "indexer.k_norm"})
    EXPECT_EQ(gguf_use(stem), GgufUse::no_product) << stem;
  EXPECT_EQ(gguf_use("attn_something"), std::nullopt);
}

}  // namespace
}  // namespace gemmtune
