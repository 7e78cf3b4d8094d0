// Any bytes under each tool's name: either an Error refuses them, or they are that tool's file, and what is read can be
// written and read again.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gemmtune/core/csv.h"
#include "gemmtune/core/error.h"
#include "gemmtune/exchange/foreign_shapes.h"
#include "gemmtune/exchange/hipblaslt_tuning.h"
#include "gemmtune/exchange/server_config.h"
#include "gemmtune/exchange/tunable_op_file.h"

namespace {

using namespace gemmtune;

constexpr std::array<const char*, 2> names{"x.txt",
                                           "N=512,K=1024,device_name=X,dtype=fp8_w8a8,block_shape=[128, 128].json"};

void shapes(std::string_view text) {
  for (const auto* name : names) try {
      for (const auto& shape : foreign_shapes(name, text).shapes) (void)to_string(shape.problem);
    } catch (const Error&) {
    }
}

void tunable_op(std::string_view text) {
  const auto file = read_tunable_op_file(text, "t");
  for (const auto& entry : file.entries) {
    if (!why_no_tunable_op(entry.call.problem).empty()) continue;
    const auto key = tunable_op_key(entry.call, TorchBuild::cuda);
    if (tunable_op_call(key.operation + ',' + key.parameters).problem != entry.call.problem) std::abort();
  }
}

void tuning(std::string_view text) {
  auto choices = read_library_tuning(text, "t").choices;
  std::erase_if(choices, [](const auto& choice) { return !why_no_hipblaslt(choice.problem).empty(); });
  const auto back = read_library_tuning(hipblaslt_tuning_text("1", choices), "t");
  for (std::size_t i = 0; i < back.choices.size() && back.choices.size() == choices.size(); ++i)
    if (back.choices[i].problem != choices[i].problem) std::abort();
}

void config(std::string_view text) {
  const auto config = parse_server_config(text, names[1]);
  if (config.entries.empty()) return;
  if (parse_server_config(server_config_text(config), names[1]).entries != config.entries) std::abort();
  (void)parse_csv(server_config_csv({config}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  shapes(text);
  tunable_op(text);
  tuning(text);
  try {
    config(text);
  } catch (const Error&) {
  }
  return 0;
}
