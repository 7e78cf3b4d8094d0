#include "gemmtune/exchange/gguf_uses.h"

#include <algorithm>
#include <array>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

struct Known {
  std::string_view stem{};
  GgufUse use{};
};

using enum GgufUse;

constexpr std::array known{
    // attention
    Known{"attn_q", outputs},
    Known{"attn_k", kv_outputs},
    Known{"attn_v", kv_outputs},
    Known{"attn_qkv", qkv_outputs},
    Known{"attn_gate", outputs},
    Known{"attn_output", inputs},
    Known{"attn_q_a", whole},
    Known{"attn_q_b", outputs},
    Known{"attn_kv_a_mqa", whole},
    Known{"attn_kv_b", outputs},
    Known{"attn_k_b", heads},
    Known{"attn_v_b", heads},
    Known{"indexer.proj", whole},
    Known{"indexer.attn_k", whole},
    Known{"indexer.attn_q_b", whole},
    // feed-forward parts
    Known{"ffn_gate", outputs},
    Known{"ffn_up", outputs},
    Known{"ffn_down", inputs},
    Known{"ffn_gate_inp", whole},
    Known{"ffn_gate_inp_shexp", whole},
    Known{"ffn_gate_shexp", outputs},
    Known{"ffn_up_shexp", outputs},
    Known{"ffn_down_shexp", inputs},
    Known{"ffn_gate_exps", expert_outputs},
    Known{"ffn_up_exps", expert_outputs},
    Known{"ffn_gate_up_exps", expert_outputs},
    Known{"ffn_down_exps", expert_inputs},
    Known{"ffn_latent_down", whole},
    Known{"ffn_latent_up", whole},
    // state-space models, linear attention, short convolutions
    Known{"ssm_in", undivided},
    Known{"ssm_x", undivided},
    Known{"ssm_dt", undivided},
    Known{"ssm_out", undivided},
    Known{"ssm_alpha", undivided},
    Known{"ssm_beta", undivided},
    Known{"ssm_ba", undivided},
    Known{"ssm_f_a", undivided},
    Known{"ssm_f_b", undivided},
    Known{"ssm_g_a", undivided},
    Known{"ssm_g_b", undivided},
    Known{"shortconv.in_proj", undivided},
    Known{"shortconv.out_proj", undivided},
    // RWKV
    Known{"time_mix_w1", undivided},
    Known{"time_mix_w2", undivided},
    Known{"time_mix_a1", undivided},
    Known{"time_mix_a2", undivided},
    Known{"time_mix_v1", undivided},
    Known{"time_mix_v2", undivided},
    Known{"time_mix_g1", undivided},
    Known{"time_mix_g2", undivided},
    Known{"time_mix_decay_w1", undivided},
    Known{"time_mix_decay_w2", undivided},
    Known{"time_mix_key", undivided},
    Known{"time_mix_value", undivided},
    Known{"time_mix_receptance", undivided},
    Known{"time_mix_gate", undivided},
    Known{"time_mix_output", undivided},
    Known{"channel_mix_key", undivided},
    Known{"channel_mix_receptance", undivided},
    Known{"channel_mix_value", undivided},
    // Gemma 3n
    Known{"inp_gate", undivided},
    Known{"proj", undivided},
    Known{"laurel_l", undivided},
    Known{"laurel_r", undivided},
    Known{"altup_router", undivided},
    Known{"altup_predict_coef", undivided},
    Known{"altup_correct_coef", undivided},
    // no multiplications
    Known{"ssm_conv1d", no_product},
    Known{"ssm_conv1d_q", no_product},
    Known{"ssm_conv1d_k", no_product},
    Known{"ssm_conv1d_v", no_product},
    Known{"shortconv.conv", no_product},
    Known{"attn_rel_b", no_product},
    Known{"ffn_gate_tid2eid", no_product},
    Known{"indexer_compressor_ape", no_product},
    Known{"attn_compressor_ape", no_product},
    Known{"nextn.embed_tokens", no_product},
    Known{"altup_correct_scale", no_product},
};

bool is_named_as_no_product(std::string_view stem) {
  return stem.find("norm") != stem.npos || stem.starts_with("time_mix_lerp") || stem.starts_with("channel_mix_lerp") ||
         stem.starts_with("time_mix_ln");
}

}  // namespace

GgufName parse_gguf_name(std::string_view name) {
  GgufName parsed;
  if (name.starts_with("blk.")) {
    const auto end = name.find('.', 4);
    const auto layer = end == name.npos ? std::nullopt : parse_int(name.substr(4, end - 4));
    if (layer && *layer >= 0) {
      parsed.layer = layer;
      name.remove_prefix(end + 1);
    }
  }
  for (const std::string_view kind : {"weight", "bias"})
    if (name.size() > kind.size() + 1 && name.ends_with(kind) && name[name.size() - kind.size() - 1] == '.') {
      parsed.kind = kind;
      name.remove_suffix(kind.size() + 1);
      break;
    }
  parsed.stem = name;
  return parsed;
}

std::optional<GgufUse> gguf_use(std::string_view stem) {
  const auto found = std::ranges::find(known, stem, &Known::stem);
  if (found != known.end()) return found->use;
  if (is_named_as_no_product(stem)) return no_product;
  return std::nullopt;
}

}  // namespace gemmtune
