// A library that is loaded at run time, so that one build runs with and without it: GPU drivers, their compilers, BLAS.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gemmtune {

class SharedLibrary {
 public:
  /// The first of these names that the loader finds, as "libcuda.so.1"; else the first that is in one of `folders`.
  /// Nothing when there is none.
  static std::optional<SharedLibrary> open(const std::vector<std::string>& names,
                                           const std::vector<std::string>& folders = {});

  /// The name it was found under.
  const std::string& name() const { return name_; }

  /// A function by its symbol, null when the library has none of that name.
  template <typename Function>
  Function* find(const std::string& symbol) const {
    return reinterpret_cast<Function*>(address(symbol));
  }

  /// The same; throws Error{unsupported} that names library and symbol when it is not there.
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
