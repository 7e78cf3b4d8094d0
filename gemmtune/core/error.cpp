#include "gemmtune/core/error.h"

namespace gemmtune {

int exit_code(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::usage:
      return 2;
    case ErrorCode::input:
      return 3;
    case ErrorCode::no_device:
      return 4;
    default:
      return 5;
  }
}

}  // namespace gemmtune
