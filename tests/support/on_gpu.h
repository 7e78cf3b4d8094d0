// The base of tests that need a GPU with a run-time compiler. They are skipped where there is none.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "gemmtune/device/gpu/gpu_device.h"
#include "gemmtune/device/gpu/kernel_compiler.h"

namespace gemmtune {

class NeedsGpu : public testing::Test {
 protected:
  /// Skips the test if there is no device_.
  void SetUp() override {
    const auto gpus = list_gpus();
    if (gpus.empty()) GTEST_SKIP() << "this machine has no GPU";
    if (!KernelCompiler::open(KernelCache(default_kernel_cache()), DeviceKind::cuda))
      GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
    device_ = make_gpu_device(gpus.front());
  }

  std::unique_ptr<Device> device_;
};

}  // namespace gemmtune
