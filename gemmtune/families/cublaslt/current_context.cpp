#include "gemmtune/families/cublaslt/current_context.h"

namespace gemmtune::cublaslt {

CurrentContext::CurrentContext() : driver_(SharedLibrary::open({"libcuda.so.1"})) {
  if (!driver_) return;
  get_ = driver_->find<Get>("cuCtxGetCurrent");
  set_ = driver_->find<Set>("cuCtxSetCurrent");
  if (get_ == nullptr || set_ == nullptr || get_(&context_) != 0) context_ = nullptr;
}

void CurrentContext::lend() const noexcept {
  CUctx_st* own{};
  if (context_ == nullptr || (get_(&own) == 0 && own != nullptr)) return;
  set_(context_);
}

}  // namespace gemmtune::cublaslt
