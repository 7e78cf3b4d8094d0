// What the library's algorithms take, kept for each kind of matmul that was asked about.
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
  /// The session is the device's of this index. Learns what it has to.
  Enumeration enumerate(const std::shared_ptr<const Session>& session, int device, const MatmulSpec& spec);

 private:
  using Key = std::pair<int, MatmulSpec>;  // the device's index, and what is multiplied

  const LearntAlgos& learnt(const std::shared_ptr<const Session>& session, const Key& kind);

  const LearntAlgos nothing_{};
  std::mutex mutex_;
  std::map<Key, LearntAlgos> known_;
  std::map<Key, Enumeration> recent_;
};

}  // namespace gemmtune::cublaslt
