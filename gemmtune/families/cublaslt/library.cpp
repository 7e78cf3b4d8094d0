#include "gemmtune/families/cublaslt/library.h"

#include <utility>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/gpu/toolkit_folders.h"

namespace gemmtune::cublaslt {
namespace {

std::vector<std::string> library_names() { return {"libcublasLt.so.13", "libcublasLt.so.12"}; }

}  // namespace

std::shared_ptr<const Library> Library::open() {
  auto library = SharedLibrary::open(library_names(), toolkit_folders());
  return library ? std::shared_ptr<const Library>(new Library(*std::move(library))) : nullptr;
}

std::string Library::why_not() { return fmt::format("there is no {}", join(library_names(), " or ")); }

Session::Session(std::shared_ptr<const Library> library) : library_(std::move(library)) {
  check(library_->create(&handle_), "cublasLtCreate");
}

Session::Session(std::shared_ptr<const Library> library, cublasLtHandle_t lent)
    : library_(std::move(library)), handle_(lent), is_lent_(true) {}

Session::~Session() {
  if (!is_lent_) library_->destroy(handle_);
}

void Session::check(cublasStatus_t status, const char* what) const {
  if (status != CUBLAS_STATUS_SUCCESS) fail(ErrorCode::unsupported, "{}: {}", what, library_->status_name(status));
}

}  // namespace gemmtune::cublaslt
