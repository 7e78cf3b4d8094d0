// A forked child cannot use its parent's runtime, and says so.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runtime/tables.h"

namespace gemmtune {
namespace {

/// Runs the work in a child. Returns its exit code, which is the number of the first check that failed.
template <typename Work>
int in_child(const Work& work) {
  const auto child = ::fork();
  if (child == 0) ::_exit(work());
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

TEST(ForkedRuntime, RefusesInTheChildAndServesInTheParent) {
  const Drawn drawn("4x8x16:f32:f32:f32");
  auto runtime =
      std::make_unique<Runtime>(RuntimeOptions{.device = "cpu", .has_summary = true, .say = [](const std::string&) {}});
  auto known = runtime->plan({.problem = drawn.problem});
  ASSERT_EQ(why_wrong(*known.plan, drawn), "");
  EXPECT_EQ(in_child([&] {
              if (runtime->plan({.problem = drawn.problem}).status != PlanStatus::wrong_process) return 1;
              if (why_wrong(*known.plan, drawn).find("was forked") == std::string::npos) return 2;
              if (runtime->poll() != Reload::failed) return 3;
              if (runtime->prewarm(std::vector{drawn.problem}).first_failure.status != PlanStatus::wrong_process)
                return 4;
              known = {};
              runtime.reset();
              return 0;
            }),
            0);
  EXPECT_EQ(why_wrong(*known.plan, drawn), "");
}

}  // namespace
}  // namespace gemmtune
