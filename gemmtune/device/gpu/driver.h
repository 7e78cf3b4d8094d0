// The interface of a GPU driver, the same for every vendor. vendor/ implements it.
//
// Functions throw Error{unsupported} with the driver's message, and Error{io} if memory is short. The comment of a
// noexcept function says how it reports a failure instead. The driver decides nothing: the classes around it
// (gpu_device.h, gpu_timer.h) choose the stream and the context, and when to wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/device/gpu/launch_shape.h"
#include "gemmtune/device/gpu/tensor_map.h"

namespace gemmtune::gpu {

// The vendors' own handles, as pointers to types that are never defined, so that no handle can be mistaken for another.
using StreamHandle = struct StreamState*;
using EventHandle = struct EventState*;
using ModuleHandle = struct ModuleState*;
using FunctionHandle = struct FunctionState*;
using GraphHandle = struct GraphState*;
using GraphExecHandle = struct GraphExecState*;

/// The context that a thread's calls go to. {} stands for no context.
enum class ContextHandle : std::uintptr_t {};

/// What a thread may do while streams are captured. Calls that allocate, load code or wait are refused, and spoil the
/// capture, if they conflict with it:
///   global        with a capture of this thread, or with one of any thread that asked for this mode (the default)
///   own_thread    with a capture of this thread
///   relaxed       never
enum class CaptureMode : std::uint8_t { global, own_thread, relaxed };

class Driver {
 public:
  Driver() = default;
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  virtual DeviceKind kind() const noexcept = 0;

  // Devices, by the driver's index.
  virtual int device_count() const = 0;
  /// Everything except `features`, which the monitor reports.
  virtual DeviceInfo device_info(int index) const = 0;
  /// The PCI address by which a monitor and the kernel identify the device: "0000:1b:00.0".
  virtual std::string bus_id(int index) const = 0;

  // The calling thread's device.
  virtual void make_current(int index) const = 0;
  /// The calling thread's context; {} if it has none.
  virtual ContextHandle current_context() const noexcept = 0;
  /// If the driver refuses, the thread's next call fails.
  virtual void make_current(ContextHandle context) const noexcept = 0;
  /// The index of the calling thread's device.
  virtual int current_index() const = 0;
  /// The number of SMs or CUs.
  virtual int compute_units() const = 0;
  /// Whether a kernel may start before the previous one has ended (LaunchStart::early).
  virtual bool starts_early() const = 0;
  /// Code of a kernel delay(nanoseconds), which only waits for that time; "" if this vendor has none.
  virtual std::string delay_code() const = 0;

  // Memory. Copies and fills are queued on the stream.
  virtual std::byte* allocate(std::size_t bytes) const = 0;
  virtual void release(std::byte* address) const noexcept = 0;
  /// Null if the system grants no pinned memory, or no more of it.
  virtual std::byte* allocate_pinned(std::size_t bytes) const noexcept = 0;
  virtual void release_pinned(std::byte* memory) const noexcept = 0;
  virtual void upload(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const = 0;
  virtual void download(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const = 0;
  virtual void copy(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const = 0;
  /// `to` must be an even address. The pattern's low byte comes first.
  virtual void fill(std::byte* to, std::size_t bytes, std::uint16_t pattern, StreamHandle stream) const = 0;

  // Streams.
  /// Creates a stream that is not ordered with the default stream.
  virtual StreamHandle create_stream() const = 0;
  virtual void destroy(StreamHandle stream) const noexcept = 0;
  virtual void synchronize(StreamHandle stream) const = 0;
  /// Whether a fault has hit the stream's context. Such errors are permanent; a refused call does not count.
  virtual bool failed(StreamHandle stream) const noexcept = 0;

  // Events.
  virtual EventHandle create_event() const = 0;
  virtual void destroy(EventHandle event) const noexcept = 0;
  virtual void record(EventHandle event, StreamHandle stream) const = 0;
  virtual void synchronize(EventHandle event) const = 0;
  virtual double elapsed_us(EventHandle start, EventHandle end) const = 0;

  // Graphs.
  /// Sets the calling thread's mode, and returns its former one.
  virtual CaptureMode exchange_capture_mode(CaptureMode mode) const noexcept = 0;
  virtual void begin_capture(StreamHandle stream) const = 0;
  /// Null if the capture is invalid because the work contained something that cannot be captured.
  virtual GraphHandle end_capture(StreamHandle stream) const noexcept = 0;
  virtual GraphExecHandle instantiate(GraphHandle graph) const = 0;
  /// Prepares the first launch, so that it takes no longer than later ones.
  virtual void upload(GraphExecHandle graph, StreamHandle stream) const = 0;
  virtual void launch(GraphExecHandle graph, StreamHandle stream) const = 0;
  virtual void destroy(GraphHandle graph) const noexcept = 0;
  virtual void destroy(GraphExecHandle graph) const noexcept = 0;

  // Modules and kernels.
  /// Loads machine code, or text that the driver itself compiles (PTX).
  virtual ModuleHandle load_module(const std::string& image) const = 0;
  virtual void unload(ModuleHandle module) const noexcept = 0;
  virtual FunctionHandle function(ModuleHandle module, const std::string& name) const = 0;
  /// Allows launches of the function to use this much dynamic shared memory.
  virtual void allow_shared_bytes(FunctionHandle function, int bytes) const = 0;
  /// `arguments` holds the address of each argument.
  virtual void launch(FunctionHandle function, const LaunchShape& shape, StreamHandle stream,
                      std::span<const std::byte* const> arguments) const = 0;
  virtual TensorMap tensor_map(const std::byte* address, const TensorExtent& extent) const = 0;
};

}  // namespace gemmtune::gpu
