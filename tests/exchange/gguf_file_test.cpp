#include "gemmtune/exchange/gguf_file.h"

#include <gtest/gtest.h>

#include <sstream>

#include "gemmtune/core/error.h"
#include "gemmtune/exchange/gguf_types.h"
#include "tests/support/gguf_writer.h"

namespace gemmtune {
namespace {

using testing::GgufWriter;

GgufFile read(const std::string& bytes) {
  std::istringstream stream(bytes);
  return read_gguf(stream, bytes.size(), "m.gguf");
}

std::string complaint(const std::string& bytes) {
  try {
    (void)read(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    return error.what();
  }
  return "none";
}

GgufWriter small() {
  GgufWriter writer;
  writer.word("general.architecture", "llama").u32("llama.block_count", 2).flag("llama.attention.causal", 1);
  writer.i32s("llama.attention.head_count_kv", {8, 4}).words("tokenizer.ggml.tokens", {"a", "", "ccc"});
  writer.tensor("token_embd.weight", gguf::q4_0, {64, 100}).tensor("output_norm.weight", gguf::f32, {64}, 3616);
  writer.tensor("blk.0.ffn_up_exps.weight", gguf::mxfp4, {64, 96, 4}, 3872);
  return writer;
}

TEST(GgufFile, ReadsMetadataAndTensors) {
  const auto file = read(small().bytes());
  EXPECT_EQ(file.version, 3);
  EXPECT_EQ(file.text("general.architecture"), "llama");
  EXPECT_EQ(file.number("llama.block_count"), 2);
  EXPECT_EQ(file.flag("llama.attention.causal"), true);
  EXPECT_EQ(file.number("absent"), std::nullopt);
  EXPECT_EQ(file.number_of_layer("llama.attention.head_count_kv", 1), 4);
  EXPECT_EQ(file.number_of_layer("llama.block_count", 1), 2);
  EXPECT_EQ(std::get<GgufLongArray>(file.metadata.at("tokenizer.ggml.tokens")).count, 3);
  ASSERT_EQ(file.tensors.size(), 3);
  EXPECT_EQ(file.tensors[0].shape, (std::vector<std::int64_t>{64, 100}));
  EXPECT_EQ(file.tensors[0].bytes, 100 * 2 * 18);
  EXPECT_EQ(file.tensors[1].bytes, 64 * 4);
  EXPECT_EQ(file.tensors[2].bytes, 4 * 96 * 2 * 17);
  EXPECT_EQ(file.data_begin % 32, 0);
  EXPECT_EQ(file.tensors[2].begin, file.data_begin + 3872);
}

TEST(GgufFile, ItsDataMayBeMissing) {
  const auto header = small().bytes();
  EXPECT_FALSE(read(header).has_data());
  auto whole = header;
  whole.resize(read(header).data_begin + 3872 + 4 * 96 * 2 * 17);
  EXPECT_TRUE(read(whole).has_data());
  whole.pop_back();
  EXPECT_FALSE(read(whole).has_data());
}

TEST(GgufFile, NumbersOfEveryWidthAreRead) {
  GgufWriter writer;
  writer.raw("u8", 0, GgufWriter::number(255, 1)).raw("i8", 1, GgufWriter::number(0xfe, 1));
  writer.raw("i16", 3, GgufWriter::number(0xfffd, 2)).raw("i64", 11, GgufWriter::number(~0ULL, 8));
  writer.raw("u64", 10, GgufWriter::number(1ULL << 40, 8)).raw("huge", 10, GgufWriter::number(~0ULL, 8));
  writer.raw("f32", 6, GgufWriter::number(0x3fc00000, 4)).raw("f64", 12, GgufWriter::number(0x4000000000000000, 8));
  const auto file = read(writer.bytes());
  EXPECT_EQ(std::get<std::int64_t>(file.metadata.at("u8")), 255);
  EXPECT_EQ(std::get<std::int64_t>(file.metadata.at("i8")), -2);
  EXPECT_EQ(std::get<std::int64_t>(file.metadata.at("i16")), -3);
  EXPECT_EQ(std::get<std::int64_t>(file.metadata.at("i64")), -1);
  EXPECT_EQ(std::get<std::int64_t>(file.metadata.at("u64")), 1LL << 40);
  EXPECT_EQ(std::get<double>(file.metadata.at("huge")), 18446744073709551616.0);
  EXPECT_EQ(std::get<double>(file.metadata.at("f32")), 1.5);
  EXPECT_EQ(std::get<double>(file.metadata.at("f64")), 2.0);
  EXPECT_THROW((void)file.number("i8"), Error);   // negative
  EXPECT_THROW((void)file.number("f32"), Error);  // of another kind
}

TEST(GgufFile, ArraysOfArraysArePassedOver) {
  using W = GgufWriter;
  const auto inner = W::number(4, 4) + W::number(2, 8) + W::number(7, 4) + W::number(8, 4);
  GgufWriter writer;
  writer.raw("nested", 9, W::number(9, 4) + W::number(2, 8) + inner + inner).u32("after", 5);
  EXPECT_EQ(read(writer.bytes()).number("after"), 5);
  std::string deep = W::number(0, 4) + W::number(0, 8);
  for (int i = 0; i < 20; ++i) deep = W::number(9, 4) + W::number(1, 8) + deep;
  EXPECT_NE(complaint(GgufWriter().raw("deep", 9, deep).bytes()).find("nested more than 8 deep"), std::string::npos);
}

TEST(GgufFile, Version2IsReadAndOthersAreNot) {
  EXPECT_EQ(read(GgufWriter(2).u32("a", 1).bytes()).number("a"), 1);
  EXPECT_EQ(complaint(GgufWriter(1).bytes()), "m.gguf: byte 8: found version 1, expected 2 or 3");
  EXPECT_EQ(complaint(GgufWriter(4).bytes()), "m.gguf: byte 8: found version 4, expected 2 or 3");
  EXPECT_EQ(complaint(GgufWriter(3U << 24).bytes()),
            "m.gguf: byte 8: it is a big-endian file; little-endian ones can be read");
  EXPECT_EQ(complaint("PK\x03\x04"), "m.gguf: found 'PK\\x03\\x04', expected a file that begins with 'GGUF'");
}

TEST(GgufFile, WhatIsCutOffIsRefusedAtEveryByte) {
  const auto whole = small().bytes();
  ASSERT_EQ(complaint(whole), "none");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto why = complaint(whole.substr(0, size));
    EXPECT_TRUE(why.starts_with("m.gguf: byte ")) << size << ": " << why;
  }
}

TEST(GgufFile, CountsThatTheFileCannotHoldAreRefused) {
  using W = GgufWriter;
  for (const auto& bytes : {"GGUF" + W::number(3, 4) + W::number(1ULL << 62, 8) + W::number(0, 8),
                            "GGUF" + W::number(3, 4) + W::number(0, 8) + W::number(~0ULL, 8),
                            GgufWriter().raw("a", 8, W::number(~0ULL, 8)).bytes(),
                            GgufWriter().raw("a", 9, W::number(4, 4) + W::number(1ULL << 62, 8)).bytes(),
                            GgufWriter().raw("a", 9, W::number(8, 4) + W::number(1ULL << 61, 8)).bytes()})
    EXPECT_NE(complaint(bytes).find("more than fit into the"), std::string::npos) << complaint(bytes);
}

TEST(GgufFile, WhatContradictsItselfIsRefused) {
  using W = GgufWriter;
  const std::pair<std::string, GgufWriter> cases[] = {
      {"the key a occurs twice", GgufWriter().u32("a", 1).u32("a", 2)},
      {"found 13 as its kind of value, expected 0 to 12", GgufWriter().raw("a", 13, W::number(0, 8))},
      {"found 2, expected 0 or 1 for a boolean", GgufWriter().flag("a", 2)},
      {"general.alignment: found 24, expected a power of two", GgufWriter().u32("general.alignment", 24)},
      {"general.alignment: found 0, expected a power of two", GgufWriter().u32("general.alignment", 0)},
      {"there are two tensors x", GgufWriter().tensor("x", 0, {4}).tensor("x", 0, {4}, 32)},
      {"x: found 0 dimensions, expected 1 to 4", GgufWriter().tensor("x", 0, {})},
      {"x: found 5 dimensions, expected 1 to 4", GgufWriter().tensor("x", 0, {1, 1, 1, 1, 1})},
      {"x: found 0 as a dimension", GgufWriter().tensor("x", 0, {4, 0})},
      {"found 4294967296 as a dimension, expected 1 to 268435455",
       GgufWriter().tensor("x", 0, {1ULL << 32, 1ULL << 32})},
      {"x: found rows of 48, expected a multiple of 32, the block of MXFP4", GgufWriter().tensor("x", 39, {48, 2})},
      {"x: found its data at 8, expected a multiple of 32", GgufWriter().tensor("x", 0, {4}, 8)},
      {"x: found its data at 18446744073709551584", GgufWriter().tensor("x", 0, {4}, ~31ULL)},
  };
  for (const auto& [message, writer] : cases)
    EXPECT_NE(complaint(writer.bytes()).find(message), std::string::npos) << message << "\n"
                                                                          << complaint(writer.bytes());
}

TEST(GgufFile, UnknownTypesHaveNoSize) {
  const auto file = read(GgufWriter().tensor("x", 4, {32, 2}).tensor("y", 1000, {7}, 64).bytes());
  EXPECT_EQ(file.tensors[0].bytes, 0);
  EXPECT_EQ(gguf_type_name(1000), "type 1000");
  EXPECT_EQ(gguf_type_name(gguf::mxfp4), "MXFP4");
  EXPECT_EQ(gguf_type(4), std::nullopt);  // Q4_2, withdrawn
}

}  // namespace
}  // namespace gemmtune
