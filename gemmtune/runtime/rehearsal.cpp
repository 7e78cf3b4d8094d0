#include "gemmtune/runtime/rehearsal.h"

#include <cstdint>
#include <exception>

#include "gemmtune/runtime/launch_stream.h"

namespace gemmtune {
namespace {

/// Distinct addresses, far apart and aligned to a page.
// NOLINTNEXTLINE(performance-no-int-to-ptr): nothing is at these addresses
std::byte* address(std::uintptr_t index) { return reinterpret_cast<std::byte*>((index + 1) << 40); }

Operands placeholders() {
  return {.a = address(0),
          .a_scale = address(1),
          .w = address(2),
          .w_scale = address(3),
          .bias = address(4),
          .residual = address(5),
          .c = address(6),
          .packed_w = address(7),
          .workspace = address(8)};
}

/// A stream of its own.
class OwnStream {
 public:
  explicit OwnStream(const gpu::Driver& driver) : driver_(driver), handle_(driver.create_stream()) {}
  ~OwnStream() { driver_.destroy(handle_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

  gpu::StreamHandle handle() const { return handle_; }

 private:
  const gpu::Driver& driver_;
  gpu::StreamHandle handle_;
};

std::string capture(const PreparedKernel& kernel, const gpu::Driver& driver) {
  const OwnStream own(driver);
  LaunchStream stream(kernel.device().info().kind, own.handle());
  driver.begin_capture(own.handle());
  kernel.gemm().launch(placeholders(), stream);
  const auto graph = driver.end_capture(own.handle());
  if (graph != nullptr) driver.destroy(graph);
  if (stream.has_failed()) return std::string(stream.failure());
  return graph == nullptr ? "the launch cannot be captured into a graph" : "";
}

}  // namespace

std::string rehearse(const PreparedKernel& kernel) {
  const auto& driver = kernel.device().driver();
  if (!driver) return "";
  try {
    return capture(kernel, *driver);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace gemmtune
