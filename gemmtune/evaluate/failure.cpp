#include "gemmtune/evaluate/failure.h"

#include <exception>
#include <new>

#include "gemmtune/core/error.h"

namespace gemmtune {

std::optional<Failure> failure_of(Blame blame, const std::function<void()>& step) {
  try {
    step();
    return std::nullopt;
  } catch (const Error& error) {
    return Failure{error.code() == ErrorCode::unsupported ? blame.refusal : blame.error, error.what()};
  } catch (const std::bad_alloc&) {
    return Failure{Outcome::launch_failed, "out of memory"};
  } catch (const std::exception& error) {
    return Failure{blame.error, error.what()};
  } catch (...) {
    return Failure{blame.error, "threw something that is no std::exception"};
  }
}

}  // namespace gemmtune
