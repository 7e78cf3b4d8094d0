// A test that needs a GPU with a run-time compiler; skipped where there is none.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gemmtune/verify/gpu/examiner_kernels.h"
#include "gemmtune/verify/gpu/gpu_examiner.h"
#include "tests/support/on_gpu.h"

namespace gemmtune {

class OnGpu : public NeedsGpu {
 protected:
  void SetUp() override {
    NeedsGpu::SetUp();
    if (!device_) return;
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

  std::unique_ptr<ExaminerKernels> kernels_;
  std::unique_ptr<Examiner> examiner_;
};

}  // namespace gemmtune
