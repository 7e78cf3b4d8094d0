// cuBLASLt, loaded at run time: its functions, and a handle for one device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gemmtune/core/shared_library.h"
#include "gemmtune/device/gpu/current_context.h"
#include "gemmtune/families/cublaslt/vendor_api.h"

namespace gemmtune::cublaslt {

#define GEMMTUNE_LT_FUNCTION(member, name) \
  decltype(&::name) member = library_.function<std::remove_pointer_t<decltype(&::name)>>(#name)

class Library {
 public:
  /// Null if there is no library; `why_not` then lists the names that were tried. Throws Error{unsupported} if the
  /// library lacks a function.
  static std::shared_ptr<const Library> open();
  static std::string why_not();

  /// The library that is this one, for a process that has loaded it already.
  explicit Library(SharedLibrary library) : library_(std::move(library)) {}

  /// The library's version: 130100 is 13.1.0.
  std::int64_t version() const { return static_cast<std::int64_t>(get_version()); }

 private:
  SharedLibrary library_;

 public:
  GEMMTUNE_LT_FUNCTION(get_version, cublasLtGetVersion);
  GEMMTUNE_LT_FUNCTION(status_name, cublasLtGetStatusName);
  GEMMTUNE_LT_FUNCTION(create, cublasLtCreate);
  GEMMTUNE_LT_FUNCTION(destroy, cublasLtDestroy);
  GEMMTUNE_LT_FUNCTION(layout_create, cublasLtMatrixLayoutCreate);
  GEMMTUNE_LT_FUNCTION(layout_destroy, cublasLtMatrixLayoutDestroy);
  GEMMTUNE_LT_FUNCTION(layout_set, cublasLtMatrixLayoutSetAttribute);
  GEMMTUNE_LT_FUNCTION(desc_create, cublasLtMatmulDescCreate);
  GEMMTUNE_LT_FUNCTION(desc_destroy, cublasLtMatmulDescDestroy);
  GEMMTUNE_LT_FUNCTION(desc_set, cublasLtMatmulDescSetAttribute);
  GEMMTUNE_LT_FUNCTION(layout_init, cublasLtMatrixLayoutInit_internal);
  GEMMTUNE_LT_FUNCTION(layout_get, cublasLtMatrixLayoutGetAttribute);
  GEMMTUNE_LT_FUNCTION(desc_init, cublasLtMatmulDescInit_internal);
  GEMMTUNE_LT_FUNCTION(desc_get, cublasLtMatmulDescGetAttribute);
  GEMMTUNE_LT_FUNCTION(preference_get, cublasLtMatmulPreferenceGetAttribute);
  GEMMTUNE_LT_FUNCTION(preference_create, cublasLtMatmulPreferenceCreate);
  GEMMTUNE_LT_FUNCTION(preference_destroy, cublasLtMatmulPreferenceDestroy);
  GEMMTUNE_LT_FUNCTION(preference_set, cublasLtMatmulPreferenceSetAttribute);
  GEMMTUNE_LT_FUNCTION(algo_heuristic, cublasLtMatmulAlgoGetHeuristic);
  GEMMTUNE_LT_FUNCTION(algo_ids, cublasLtMatmulAlgoGetIds);
  GEMMTUNE_LT_FUNCTION(algo_init, cublasLtMatmulAlgoInit);
  GEMMTUNE_LT_FUNCTION(algo_check, cublasLtMatmulAlgoCheck);
  GEMMTUNE_LT_FUNCTION(algo_capability, cublasLtMatmulAlgoCapGetAttribute);
  GEMMTUNE_LT_FUNCTION(algo_set, cublasLtMatmulAlgoConfigSetAttribute);
  GEMMTUNE_LT_FUNCTION(algo_get, cublasLtMatmulAlgoConfigGetAttribute);
  GEMMTUNE_LT_FUNCTION(matmul, cublasLtMatmul);
};

/// The library, initialised for the device whose context is current on the calling thread.
class Session {
 public:
  /// Throws Error{unsupported} with the library's name for the error if it does not start.
  explicit Session(std::shared_ptr<const Library> library);
  /// A session on a handle of somebody else's, who keeps it.
  Session(std::shared_ptr<const Library> library, cublasLtHandle_t lent);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Library& library() const { return *library_; }
  cublasLtHandle_t handle() const { return handle_; }

  /// Makes the session's context current on a thread that has none. For threads that only ask questions.
  void lend_context() const noexcept { context_.lend(); }

  /// Throws Error{unsupported} with `what` and the name of the status, unless the status is success.
  void check(cublasStatus_t status, const char* what) const;

 private:
  std::shared_ptr<const Library> library_;
  cublasLtHandle_t handle_{};
  bool is_lent_{};
  CurrentContext context_{DeviceKind::cuda};
};

}  // namespace gemmtune::cublaslt
