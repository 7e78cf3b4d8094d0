// What a preloaded process serves: the tables and the capture that its environment names, for the devices that its
// calls go to.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "gemmtune/core/shared_count.h"
#include "gemmtune/device/gpu/driver.h"
#include "gemmtune/dispatch/dispatcher.h"
#include "gemmtune/families/cublaslt/library.h"
#include "gemmtune/preload/call_bytes.h"
#include "gemmtune/preload/library_call.h"
#include "gemmtune/preload/tuned_algo.h"

namespace gemmtune::preload {

/// The tables of one device.
struct ServedDevice {
  explicit ServedDevice(DispatcherOptions options) : dispatcher(std::move(options)) {}

  Dispatcher dispatcher;
  CaptureDevice captured_as{};
};

/// What the tables say of one call. Valid until they are reloaded.
struct Served {
  const ServedDevice* device{};
  std::uint64_t generation{};                        // of the device's tables
  std::optional<Problem> problem{};                  // empty: the call is none of gemmtune's problems
  Answer answer{};                                   // without its choice
  std::optional<TunedAlgo> tuned{};                  // empty: the library's own choice is to run
  std::shared_ptr<const cublaslt::Matmul> matmul{};  // of a call without descriptors of its own

  bool is_current() const noexcept { return device != nullptr && device->dispatcher.generation() == generation; }
};

class Serving final : private ProcessListener {
 public:
  /// Null if the environment asks for nothing (GEMMTUNE_PRELOAD=0, or neither tables nor a capture), or if something
  /// is wrong with it, which one message then says. Made at the first call and never destroyed: programs multiply
  /// while they exit.
  static Serving* of_process() noexcept;

  /// Throws Error{no_device} if neither the environment nor the driver tells what the device is.
  explicit Serving(const Environment& environment);

  /// Looks the call up. `descriptors` are the program's, if it has some. Never throws: what cannot be served is none of
  /// gemmtune's problems.
  Served serve(const LibraryCall& call, cublasLtHandle_t handle, const Descriptors* descriptors) noexcept;

  /// Counts one call of a problem.
  void record(const Served& served) noexcept {
    calls_.add();
    if (capture_) capture_->record(served.device->captured_as, *served.problem, served.answer);
  }
  void note_tuned() noexcept { tuned_.add(); }
  void note_offered() noexcept { offered_.add(); }

  const cublaslt::Library& library() const { return *library_; }
  const CallBytes& bytes() const { return bytes_; }

 private:
  bool names_device() const { return !environment_.gfx.empty() && environment_.cu_num > 0; }
  const ServedDevice& device();
  std::unique_ptr<ServedDevice> open(int index) const;
  void find_tuned(Served& served, const LibraryCall& call, cublasLtHandle_t handle, const Descriptors* descriptors,
                  const Choice& choice) const;
  void before_exit() noexcept override;

  Environment environment_;
  DispatcherOptions options_;
  std::shared_ptr<Capture> capture_;
  std::shared_ptr<const cublaslt::Library> library_;
  std::shared_ptr<const gpu::Driver> driver_;  // null if the environment names the device
  CallBytes bytes_;
  SharedCount calls_;
  SharedCount tuned_;
  SharedCount offered_;
  std::mutex mutex_;  // of the next
  std::map<int, std::unique_ptr<ServedDevice>> devices_;
};

}  // namespace gemmtune::preload
