#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

#include "gemmtune/cli/app.h"

namespace {

/// As by `ulimit -v`.
bool is_address_space_limited() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

int main(int argc, char** argv) {
  const int code = gemmtune::run_app({argv, argv + argc});
  // OpenBLAS starts threads when it is loaded, which ask for memory until they get some, and its destructor waits for
  // them: for ever where there is not enough. Elsewhere the destructors run, as tools that watch a process expect it.
  if (is_address_space_limited()) {
    std::fflush(nullptr);
    std::_Exit(code);
  }
  return code;
}
