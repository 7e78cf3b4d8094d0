#include "gemmtune/table/sheet/convert.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

Sheet read(std::string_view text, std::string name = "t.csv") { return sheet_of(parse_csv(text, std::move(name))); }

std::string converted_text(std::string_view text, Schema schema, const std::string& name = "t.csv") {
  return sheet_text(converted(read(text, name), {.schema = schema}).sheet);
}

constexpr std::string_view seed =
    "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
    "256,1,512,4096,21, 0,5.4049,k,0.78,194.57,0.0\n"
    "80,two,512,4096,21,0,5.4049,k,0.78,194.57,0.0\n";
constexpr std::string_view today =
    "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
    "gfx950,256,1,512,4096,21,0,5.4049,k,0.78,194.57,0.0\n"
    "gfx942,80,two,512,4096,21,0,5.4049,k,0.78,194.57,0.0\n";

TEST(Convert, BetweenGenerations) {
  EXPECT_EQ(converted_text(seed, Schema::today), today);
  EXPECT_EQ(converted_text(seed, Schema::seed), seed) << "the same columns: the same text";
  EXPECT_EQ(converted_text(converted_text(today, Schema::seed), Schema::today), today);
}

TEST(Convert, OwnColumnsComeAndGo) {
  const auto own = converted_text(today, Schema::gemmtune);
  EXPECT_TRUE(own.find("errRatio,us_low,us_high,dispersion,samples,library,device_name,driver,policy,date\n") !=
              std::string::npos)
      << own;
  EXPECT_EQ(converted_text(own, Schema::gemmtune), own);
  EXPECT_EQ(converted_text(own, Schema::today), today);
}

TEST(Convert, RefusesToLoseALayoutOrAnEpilogue) {
  const std::string header = "gfx,cu_num,M,N,K,layout,epilogue,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
  for (const std::string cells : {"lda=96,", ",silu:residual"}) {
    const auto sheet =
        read(header + "gfx950,256,1,512,4096,,,21,0,5.4,k,,,0\ngfx950,256,2,512,4096," + cells + ",21,0,5.4,k,,,0\n",
             "a4w4_tuned_gemm.csv");
    EXPECT_THROW(static_cast<void>(converted(sheet, {.schema = Schema::today})), Error);
    EXPECT_EQ(sheet_text(converted(sheet, {.schema = Schema::gemmtune}).sheet).find("lda=96") != std::string::npos,
              cells == "lda=96,");
  }
}

TEST(Convert, WhatIsMissingIsAssumedOrComputed) {
  const auto result =
      converted(read("m,n,k,kernelId,splitk,us,kernelName,note\n1,512,4096,21,0,5.4049,k,hm\n", "a8w8_tuned_gemm.csv"),
                {.schema = Schema::today, .gfx = "gfx942", .cu_num = 80});
  EXPECT_EQ(sheet_text(result.sheet),
            "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,note,tflops,bw,errRatio\n"
            "gfx942,80,1,512,4096,torch.int8,21,0,5.4049,k,hm,0.78,388.96,\n");
  EXPECT_EQ(result.notes,
            (std::vector<std::string>{"a8w8_tuned_gemm.csv is read as a table of a8w8: its name has 'a8w8'",
                                      "a8w8_tuned_gemm.csv: has no q_dtype_w, which is taken to be torch.int8"}));
}

TEST(Convert, ARowWithoutATimeGetsNoRates) {
  EXPECT_EQ(converted_text("gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,errRatio\ngfx950,256,1,2,4,0,0,0,k,0\n",
                           Schema::today),
            "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\ngfx950,256,1,2,4,0,0,0,k,,,0\n");
}

TEST(Convert, RefusesToLoseTheDevice) {
  try {
    converted_text("gfx,cu_num,M,N,K,us,kernelName\ngfx1250,256,1,2,4,1,k\n", Schema::seed);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("t.csv:2:1: found gfx gfx1250 with 256 compute units"), 0U)
        << error.what();
  }
  for (const auto* rows : {"gfx,cu_num,M,N,K,us,kernelName\nsm90,132,1,2,4,1,k\n",
                           "gfx,cu_num,M,N,K,us,kernelName\ngfx1250,96,1,2,4,1,k\n",
                           "gfx,b,m,n,k,libtype,us,kernelName\ngfx950,2,1,2,4,opus,1,k\n"})
    EXPECT_THROW(converted_text(rows, Schema::seed), Error) << rows;
  EXPECT_NE(converted_text("gfx,cu_num,M,N,K,us,kernelName\ngfx942:xnack-,80,1,2,4,1,k\n", Schema::seed), "");
}

TEST(Convert, TheFirstBpreshuffleTablesAreFp8OfTheirDevice) {
  const auto result = converted(read("cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
                                     "256,1,512,64,5,0,1,k,1,1,0.0\n80,1,512,64,5,0,1,k,1,1,0.0\n",
                                     "a8w8_bpreshuffle_tuned_gemm.csv"),
                                {.schema = Schema::today});
  EXPECT_EQ(sheet_text(result.sheet),
            "gfx,cu_num,M,N,K,q_dtype_w,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
            "gfx950,256,1,512,64,torch.float8_e4m3fn,ck,5,0,1,k,1,1,0.0\n"
            "gfx942,80,1,512,64,torch.float8_e4m3fnuz,ck,5,0,1,k,1,1,0.0\n");
  EXPECT_EQ(result.notes.back(), "a8w8_bpreshuffle_tuned_gemm.csv: has no libtype, which is taken to be ck");
  EXPECT_EQ(result.notes[1],
            "a8w8_bpreshuffle_tuned_gemm.csv: has no q_dtype_w, which is taken to be torch.float8_e4m3fn "
            "(torch.float8_e4m3fnuz on gfx942)");
}

TEST(Convert, TheFirstBlockScaledTablesAreOfCk) {
  const auto text = converted_text(
      "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
      "256,1,512,64,5,0,1,k,1,1,0.0\n",
      Schema::today, "a8w8_blockscale_tuned_gemm.csv");
  EXPECT_NE(text.find("\ngfx950,256,1,512,64,ck,5,0,1,k,1,1,0.0\n"), std::string::npos) << text;
}

TEST(Convert, TimesOfTheOldNameSurvive) {
  const auto text = converted_text(
      "M,N,K,bias,dtype,outdtype,scaleAB,cu_num,libtype,solidx,splitK,soltimes,kernelName,err_ratio,tflops,bw\n"
      "64,256,64,False,torch.bfloat16,torch.float32,False,80,asm,1,10,8.3,k,0.0,20.2,402.6\n",
      Schema::today, "bf16_tuned_gemm.csv");
  EXPECT_EQ(text,
            "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,kernelName,err_ratio,"
            "tflops,bw\n"
            "gfx942,80,64,256,64,False,torch.bfloat16,torch.float32,False,False,asm,1,10,8.3,k,0.0,20.2,402.6\n");
}

TEST(Convert, ListsOfAnotherKindAreRefused) {
  try {
    converted_text("dtype,K,V,BT,H,Hg,is_varlen,use_h0,store_fs\ntorch.bfloat16,64,64,64,32,16,False,True,False\n",
                   Schema::today, "chunk_gdn_untuned.csv");
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "chunk_gdn_untuned.csv:2: a table of gdn needs N, which the row does not have");
  }
}

TEST(Convert, FusedMoeKeepsItsOwn) {
  const std::string old =
      "cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,use_g1u1,doweight_stage1,"
      "block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,run_1stage,tflops,bw,xbf16,_tag\n"
      "80,4,2304,1536,8,2,A,torch.bfloat16,t,t,Q,1,1,32,0,17.8,k1,0.0%,14.5,k2,0.0%,32.3,0,5.26,2629.41,1,\n";
  EXPECT_EQ(
      converted_text(old, Schema::today),
      "gfx,cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,use_g1u1,"
      "doweight_stage1,block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,run_1stage,xbf16,flat,tflops,bw,"
      "_tag\n"
      "gfx942,80,4,2304,1536,8,2,A,torch.bfloat16,t,t,Q,1,1,32,0,17.8,k1,0.0%,14.5,k2,0.0%,32.3,0,1,0,5.26,2629.41,"
      "\n");
}

TEST(Convert, ListsOfKernelsHaveNoSchemas) { EXPECT_THROW(converted_text("knl_name\n", Schema::today), Error); }

}  // namespace
}  // namespace gemmtune
