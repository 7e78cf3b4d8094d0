// The problems of these families' tests.
#pragma once

#include <string>

#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// bf16 by packed MXFP4; `rest` is the output's type and options besides "packed".
inline std::string a16w4_text(const std::string& sizes, const std::string& rest = "bf16") {
  return sizes + ":bf16:e2m1/1x32:" + rest + ":packed";
}

inline Problem a16w4(const std::string& sizes, const std::string& rest = "bf16") {
  return parse_problem(a16w4_text(sizes, rest));
}

/// The same with NVFP4.
inline std::string a16w4_nvfp4_text(const std::string& sizes, const std::string& rest = "bf16") {
  return sizes + ":bf16:e2m1/1x16:" + rest + ":packed";
}

inline Problem a16w4_nvfp4(const std::string& sizes, const std::string& rest = "bf16") {
  return parse_problem(a16w4_nvfp4_text(sizes, rest));
}

/// E4M3, with a scale for each row, by packed MXFP4.
inline std::string a8w4_text(const std::string& sizes, const std::string& rest = "bf16") {
  return sizes + ":e4m3/row:e2m1/1x32:" + rest + ":packed";
}

/// The same with floats that the call quantises.
inline std::string a16w4_fp8_text(const std::string& sizes, const std::string& rest = "bf16",
                                  const std::string& floats = "bf16") {
  return sizes + ":" + floats + "/fp8_row:e2m1/1x32:" + rest + ":packed";
}

inline Problem a8w4(const std::string& sizes, const std::string& rest = "bf16") {
  return parse_problem(a8w4_text(sizes, rest));
}

}  // namespace gemmtune
