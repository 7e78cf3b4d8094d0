// A library that is loaded at run time (GPU drivers, run-time compilers, BLAS), so that one build runs with and without
// it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gemmtune {

class SharedLibrary {
 public:
  /// Opens the first of these names that this process has loaded already, because a second copy of a library would not
  /// share its state; or else the first that the loader finds, such as "libcuda.so.1"; or else the first that one of
  /// `folders` has. Empty if none is found.
  static std::optional<SharedLibrary> open(const std::vector<std::string>& names,
                                           const std::vector<std::string>& folders = {});

  /// The name under which the library was found.
  const std::string& name() const { return name_; }

  /// The function with this symbol; null when the library does not have it.
  template <typename Function>
  Function* find(const std::string& symbol) const {
    return reinterpret_cast<Function*>(address(symbol));
  }

  /// The same, but throws Error{unsupported} that names the library and the symbol when the function is missing.
  template <typename Function>
  Function* function(const std::string& symbol) const {
    return reinterpret_cast<Function*>(required_address(symbol));
  }

 private:
  using Address = void (*)();

  SharedLibrary(std::string name, std::shared_ptr<void> handle) : name_(std::move(name)), handle_(std::move(handle)) {}
  Address address(const std::string& symbol) const;
  Address required_address(const std::string& symbol) const;

  std::string name_;
  std::shared_ptr<void> handle_;
};

}  // namespace gemmtune
