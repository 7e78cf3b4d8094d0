#include "gemmtune/preload/serving.h"

#include <fmt/format.h>

#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/vendor.h"
#include "gemmtune/preload/call_problem.h"
#include "gemmtune/preload/originals.h"

namespace gemmtune::preload {
namespace {

Serving* open_of_process() noexcept {
  try {
    const auto environment = read_environment(process_variables());
    const bool asks = !environment.tables.empty() || environment.capture;
    return asks && !environment.is_preload_off ? new Serving(environment) : nullptr;
  } catch (const std::exception& error) {
    stderr_sink()(fmt::format("the preloaded library does nothing: {}", error.what()));
    return nullptr;
  }
}

}  // namespace

Serving* Serving::of_process() noexcept {
  static Serving* const serving = open_of_process();
  return serving;
}

Serving::Serving(const Environment& environment)
    : environment_(environment),
      options_(options_from(environment)),
      capture_(std::exchange(options_.capture, nullptr)),
      library_(std::make_shared<const cublaslt::Library>(loaded_cublaslt())),
      driver_(names_device() ? nullptr : gpu::driver_of(gpu::vendor_of(DeviceKind::cuda))),
      bytes_(*library_) {
  options_.rules.nearest_factor = 1;
  ProcessEvents::of_process().add(*this);
}

/// The device that the calling thread works on.
const ServedDevice& Serving::device() {
  const int index = driver_ ? driver_->current_index() : 0;
  const std::lock_guard lock(mutex_);
  auto& known = devices_[index];
  if (!known) known = open(index);
  return *known;
}

std::unique_ptr<ServedDevice> Serving::open(int index) const {
  auto options = options_;
  if (driver_) {
    const auto info = driver_->device_info(index);
    options.gfx = info.arch;
    options.cu_num = info.cu_num;
  }
  auto opened = std::make_unique<ServedDevice>(options);
  if (capture_) opened->captured_as = capture_->device(options.gfx, options.cu_num);
  return opened;
}

Served Serving::serve(const LibraryCall& call, cublasLtHandle_t handle, const Descriptors* descriptors) noexcept {
  Served served;
  try {
    served.device = &device();
    served.generation = served.device->dispatcher.generation();
    served.problem = problem_of(call);
    if (!served.problem) return served;
    served.answer = served.device->dispatcher.lookup(*served.problem);
    const auto* choice = std::exchange(served.answer.choice, nullptr);
    served.answer.runner_up = nullptr;
    if (served.answer.match == MatchKind::exact && choice != nullptr)
      find_tuned(served, call, handle, descriptors, *choice);
  } catch (const std::exception&) {  // no memory, or a device that the driver does not know
    served.tuned.reset();
  }
  return served;
}

void Serving::find_tuned(Served& served, const LibraryCall& call, cublasLtHandle_t handle,
                         const Descriptors* descriptors, const Choice& choice) const {
  const auto session = std::make_shared<const cublaslt::Session>(library_, handle);
  const auto kernel = TunedKernel::of(session, {choice.kernel_name, *served.problem, call.fast_accumulation});
  if (!kernel) return;
  served.tuned = descriptors == nullptr ? kernel->checked() : kernel->checked(*session, *descriptors);
  if (descriptors == nullptr) served.matmul = kernel->matmul();
}

void Serving::before_exit() noexcept {
  if (!environment_.wants_summary) return;
  try {
    stderr_sink()(
        fmt::format("preloaded: {} products, {} of them with tuned algorithms; {} answers of the heuristic begin "
                    "with one",
                    calls_.total(), tuned_.total(), offered_.total()));
  } catch (const std::exception&) {  // out of memory: the program ends anyway
  }
}

}  // namespace gemmtune::preload
