// The driver's context of one thread, for others that have none: a library that needs one there would open the first
// device of the machine, whichever device the thread's work is about.
//
// Knows no vendor, so that everyone may include it.
#pragma once

#include <memory>

namespace gemmtune {

class CurrentContext {
 public:
  /// That of the calling thread; nothing where it has none, or the machine has no driver.
  CurrentContext();

  /// Makes it the calling thread's, unless that has one of its own. Where the driver refuses, the library that the
  /// thread goes on to ask says so.
  void lend() const noexcept;

 private:
  struct Lent;
  std::shared_ptr<const Lent> lent_;
};

}  // namespace gemmtune
