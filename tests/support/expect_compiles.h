// That a kernel compiles, and that its wgmma instructions overlap: where the compiler cannot show that nobody touches
// their registers, it lets each of them wait for the one before, and only says so.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>

#include "gemmtune/device/gpu/kernel_compiler.h"

namespace gemmtune {

/// The compiler is asked only for what is not in its cache, which holds nothing that failed here.
inline void expect_compiles(const KernelCompiler& compiler, const KernelSource& source) {
  std::string remarks;
  EXPECT_FALSE(compiler.compile(source, &remarks).empty()) << source.name;
  EXPECT_EQ(remarks.find("serialized"), std::string::npos) << source.name << ": " << remarks << "\n"
                                                           << fmt::format("{}", fmt::join(source.options, " "));
}

}  // namespace gemmtune
