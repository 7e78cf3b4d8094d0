// A test that needs a GPU with a run-time compiler; skipped where there is none.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <vector>

#include "gemmtune/device/gpu/gpu_device.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/verify/gpu/examiner_kernels.h"
#include "gemmtune/verify/gpu/gpu_examiner.h"

namespace gemmtune {

class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    const auto gpus = list_gpus();
    if (gpus.empty()) GTEST_SKIP() << "this machine has no GPU";
    if (!KernelCompiler::open(KernelCache(default_kernel_cache()))) GTEST_SKIP() << KernelCompiler::why_not();
    device_ = make_gpu_device(gpus.front());
    kernels_ = std::make_unique<ExaminerKernels>(*device_);
    examiner_ = make_gpu_examiner(*device_);
  }

  template <typename T = std::byte>
  std::vector<T> download(const Buffer& buffer) {
    std::vector<T> values(buffer.size() / sizeof(T));
    device_->download(buffer.data(), std::as_writable_bytes(std::span(values)));
    return values;
  }

  Inputs drawn(const Problem& problem, Recipe recipe, std::uint64_t seed) {
    auto inputs = allocate_inputs(*device_, problem);
    examiner_->draw(problem, recipe, seed, inputs);
    return inputs;
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<ExaminerKernels> kernels_;
  std::unique_ptr<Examiner> examiner_;
};

}  // namespace gemmtune
