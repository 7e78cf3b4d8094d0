// The driver's context of one thread, for others that have none: a library that needs one there would open the first
// device of the machine, whichever device the thread's work is about.
#pragma once

#include <optional>

#include "gemmtune/core/shared_library.h"

struct CUctx_st;  // as the driver's header calls a context

namespace gemmtune::cublaslt {

class CurrentContext {
 public:
  /// That of the calling thread, if it has one.
  CurrentContext();

  /// Makes it the calling thread's, unless that has one of its own.
  void lend() const noexcept;

 private:
  using Get = int(CUctx_st**);
  using Set = int(CUctx_st*);

  std::optional<SharedLibrary> driver_;
  Get* get_{};
  Set* set_{};
  CUctx_st* context_{};
};

}  // namespace gemmtune::cublaslt
