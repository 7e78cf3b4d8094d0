// AMD's driver, loaded at run time, behind the names of vendor/cuda.h, where each stands with its meaning.
#pragma once

#include <hip/hip_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/core/shared_library.h"
#include "gemmtune/device/device_info.h"
#include "gemmtune/device/gpu/launch_shape.h"
#include "gemmtune/device/gpu/tensor_map.h"

namespace gemmtune::gpu {

inline constexpr DeviceKind device_kind = DeviceKind::hip;
inline constexpr const char* driver_library = "libamdhip64.so";

inline constexpr const char* delay_code = nullptr;

using DeviceHandle = hipDevice_t;
/// Threads have a device here, the first until they are told another: that one counts as none.
enum class ContextHandle : int {};
using StreamHandle = hipStream_t;
using EventHandle = hipEvent_t;
using ModuleHandle = hipModule_t;
using FunctionHandle = hipFunction_t;
using GraphHandle = hipGraph_t;
using GraphExecHandle = hipGraphExec_t;

// Newer headers rename functions by macros: the symbol is what the macro yields. Overloads for C++ hide some types.
#define GEMMTUNE_SYMBOL_TEXT(name) #name
#define GEMMTUNE_DRIVER_FUNCTION(member, name, ...) \
  hipError_t (*member)(__VA_ARGS__) = library_.function<hipError_t(__VA_ARGS__)>(GEMMTUNE_SYMBOL_TEXT(name))

class Driver {
 public:
  explicit Driver(SharedLibrary library) : library_(std::move(library)) {
    if (const auto result = init_(0); result != hipSuccess)
      fail(ErrorCode::no_device, "{} does not start: {}", library_.name(), words_(result));
  }

  /// "HIP 5.2".
  std::string version() const {
    int version{};
    check(driver_version_(&version), "hipDriverGetVersion");
    return fmt::format("HIP {}.{}", version / 10'000'000, version % 10'000'000 / 100'000);
  }

  int device_count() const {
    int count{};
    check(device_count_(&count), "hipGetDeviceCount");
    return count;
  }
  DeviceHandle device(int index) const {
    DeviceHandle device{};
    check(device_(&device, index), "hipDeviceGet");
    return device;
  }
  std::string device_name(DeviceHandle device) const { return properties(device).name; }
  std::size_t memory_bytes(DeviceHandle device) const { return properties(device).totalGlobalMem; }
  int compute_units(DeviceHandle device) const { return properties(device).multiProcessorCount; }
  int l2_bytes(DeviceHandle device) const { return properties(device).l2CacheSize; }
  int shared_bytes_per_block(DeviceHandle device) const {
    return static_cast<int>(properties(device).sharedMemPerBlock);
  }

  /// "gfx942", without the features behind it.
  std::string arch(DeviceHandle device) const {
    const std::string name = properties(device).gcnArchName;
    return name.substr(0, name.find(':'));
  }

  std::string bus_id(DeviceHandle device) const {
    std::array<char, 32> id{};
    check(bus_id_(id.data(), static_cast<int>(id.size()), device), "hipDeviceGetPCIBusId");
    return id.data();
  }

  void make_current(DeviceHandle device) const { check(set_device_(device), "hipSetDevice"); }
  DeviceHandle current_device() const {
    int device{};
    check(get_device_(&device), "hipGetDevice");
    return this->device(device);
  }
  ContextHandle current_context() const noexcept {
    int device{};
    return get_device_(&device) == hipSuccess ? static_cast<ContextHandle>(device) : ContextHandle{};
  }
  void make_current(ContextHandle context) const noexcept { static_cast<void>(set_device_(static_cast<int>(context))); }

  std::byte* allocate(std::size_t bytes) const {
    void* address{};
    check(allocate_(&address, bytes), "hipMalloc");
    return static_cast<std::byte*>(address);
  }
  void release(std::byte* address) const noexcept { static_cast<void>(release_(address)); }
  std::byte* allocate_pinned(std::size_t bytes) const noexcept {
    void* memory{};
    return allocate_pinned_(&memory, bytes, 0) == hipSuccess ? static_cast<std::byte*>(memory) : nullptr;
  }
  void release_pinned(std::byte* memory) const noexcept { static_cast<void>(release_pinned_(memory)); }
  void upload(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const {
    check(copy_(to, from, bytes, hipMemcpyHostToDevice, stream), "hipMemcpyAsync");
  }
  void download(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const {
    check(copy_(to, from, bytes, hipMemcpyDeviceToHost, stream), "hipMemcpyAsync");
  }
  void copy(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const {
    check(copy_(to, from, bytes, hipMemcpyDeviceToDevice, stream), "hipMemcpyAsync");
  }
  void fill(std::byte* to, std::size_t bytes, std::uint16_t pattern, StreamHandle stream) const {
    if (bytes >= 2) check(fill16_(to, pattern, bytes / 2, stream), "hipMemsetD16Async");
    if (bytes % 2 == 0) return;
    check(fill8_(to + bytes - 1, static_cast<unsigned char>(pattern & 0xffU), 1, stream), "hipMemsetD8Async");
  }

  StreamHandle create_stream() const {
    StreamHandle stream{};
    check(create_stream_(&stream, hipStreamNonBlocking), "hipStreamCreateWithFlags");
    return stream;
  }
  void destroy(StreamHandle stream) const noexcept { static_cast<void>(destroy_stream_(stream)); }
  void synchronize(StreamHandle stream) const { check(synchronize_stream_(stream), "hipStreamSynchronize"); }
  bool failed(StreamHandle stream) const noexcept {
    const auto result = query_stream_(stream);
    return result != hipSuccess && result != hipErrorNotReady;
  }

  EventHandle create_event() const {
    EventHandle event{};
    check(create_event_(&event), "hipEventCreate");
    return event;
  }
  void destroy(EventHandle event) const noexcept { static_cast<void>(destroy_event_(event)); }
  void record(EventHandle event, StreamHandle stream) const { check(record_(event, stream), "hipEventRecord"); }
  void synchronize(EventHandle event) const { check(synchronize_event_(event), "hipEventSynchronize"); }
  double elapsed_us(EventHandle start, EventHandle end) const {
    float milliseconds{};
    check(elapsed_(&milliseconds, start, end), "hipEventElapsedTime");
    return 1000.0 * static_cast<double>(milliseconds);
  }

  void begin_capture(StreamHandle stream) const {
    check(begin_capture_(stream, hipStreamCaptureModeThreadLocal), "hipStreamBeginCapture");
  }
  GraphHandle end_capture(StreamHandle stream) const noexcept {
    GraphHandle graph{};
    return end_capture_(stream, &graph) == hipSuccess ? graph : nullptr;
  }
  GraphExecHandle instantiate(GraphHandle graph) const {
    GraphExecHandle exec{};
    check(instantiate_(&exec, graph, nullptr, nullptr, 0), "hipGraphInstantiate");
    return exec;
  }
  /// HIP has no way to do it ahead: one launch more.
  void upload(GraphExecHandle graph, StreamHandle stream) const { launch(graph, stream); }
  void launch(GraphExecHandle graph, StreamHandle stream) const {
    check(launch_graph_(graph, stream), "hipGraphLaunch");
  }
  void destroy(GraphHandle graph) const noexcept { static_cast<void>(destroy_graph_(graph)); }
  void destroy(GraphExecHandle graph) const noexcept { static_cast<void>(destroy_graph_exec_(graph)); }

  ModuleHandle load_module(const std::string& image) const {
    ModuleHandle module{};
    check(load_module_(&module, image.data()), "hipModuleLoadData");
    return module;
  }
  void unload(ModuleHandle module) const noexcept { static_cast<void>(unload_module_(module)); }
  FunctionHandle function(ModuleHandle module, const std::string& name) const {
    FunctionHandle function{};
    check(get_function_(&function, module, name.c_str()), "hipModuleGetFunction " + name);
    return function;
  }
  /// All of a block's memory may be dynamic here without asking.
  void allow_shared_bytes(FunctionHandle /*function*/, int /*bytes*/) const {}
  bool starts_early() const { return false; }
  void launch(FunctionHandle function, const LaunchShape& shape, StreamHandle stream,
              std::span<const std::byte* const> arguments) const {
    if (shape.cluster > 1) fail(ErrorCode::unsupported, "these GPUs have no clusters of blocks");
    auto* addresses = reinterpret_cast<void**>(const_cast<std::byte**>(arguments.data()));
    check(launch_(function, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y, shape.block.z,
                  shape.shared_bytes, stream, addresses, nullptr),
          "hipModuleLaunchKernel");
  }
  TensorMap tensor_map(const std::byte* /*address*/, const TensorExtent& /*extent*/) const {
    fail(ErrorCode::unsupported, "these GPUs have no bulk copies of tensors");
  }

 private:
  hipDeviceProp_t properties(DeviceHandle device) const {
    hipDeviceProp_t properties{};
    check(properties_(&properties, device), "hipGetDeviceProperties");
    return properties;
  }
  void check(hipError_t result, const std::string& what) const {
    if (result == hipSuccess) return;
    fail(result == hipErrorOutOfMemory ? ErrorCode::io : ErrorCode::unsupported, "{}: {}", what, words_(result));
  }

  SharedLibrary library_;
  const char* (*words_)(hipError_t) = library_.function<const char*(hipError_t)>("hipGetErrorString");
  GEMMTUNE_DRIVER_FUNCTION(init_, hipInit, unsigned);
  GEMMTUNE_DRIVER_FUNCTION(driver_version_, hipDriverGetVersion, int*);
  GEMMTUNE_DRIVER_FUNCTION(device_count_, hipGetDeviceCount, int*);
  GEMMTUNE_DRIVER_FUNCTION(device_, hipDeviceGet, hipDevice_t*, int);
  GEMMTUNE_DRIVER_FUNCTION(properties_, hipGetDeviceProperties, hipDeviceProp_t*, int);
  GEMMTUNE_DRIVER_FUNCTION(bus_id_, hipDeviceGetPCIBusId, char*, int, int);
  GEMMTUNE_DRIVER_FUNCTION(set_device_, hipSetDevice, int);
  GEMMTUNE_DRIVER_FUNCTION(get_device_, hipGetDevice, int*);
  GEMMTUNE_DRIVER_FUNCTION(allocate_, hipMalloc, void**, std::size_t);
  GEMMTUNE_DRIVER_FUNCTION(release_, hipFree, void*);
  GEMMTUNE_DRIVER_FUNCTION(allocate_pinned_, hipHostMalloc, void**, std::size_t, unsigned);
  GEMMTUNE_DRIVER_FUNCTION(release_pinned_, hipHostFree, void*);
  GEMMTUNE_DRIVER_FUNCTION(copy_, hipMemcpyAsync, void*, const void*, std::size_t, hipMemcpyKind, hipStream_t);
  GEMMTUNE_DRIVER_FUNCTION(fill16_, hipMemsetD16Async, hipDeviceptr_t, unsigned short, std::size_t, hipStream_t);
  GEMMTUNE_DRIVER_FUNCTION(fill8_, hipMemsetD8Async, hipDeviceptr_t, unsigned char, std::size_t, hipStream_t);
  GEMMTUNE_DRIVER_FUNCTION(create_stream_, hipStreamCreateWithFlags, hipStream_t*, unsigned);
  GEMMTUNE_DRIVER_FUNCTION(destroy_stream_, hipStreamDestroy, hipStream_t);
  GEMMTUNE_DRIVER_FUNCTION(synchronize_stream_, hipStreamSynchronize, hipStream_t);
  GEMMTUNE_DRIVER_FUNCTION(query_stream_, hipStreamQuery, hipStream_t);
  GEMMTUNE_DRIVER_FUNCTION(create_event_, hipEventCreate, hipEvent_t*);
  GEMMTUNE_DRIVER_FUNCTION(destroy_event_, hipEventDestroy, hipEvent_t);
  GEMMTUNE_DRIVER_FUNCTION(record_, hipEventRecord, hipEvent_t, hipStream_t);
  GEMMTUNE_DRIVER_FUNCTION(synchronize_event_, hipEventSynchronize, hipEvent_t);
  GEMMTUNE_DRIVER_FUNCTION(elapsed_, hipEventElapsedTime, float*, hipEvent_t, hipEvent_t);
  GEMMTUNE_DRIVER_FUNCTION(begin_capture_, hipStreamBeginCapture, hipStream_t, hipStreamCaptureMode);
  GEMMTUNE_DRIVER_FUNCTION(end_capture_, hipStreamEndCapture, hipStream_t, hipGraph_t*);
  GEMMTUNE_DRIVER_FUNCTION(instantiate_, hipGraphInstantiate, hipGraphExec_t*, hipGraph_t, hipGraphNode_t*, char*,
                           std::size_t);
  GEMMTUNE_DRIVER_FUNCTION(launch_graph_, hipGraphLaunch, hipGraphExec_t, hipStream_t);
  GEMMTUNE_DRIVER_FUNCTION(destroy_graph_, hipGraphDestroy, hipGraph_t);
  GEMMTUNE_DRIVER_FUNCTION(destroy_graph_exec_, hipGraphExecDestroy, hipGraphExec_t);
  GEMMTUNE_DRIVER_FUNCTION(load_module_, hipModuleLoadData, hipModule_t*, const void*);
  GEMMTUNE_DRIVER_FUNCTION(unload_module_, hipModuleUnload, hipModule_t);
  GEMMTUNE_DRIVER_FUNCTION(get_function_, hipModuleGetFunction, hipFunction_t*, hipModule_t, const char*);
  GEMMTUNE_DRIVER_FUNCTION(launch_, hipModuleLaunchKernel, hipFunction_t, unsigned, unsigned, unsigned, unsigned,
                           unsigned, unsigned, unsigned, hipStream_t, void**, void**);
};

#undef GEMMTUNE_DRIVER_FUNCTION
#undef GEMMTUNE_SYMBOL_TEXT

}  // namespace gemmtune::gpu
