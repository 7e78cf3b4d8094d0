// Enumerations of the last few matmuls, kept because a tuner asks for the same one more than once.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "gemmtune/families/cublaslt/call.h"
#include "gemmtune/families/cublaslt/enumeration.h"
#include "gemmtune/families/cublaslt/library.h"

namespace gemmtune::cublaslt {

class Knowledge {
 public:
  /// `session` must be that of the device with this index.
  Enumeration enumerate(const std::shared_ptr<const Session>& session, int device, const MatmulSpec& spec);

 private:
  using Key = std::pair<int, MatmulSpec>;  // the device's index, and the matmul

  std::mutex mutex_;
  std::map<Key, Enumeration> recent_;
};

}  // namespace gemmtune::cublaslt
