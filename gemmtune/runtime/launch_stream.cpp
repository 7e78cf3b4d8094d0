#include "gemmtune/runtime/launch_stream.h"

#include "gemmtune/core/error.h"

namespace gemmtune {

void LaunchStream::synchronize() {
  if (has_failed_) fail(ErrorCode::unsupported, "{}", failure());
}

void LaunchStream::report_failure(std::string_view message) noexcept {
  if (has_failed_) return;
  has_failed_ = true;
  size_ = message.copy(text_.data(), text_.size());
}

}  // namespace gemmtune
