// The stream of a CPU without a device around it, so that tests need nothing of the layers for GPUs.
#pragma once

#include <string>
#include <string_view>

#include "gemmtune/device/device.h"

namespace gemmtune {

class HostStream final : public Stream {
 public:
  void synchronize() override {}
  void report_failure(std::string_view message) noexcept override { failure = message; }

  std::string failure{};
};

}  // namespace gemmtune
