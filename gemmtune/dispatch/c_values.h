// Converts between the values of the installed C interfaces and ours, and turns exceptions into statuses.
#pragma once

#include <cstdint>
#include <exception>
#include <new>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/problem.h"
#include "include/gemmtune/dispatch.h"

namespace gemmtune {

/// So far there is one version of each struct. When a struct grows, its earlier sizes are accepted here, and missing
/// fields are 0.
template <typename Struct>
bool has_known_size(const Struct& given) noexcept {
  return given.struct_size == sizeof(Struct);
}

inline constexpr const char* unknown_size =
    "struct_size is none that this library knows: start from the struct's init function";

/// Whether all enumerators are known and no distance is negative.
bool is_sound(const gemmtune_problem& problem) noexcept;

/// A problem with an invalid field becomes one without sizes, which nothing serves.
Problem problem_of(const gemmtune_problem& problem) noexcept;

/// The same for one that is known to have no invalid field.
Problem problem_of_sound(const gemmtune_problem& problem) noexcept;
gemmtune_problem c_problem(const Problem& problem);

gemmtune_status status_of(ErrorCode code) noexcept;

/// Copies the text, cut to what fits. Returns the status.
gemmtune_status complain(gemmtune_message* message, gemmtune_status status, const char* text) noexcept;

/// Runs the work and turns an exception into a status and a message.
template <typename Work>
gemmtune_status guarded(gemmtune_message* message, const Work& work) noexcept {
  try {
    work();
    return complain(message, GEMMTUNE_OK, "");
  } catch (const Error& error) {
    return complain(message, status_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return complain(message, GEMMTUNE_SYSTEM_ERROR, "out of memory");
  } catch (const std::exception& error) {
    return complain(message, GEMMTUNE_INTERNAL_ERROR, error.what());
  }
}

}  // namespace gemmtune
