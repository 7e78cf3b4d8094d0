// A worker on the first GPU whose kernels are right, wrong and deadly: the broken family of GPUs behind the protocol.
#include <memory>
#include <string>
#include <vector>

#include "gemmtune/evaluate/local_evaluator.h"
#include "gemmtune/worker/serve.h"
#include "tests/families/broken_gpu/broken_gpu_family.h"

int main() {
  using namespace gemmtune;
  const auto make_evaluator = [](const std::string& device) -> std::unique_ptr<Evaluator> {
    std::vector<std::unique_ptr<KernelFamily>> families;
    families.push_back(broken_gpu::make_family());
    return std::make_unique<LocalEvaluator>(open_device(device), std::move(families));
  };
  return serve_on_stdio(make_evaluator, "cuda");
}
