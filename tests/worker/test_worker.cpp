// A worker whose kernels are right, wrong and deadly: the broken family behind the protocol.
//
//   test_worker            offers every fault
//   test_worker no_device  cannot open its device
//   test_worker fragile    loses its device when a launch reports a failure
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/device/cpu/cpu_device.h"
#include "gemmtune/evaluate/local_evaluator.h"
#include "gemmtune/worker/serve.h"
#include "tests/families/broken/broken_family.h"
#include "tests/families/broken/process_faults.h"
#include "tests/support/forwarding_device.h"

namespace {

using namespace gemmtune;

/// A CPU that claims a small cache, so that few copies of the operands make a rotation.
std::unique_ptr<Evaluator> make_evaluator(const std::string& mode) {
  // As a library does that greets its users when it is loaded.
  broken::print_to_stdout();
  auto info = open_device(mode == "no_device" ? "cpu:12345" : "cpu")->info();
  info.last_level_cache_bytes = 128 * 1024;
  std::vector<std::unique_ptr<KernelFamily>> families;
  families.push_back(broken::make_family());
  auto device = make_cpu_device(std::move(info));
  if (mode == "fragile") device = std::make_unique<FragileDevice>(std::move(device));
  return std::make_unique<LocalEvaluator>(std::move(device), std::move(families));
}

}  // namespace

int main(int argument_count, char** arguments) {
  return gemmtune::serve_on_stdio(make_evaluator, argument_count > 1 ? arguments[1] : "");
}
