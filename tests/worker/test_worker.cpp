// A worker whose kernels are right, wrong and deadly: the broken family behind the protocol.
//
//   test_worker            offers every fault
//   test_worker no_device  cannot open its device
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/device/cpu/cpu_device.h"
#include "gemmtune/evaluate/local_evaluator.h"
#include "gemmtune/worker/serve.h"
#include "tests/families/broken/broken_family.h"
#include "tests/families/broken/process_faults.h"

namespace {

using namespace gemmtune;

/// A CPU that claims a small cache, so that few copies of the operands make a rotation.
std::unique_ptr<Evaluator> make_evaluator(const std::string& device_name) {
  // As a library does that greets its users when it is loaded.
  broken::print_to_stdout();
  auto info = open_device(device_name)->info();
  info.last_level_cache_bytes = 128 * 1024;
  std::vector<std::unique_ptr<KernelFamily>> families;
  families.push_back(broken::make_family());
  return std::make_unique<LocalEvaluator>(make_cpu_device(std::move(info)), std::move(families));
}

}  // namespace

int main(int argument_count, char**) {
  return gemmtune::serve_on_stdio(make_evaluator, argument_count > 1 ? "cpu:12345" : "cpu");
}
