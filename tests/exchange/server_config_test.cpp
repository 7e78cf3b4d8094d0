#include "gemmtune/exchange/server_config.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

constexpr const char* moe = "E=256,N=256,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json";

TEST(ServerConfig, NamesOfBothServers) {
  const auto name = parse_server_config_name(moe);
  ASSERT_TRUE(name);
  EXPECT_EQ(name->experts, 256);
  EXPECT_EQ(name->k, 0);
  EXPECT_EQ(server_config_file_name(*name, Server::vllm), moe);
  const auto* with_blank = "E=256,N=256,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128, 128].json";
  EXPECT_EQ(server_config_file_name(*name, Server::sglang), with_blank);
  EXPECT_EQ(parse_server_config_name(with_blank), name);
}

TEST(ServerConfig, NamesAreWrittenAsTheyWereRead) {
  for (const auto* text :
       {"E=8,N=14336,device_name=AMD_Instinct_MI300X.json",
        "N=512,K=7168,device_name=NVIDIA_H20-3e,dtype=int8_w8a8.json",
        "E=80,N=640,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128, 128]_down.json",
        "E=161,N=192,device_name=NVIDIA_H200,dtype=fp8_w8a8,per_channel_quant=True.json",
        "E=384,N=256,device_name=AMD_Instinct_MI355X,dtype=int4_w4a16,backend=flydsl.json",
        "E=192,N=192,device_name=NVIDIA_H20-3e_down.json", "E=384,N=128,device_name=,dtype=int4_w4a16.json",
        "N=24576,K=4096,device_name=NVIDIA_L40S,dtype=fp8_w8a8_channelwise.json"}) {
    const auto name = parse_server_config_name(text);
    ASSERT_TRUE(name) << text;
    EXPECT_EQ(server_config_file_name(*name, Server::sglang), text);
  }
}

TEST(ServerConfig, OtherFilesAreNone) {
  for (const auto* text :
       {"config.json", "E=8,device_name=X.json", "headdim=128,dstate=128,device_name=X.json", "E=8,N=1.json",
        "E=8,N=64,K=64,device_name=X.json", "provider=cutedsl,E=8,N=64,device_name=X.json",
        "E=x,N=64,device_name=X.json", "E=8,N=64,N=65,device_name=X.json", "E=8,N=64,device_name=X.csv"})
    EXPECT_FALSE(parse_server_config_name(text)) << text;
}

TEST(ServerConfig, AsATableAndBack) {
  const std::string text =
      "{\n    \"triton_version\": \"3.5.1\",\n    \"1\": {\n        \"BLOCK_SIZE_M\": 16,\n        \"USE_TMA\": true,\n"
      "        \"grf_mode\": \"256\"\n    },\n    \"64\": {\n        \"BLOCK_SIZE_M\": 64,\n        \"note\": \"a "
      "b\"\n    }\n}\n";
  const auto config = parse_server_config(text, moe);
  ASSERT_EQ(config.entries.size(), 2U);
  EXPECT_EQ(server_config_text(config), text);
  const auto csv = parse_csv(server_config_csv({config}));
  ASSERT_TRUE(is_server_config_csv(csv));
  const auto back = server_configs_of(csv);
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].name, config.name);
  EXPECT_EQ(server_config_text(back[0]), text);
}

TEST(ServerConfig, CellsMakeNoPath) {
  const std::string header = "E,N,K,device_name,dtype,block_shape,options,triton_version,M,BLOCK_SIZE_M\n";
  for (const std::string row :
       {"8,64,,../x,,,,,1,16\n", "8,64,,X,a/b,,,,1,16\n", "8,,,X,,,,,1,16\n", "8,64,,X,,,evil=1,,1,16\n"})
    EXPECT_THROW((void)server_configs_of(parse_csv(header + row)), Error) << row;
  EXPECT_EQ(server_configs_of(parse_csv(header + "8,64,,X,,,,,1,16\n")).size(), 1U);
}

TEST(ServerConfig, WrongTextsSayWhere) {
  for (const auto* text : {"[]", "{\"1\": 5}", "{\"x\": {}}", "{\"1\": {}, \"1\": {}}", "{"})
    EXPECT_THROW((void)parse_server_config(text, moe), Error) << text;
  EXPECT_THROW((void)parse_server_config("{}", "config.json"), Error);
  EXPECT_EQ(parse_server_config("{\"512\": null}", moe).rejected.size(), 1U);
}

TEST(ServerConfig, ShapesOfProducts) {
  const auto shapes = [](const char* name) {
    return server_config_shapes(parse_server_config("{\"16\": {\"BLOCK_SIZE_M\": 16}}", name), name).shapes;
  };
  EXPECT_EQ(to_string(shapes("N=512,K=7168,device_name=X,dtype=fp8_w8a8,block_shape=[128, 128].json").at(0).problem),
            "16x512x7168:e4m3/1x128:e4m3/128x128:bf16");
  EXPECT_EQ(to_string(shapes("N=512,K=7168,device_name=X,dtype=fp8_w8a8_channelwise.json").at(0).problem),
            "16x512x7168:e4m3/row:e4m3/row:bf16");
  EXPECT_THROW((void)shapes("N=512,K=7168,device_name=X,dtype=fp8_w8a8,block_shape=[32, 32].json"), Error);
  EXPECT_THROW((void)shapes(moe), Error);
}

}  // namespace
}  // namespace gemmtune
