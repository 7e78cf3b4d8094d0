// Any bytes as a model in a GGUF file: either a list of shapes or an Error. Nothing crashes, hangs or overflows.
#include <cstdint>
#include <sstream>
#include <string>

#include "gemmtune/core/error.h"
#include "gemmtune/exchange/gguf_shapes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gemmtune;
  try {
    std::istringstream stream(std::string(reinterpret_cast<const char*>(data), size));
    GgufModel model;
    model.files.push_back(read_gguf(stream, size, "m.gguf"));
    (void)model.first().has_data();
    for (const std::int64_t devices : {1, 8})
      (void)gguf_shapes(model, "", {.tensor_parallel = {devices}, .m = {1, 100}});
  } catch (const Error&) {
  }
  return 0;
}
