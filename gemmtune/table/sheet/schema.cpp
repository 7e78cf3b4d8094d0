#include "gemmtune/table/sheet/schema.h"

#include <algorithm>
#include <array>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

constexpr std::array<std::string_view, 3> schema_names{"seed", "today", "gemmtune"};

constexpr std::string_view any_gemm = "gfx,cu_num,B,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio";

constexpr std::array families{
    SchemaFamily{
        "a16w16",
        "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,kernelName,err_ratio,"
        "tflops,bw"},
    SchemaFamily{"a8w8", "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    SchemaFamily{"a8w8_bpreshuffle",
                 "gfx,cu_num,M,N,K,q_dtype_w,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    SchemaFamily{"a8w8_blockscale", "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    SchemaFamily{"a4w4", "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    SchemaFamily{"batched_a8w8", "gfx,cu_num,B,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    SchemaFamily{"batched_a16w16", "gfx,cu_num,B,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    SchemaFamily{"batched_mxscale", "gfx,b,m,n,k,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    SchemaFamily{"any_gemm", any_gemm},
    SchemaFamily{"a16w4", any_gemm},
    SchemaFamily{"a8w4", any_gemm},
    SchemaFamily{"a16w4_nvfp4", any_gemm},
    SchemaFamily{"a8w4_nvfp4", any_gemm},
    SchemaFamily{"a8wq4", any_gemm},
    SchemaFamily{"a8wq8", any_gemm},
    SchemaFamily{"mxfp8", any_gemm},
    SchemaFamily{"a16w8", any_gemm},
    SchemaFamily{"a16w8_blockscale", any_gemm},
    SchemaFamily{"a16w4_fp8", any_gemm},
    SchemaFamily{"fmoe",
                 "gfx,cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,use_g1u1,"
                 "doweight_stage1,block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,run_1stage,xbf16,flat,"
                 "tflops,bw,_tag"},
    SchemaFamily{"fhmoe",
                 "gfx,cu_num,token,model_dim,inter_dim,expert,topk,shared_expert_id,act_type,dtype,q_dtype_a,q_dtype_w,"
                 "q_type,use_g1u1,doweight_stage1,hidden_pad,intermediate_pad,gate_mode,block_m,ksplit,kernelName1,"
                 "kernelName2"},
    SchemaFamily{"grouped_fmoe",
                 "gfx,cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,use_g1u1,"
                 "doweight_stage1,max_m,tile_m,tile_n,tile_k,tile_m2,tile_n2,tile_k2,m_warp,n_warp,m_warp2,n_warp2,"
                 "num_buffers,num_buffer_stage2,split_k1,split_k2,grouped_persistent_m,persistent_workers,"
                 "wave_specialized_tdm,tdm_as_in_prologue,cluster_n,waves_per_tensor_tdm,next_stage_prefetch,"
                 "kernelName1,kernelName2,us,tflops,bw"},
    SchemaFamily{
        "gdn",
        "gfx,cu_num,dtype,K,V,BT,H,Hg,is_varlen,use_h0,store_fs,snapshot_bf16,state_bf16,T_flat,N,total_chunks,"
        "max_seq_chunks,BV,us"},
};

/// The order of columns: by their places in the schema. Keys that it lacks go behind its keys, other columns before
/// tflops, known ones first.
class CanonicalOrder {
 public:
  explicit CanonicalOrder(const std::vector<SheetColumn>& columns) {
    if (const auto* family = schema_family_of(columns))
      for (const auto& name : schema_columns(*family, Schema::gemmtune)) places_.push_back(find_known_column(name));
  }

  struct Rank {
    std::size_t place{};
    std::size_t among_guests{};
    std::string name{};

    auto operator<=>(const Rank&) const = default;
  };

  Rank rank(const SheetColumn& column) const {
    constexpr auto host = known_column_count + 1;
    if (const auto at = place(column.known); column.known && at < places_.size()) return {at, host, {}};
    const auto before = column.in_key() ? end_of_keys() : place(find_known_column("tflops"));
    return {before, column.known.value_or(known_column_count), to_lower(column.name)};
  }

 private:
  static constexpr std::size_t known_column_count = 1000;  // larger than their number

  std::size_t place(const std::optional<std::size_t>& known) const {
    return static_cast<std::size_t>(std::ranges::find(places_, known) - places_.begin());
  }

  /// The place of the first column that is no key.
  std::size_t end_of_keys() const {
    const auto is_key = [](const std::optional<std::size_t>& known) {
      const auto role = known ? known_columns()[*known].role : Role::carried;
      return role == Role::key || role == Role::device;
    };
    return static_cast<std::size_t>(std::ranges::find_if_not(places_, is_key) - places_.begin());
  }

  std::vector<std::optional<std::size_t>> places_;
};

/// Adds gemmtune's own columns: layout, epilogue and the whole problem after the other keys of a GEMM, and the origin
/// of the row at the end.
void add_own_columns(std::vector<std::string>& names) {
  const auto is_key = [](const std::string& name) {
    const auto& column = known_columns()[*find_known_column(name)];
    return column.role == Role::key || column.role == Role::device;
  };
  if (std::ranges::find(names, "K") != names.end() && std::ranges::find(names, "M") != names.end())
    names.insert(std::ranges::find_if_not(names, is_key), {"layout", "epilogue", "problem"});
  for (const auto& column : known_columns())
    if (column.role == Role::provenance) names.emplace_back(column.name);
}

/// The family that these columns belong to. The most characteristic columns are tested first.
std::string_view family_name(const std::vector<SheetColumn>& columns) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(columns, find_known_column(name), &SheetColumn::known) != columns.end();
  };
  if (has("knl_name")) return {};
  if (has("token") && has("model_dim")) {
    if (has("max_m")) return "grouped_fmoe";
    return has("shared_expert_id") ? "fhmoe" : "fmoe";
  }
  if (has("H") && has("Hg") && has("V")) return "gdn";
  if (!has("M") || !has("N") || !has("K")) return {};
  if (has("dtype") || has("outdtype")) return "a16w16";
  if (has("B") && has("libtype") && has("problem")) return "any_gemm";
  if (has("B")) return has("libtype") ? "batched_mxscale" : "batched_a8w8";
  if (has("q_dtype_w")) return has("libtype") ? "a8w8_bpreshuffle" : "a8w8";
  return has("libtype") ? "a8w8_blockscale" : "a4w4";
}

}  // namespace

std::string_view to_string(Schema schema) { return schema_names[static_cast<std::size_t>(schema)]; }

std::optional<Schema> parse_schema(std::string_view text) {
  const auto found = std::ranges::find(schema_names, text);
  if (found == schema_names.end()) return std::nullopt;
  return static_cast<Schema>(found - schema_names.begin());
}

const SchemaFamily* schema_family_of(const std::vector<SheetColumn>& columns) {
  return find_family(family_name(columns));
}

const SchemaFamily* find_family(std::string_view name) {
  const auto found = std::ranges::find(families, name, &SchemaFamily::name);
  return found == families.end() ? nullptr : &*found;
}

std::vector<std::string> schema_columns(const SchemaFamily& family, Schema schema) {
  std::vector<std::string> names;
  for (const auto name : split(family.columns, ',')) names.emplace_back(name);
  if (schema == Schema::seed) std::erase(names, "gfx");
  if (schema == Schema::gemmtune) add_own_columns(names);
  return names;
}

std::vector<SheetColumn> in_canonical_order(std::vector<SheetColumn> columns) {
  const CanonicalOrder order(columns);
  std::ranges::stable_sort(columns, {}, [&](const SheetColumn& column) { return order.rank(column); });
  return columns;
}

}  // namespace gemmtune
