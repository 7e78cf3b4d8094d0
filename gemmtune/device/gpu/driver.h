// A GPU driver: what device/gpu asks of one, whichever vendor's it is. vendor/ implements it.
//
// Functions throw Error{unsupported} with the driver's words, and Error{io} where memory is short; those that are
// noexcept say in their comment what they return instead. Not: policy. Which stream, which context, when to wait is
// decided by the classes around it (gpu_device.h, gpu_timer.h).
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

// The vendors' own handles behind pointers to types that are never defined, so that no handle is taken for another.
using StreamHandle = struct StreamState*;
using EventHandle = struct EventState*;
using ModuleHandle = struct ModuleState*;
using FunctionHandle = struct FunctionState*;
using GraphHandle = struct GraphState*;
using GraphExecHandle = struct GraphExecState*;

/// What a thread's calls go to. {} is none.
enum class ContextHandle : std::uintptr_t {};

class Driver {
 public:
  Driver() = default;
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  virtual DeviceKind kind() const noexcept = 0;

  // Devices, by their index among the vendor's.
  virtual int device_count() const = 0;
  /// All but `features`, which are the monitor's to know.
  virtual DeviceInfo device_info(int index) const = 0;
  /// "0000:1b:00.0": what a monitor and the kernel know the device by.
  virtual std::string bus_id(int index) const = 0;

  // The calling thread's device.
  virtual void make_current(int index) const = 0;
  /// {} when the thread has none.
  virtual ContextHandle current_context() const noexcept = 0;
  /// A failure shows in the thread's next call.
  virtual void make_current(ContextHandle context) const noexcept = 0;
  /// SMs or CUs.
  virtual int compute_units() const = 0;
  /// Whether kernels may start before the one before them has ended (LaunchStart::early).
  virtual bool starts_early() const = 0;
  /// Code with one kernel delay(nanoseconds) that does nothing for so long; "" where there is none.
  virtual std::string delay_code() const = 0;

  // Memory. Copies and fills are queued on the stream.
  virtual std::byte* allocate(std::size_t bytes) const = 0;
  virtual void release(std::byte* address) const noexcept = 0;
  /// Null where the system lends no pinned memory, or no more of it.
  virtual std::byte* allocate_pinned(std::size_t bytes) const noexcept = 0;
  virtual void release_pinned(std::byte* memory) const noexcept = 0;
  virtual void upload(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const = 0;
  virtual void download(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const = 0;
  virtual void copy(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const = 0;
  /// `to` is at an even address; the pattern's low byte comes first.
  virtual void fill(std::byte* to, std::size_t bytes, std::uint16_t pattern, StreamHandle stream) const = 0;

  // Streams.
  /// One that is not ordered with the default stream.
  virtual StreamHandle create_stream() const = 0;
  virtual void destroy(StreamHandle stream) const noexcept = 0;
  virtual void synchronize(StreamHandle stream) const = 0;
  /// Whether the stream's context has met a fault. Such errors stay; refused calls leave no trace here.
  virtual bool failed(StreamHandle stream) const noexcept = 0;

  // Events.
  virtual EventHandle create_event() const = 0;
  virtual void destroy(EventHandle event) const noexcept = 0;
  virtual void record(EventHandle event, StreamHandle stream) const = 0;
  virtual void synchronize(EventHandle event) const = 0;
  virtual double elapsed_us(EventHandle start, EventHandle end) const = 0;

  // Graphs.
  virtual void begin_capture(StreamHandle stream) const = 0;
  /// Null when the capture has become invalid: something in it cannot be captured.
  virtual GraphHandle end_capture(StreamHandle stream) const noexcept = 0;
  virtual GraphExecHandle instantiate(GraphHandle graph) const = 0;
  /// Prepares the first launch, so that it takes no longer than the next.
  virtual void upload(GraphExecHandle graph, StreamHandle stream) const = 0;
  virtual void launch(GraphExecHandle graph, StreamHandle stream) const = 0;
  virtual void destroy(GraphHandle graph) const noexcept = 0;
  virtual void destroy(GraphExecHandle graph) const noexcept = 0;

  // Modules and kernels.
  /// From machine code in memory, or text that the driver itself compiles (PTX).
  virtual ModuleHandle load_module(const std::string& image) const = 0;
  virtual void unload(ModuleHandle module) const noexcept = 0;
  virtual FunctionHandle function(ModuleHandle module, const std::string& name) const = 0;
  /// Dynamic shared memory that launches of the function may ask for.
  virtual void allow_shared_bytes(FunctionHandle function, int bytes) const = 0;
  /// By the address of each argument.
  virtual void launch(FunctionHandle function, const LaunchShape& shape, StreamHandle stream,
                      std::span<const std::byte* const> arguments) const = 0;
  virtual TensorMap tensor_map(const std::byte* address, const TensorExtent& extent) const = 0;
};

}  // namespace gemmtune::gpu
