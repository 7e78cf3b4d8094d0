// What one rule finds in invented files, as "line:column message".
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "gemmtune/table/lint/lint.h"

namespace gemmtune {

using Texts = std::vector<std::string>;

inline Texts texts_of(const std::vector<Finding>& findings) {
  Texts texts;
  for (const auto& finding : findings)
    texts.push_back(fmt::format("{}:{} {}", finding.place.line, finding.place.column, finding.message));
  return texts;
}

inline Texts found(const std::string& rule, const LintInput& input) { return texts_of(lint(input, {.only = {rule}})); }

inline Texts found(const std::string& rule, const std::string& text, const std::string& name = "a4w4_tuned.csv") {
  LintInput input;
  input.tables.push_back(lint_table_of(text, name));
  return found(rule, input);
}

inline const std::string a4w4_header = "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
inline const std::string good_row = "gfx950,256,1,512,4096,21,0,5.4049,k,0.78,194.57,0.0\n";
inline const std::string moe_header =
    "cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,use_g1u1,doweight_stage1,"
    "block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,run_1stage,xbf16,flat,tflops,bw,_tag\n";
inline const std::string moe_key =
    "7168,256,256,8,ActivationType.Silu,torch.bfloat16,torch.float8_e4m3fn,torch.float8_e4m3fn,QuantType.per_1x128,1,"
    "0,";

}  // namespace gemmtune
