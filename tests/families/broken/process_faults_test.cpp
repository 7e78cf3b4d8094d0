#include "tests/families/broken/process_faults.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "tests/families/broken/broken_family.h"

namespace gemmtune::broken {
namespace {

TEST(ProcessFaultDeathTest, DieAsTheyAreNamed) {
  EXPECT_EXIT(harm_process("segfault"), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(harm_process("abort"), testing::KilledBySignal(SIGABRT), "");
  EXPECT_EXIT(harm_process("exit"), testing::ExitedWithCode(3), "");
}

TEST(ProcessFaultDeathTest, HangUntilSomeoneEndsThem) {
  EXPECT_EXIT((alarm(1), harm_process("hang")), testing::KilledBySignal(SIGALRM), "");
}

TEST(ProcessFault, AllocatesOnlyUnderALimit) {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  if (limit.rlim_cur != RLIM_INFINITY) GTEST_SKIP() << "this process has a limit";
  EXPECT_NE(harm_process("allocates"), "");
}

#ifndef __SANITIZE_ADDRESS__  // AddressSanitizer needs more address space than any limit leaves
void allocate_within(rlim_t bytes) {
  const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
  setrlimit(RLIMIT_AS, &limit);
  harm_process("allocates");
}

TEST(ProcessFaultDeathTest, AllocatesUntilTheLimit) {
  EXPECT_EXIT(allocate_within(rlim_t{512} << 20), testing::KilledBySignal(SIGABRT), "");
}
#endif

TEST(ProcessFault, OtherFaultsHarmNoProcess) {
  for (const auto& fault : planted_faults()) {
    if (fault.harm == Harm::process) continue;
    EXPECT_EQ(harm_process(fault.name), "") << fault.name;
  }
}

}  // namespace
}  // namespace gemmtune::broken
