// NVIDIA's driver, loaded at run time, behind names of no vendor.
//
// Typed inline functions that throw; what they do is the driver's documentation's business. Not: policy. Which stream,
// which context, when to wait: device/gpu/.
#pragma once

#include <cuda.h>

#include <array>
#include <bit>
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

inline constexpr DeviceKind device_kind = DeviceKind::cuda;
inline constexpr const char* driver_library = "libcuda.so.1";

/// Code for any device, with one kernel delay(nanoseconds) that does nothing for so long; null where there is none.
inline constexpr const char* delay_code = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry delay(.param .u64 nanoseconds) {
  .reg .u64 %wanted, %start, %now;
  .reg .pred %early;
  ld.param.u64 %wanted, [nanoseconds];
  mov.u64 %start, %globaltimer;
again:
  mov.u64 %now, %globaltimer;
  sub.u64 %now, %now, %start;
  setp.lt.u64 %early, %now, %wanted;
  @%early bra again;
  ret;
})";

using DeviceHandle = CUdevice;
using ContextHandle = CUcontext;
using StreamHandle = CUstream;
using EventHandle = CUevent;
using ModuleHandle = CUmodule;
using FunctionHandle = CUfunction;
using GraphHandle = CUgraph;
using GraphExecHandle = CUgraphExec;

// The driver's headers rename functions by macros (cuMemAlloc is cuMemAlloc_v2): the symbol is what the macro yields.
#define GEMMTUNE_SYMBOL_TEXT(name) #name
// NOLINTBEGIN(bugprone-macro-parentheses): a name that is declared takes none
#define GEMMTUNE_DRIVER_FUNCTION(member, name) \
  decltype(&::name) member = library_.function<std::remove_pointer_t<decltype(&::name)>>(GEMMTUNE_SYMBOL_TEXT(name))
// NOLINTEND(bugprone-macro-parentheses)

class Driver {
 public:
  /// Throws Error{no_device} in words when the driver does not start; the library is its own.
  explicit Driver(SharedLibrary library) : library_(std::move(library)) {
    if (const auto result = init_(0); result != CUDA_SUCCESS)
      fail(ErrorCode::no_device, "{} does not start: {}", library_.name(), words(result));
  }

  /// "CUDA 13.0".
  std::string version() const {
    int version{};
    check(driver_version_(&version), "cuDriverGetVersion");
    return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  }

  int device_count() const {
    int count{};
    check(device_count_(&count), "cuDeviceGetCount");
    return count;
  }
  DeviceHandle device(int index) const {
    DeviceHandle device{};
    check(device_(&device, index), "cuDeviceGet");
    return device;
  }
  std::string device_name(DeviceHandle device) const {
    std::array<char, 256> name{};
    check(device_name_(name.data(), static_cast<int>(name.size()), device), "cuDeviceGetName");
    return name.data();
  }
  std::size_t memory_bytes(DeviceHandle device) const {
    std::size_t bytes{};
    check(memory_bytes_(&bytes, device), "cuDeviceTotalMem");
    return bytes;
  }
  int compute_units(DeviceHandle device) const { return attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT); }
  int l2_bytes(DeviceHandle device) const { return attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE); }
  int shared_bytes_per_block(DeviceHandle device) const {
    return attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  }

  /// "sm90": the column gfx of tables, and what run-time compilers are told.
  std::string arch(DeviceHandle device) const {
    return fmt::format("sm{}{}", attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                       attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  }

  /// "0000:1b:00.0": what the management library knows the device by.
  std::string bus_id(DeviceHandle device) const {
    std::array<char, 32> id{};
    check(bus_id_(id.data(), static_cast<int>(id.size()), device), "cuDeviceGetPCIBusId");
    return id.data();
  }

  /// Makes the device's primary context the calling thread's.
  void make_current(DeviceHandle device) const {
    CUcontext context{};
    check(retain_(&context, device), "cuDevicePrimaryCtxRetain");
    check(set_current_(context), "cuCtxSetCurrent");
  }
  /// The one that the calling thread has made current.
  DeviceHandle current_device() const {
    DeviceHandle device{};
    check(current_(&device), "cuCtxGetDevice");
    return device;
  }
  /// The calling thread's; null when it has none.
  ContextHandle current_context() const noexcept {
    ContextHandle context{};
    return get_current_(&context) == CUDA_SUCCESS ? context : nullptr;
  }
  void make_current(ContextHandle context) const noexcept { set_current_(context); }

  std::byte* allocate(std::size_t bytes) const {
    CUdeviceptr address{};
    check(allocate_(&address, bytes), "cuMemAlloc");
    // NOLINTNEXTLINE(performance-no-int-to-ptr): to the driver addresses are numbers
    return reinterpret_cast<std::byte*>(address);
  }
  void release(std::byte* address) const noexcept { release_(pointer(address)); }
  /// Memory of the host that the device copies from and to by itself; null where there is none to be had.
  std::byte* allocate_pinned(std::size_t bytes) const noexcept {
    void* memory{};
    return allocate_pinned_(&memory, bytes, 0) == CUDA_SUCCESS ? static_cast<std::byte*>(memory) : nullptr;
  }
  void release_pinned(std::byte* memory) const noexcept { release_pinned_(memory); }
  void upload(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const {
    check(upload_(pointer(to), from, bytes, stream), "cuMemcpyHtoDAsync");
  }
  void download(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const {
    check(download_(to, pointer(from), bytes, stream), "cuMemcpyDtoHAsync");
  }
  void copy(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const {
    check(copy_(pointer(to), pointer(from), bytes, stream), "cuMemcpyDtoDAsync");
  }
  /// `bytes` at an even address, by a pattern whose low byte comes first.
  void fill(std::byte* to, std::size_t bytes, std::uint16_t pattern, StreamHandle stream) const {
    if (bytes >= 2) check(fill16_(pointer(to), pattern, bytes / 2, stream), "cuMemsetD16Async");
    if (bytes % 2 == 0) return;
    check(fill8_(pointer(to + bytes - 1), static_cast<unsigned char>(pattern & 0xffU), 1, stream), "cuMemsetD8Async");
  }

  /// Not ordered with the default stream.
  StreamHandle create_stream() const {
    StreamHandle stream{};
    check(create_stream_(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    return stream;
  }
  void destroy(StreamHandle stream) const noexcept { destroy_stream_(stream); }
  void synchronize(StreamHandle stream) const { check(synchronize_stream_(stream), "cuStreamSynchronize"); }
  /// Whether the stream's context has met a fault. Such errors stick; refused calls leave no trace here.
  bool failed(StreamHandle stream) const noexcept {
    const auto result = query_stream_(stream);
    return result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY;
  }

  EventHandle create_event() const {
    EventHandle event{};
    check(create_event_(&event, CU_EVENT_DEFAULT), "cuEventCreate");
    return event;
  }
  void destroy(EventHandle event) const noexcept { destroy_event_(event); }
  void record(EventHandle event, StreamHandle stream) const { check(record_(event, stream), "cuEventRecord"); }
  void synchronize(EventHandle event) const { check(synchronize_event_(event), "cuEventSynchronize"); }
  double elapsed_us(EventHandle start, EventHandle end) const {
    float milliseconds{};
    check(elapsed_(&milliseconds, start, end), "cuEventElapsedTime");
    return 1000.0 * static_cast<double>(milliseconds);
  }

  void begin_capture(StreamHandle stream) const {
    check(begin_capture_(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "cuStreamBeginCapture");
  }
  /// Null when the capture has become invalid: something in it cannot be captured.
  GraphHandle end_capture(StreamHandle stream) const noexcept {
    GraphHandle graph{};
    return end_capture_(stream, &graph) == CUDA_SUCCESS ? graph : nullptr;
  }
  GraphExecHandle instantiate(GraphHandle graph) const {
    GraphExecHandle exec{};
    check(instantiate_(&exec, graph, 0), "cuGraphInstantiate");
    return exec;
  }
  void upload(GraphExecHandle graph, StreamHandle stream) const {
    check(upload_graph_(graph, stream), "cuGraphUpload");
  }
  void launch(GraphExecHandle graph, StreamHandle stream) const {
    check(launch_graph_(graph, stream), "cuGraphLaunch");
  }
  void destroy(GraphHandle graph) const noexcept { destroy_graph_(graph); }
  void destroy(GraphExecHandle graph) const noexcept { destroy_graph_exec_(graph); }

  /// From a cubin or PTX in memory.
  ModuleHandle load_module(const std::string& image) const {
    ModuleHandle module{};
    check(load_module_(&module, image.data()), "cuModuleLoadData");
    return module;
  }
  void unload(ModuleHandle module) const noexcept { unload_module_(module); }
  FunctionHandle function(ModuleHandle module, const std::string& name) const {
    FunctionHandle function{};
    check(get_function_(&function, module, name.c_str()), "cuModuleGetFunction " + name);
    return function;
  }
  void allow_shared_bytes(FunctionHandle function, int bytes) const {
    check(set_attribute_(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes), "cuFuncSetAttribute");
  }
  /// Whether kernels may start early on the device that the calling thread has made current.
  bool starts_early() const { return attribute(current_device(), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 9; }
  /// By the address of each argument.
  void launch(FunctionHandle function, const LaunchShape& shape, StreamHandle stream,
              std::span<const std::byte* const> arguments) const {
    std::array<CUlaunchAttribute, 2> attributes{};
    CUlaunchConfig config{};
    config.gridDimX = shape.grid.x;
    config.gridDimY = shape.grid.y;
    config.gridDimZ = shape.grid.z;
    config.blockDimX = shape.block.x;
    config.blockDimY = shape.block.y;
    config.blockDimZ = shape.block.z;
    config.sharedMemBytes = shape.shared_bytes;
    config.hStream = stream;
    config.attrs = attributes.data();
    if (shape.cluster > 1) {
      auto& cluster = attributes[config.numAttrs++];
      cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      cluster.value.clusterDim = {shape.cluster, 1, 1};
    }
    if (shape.start == LaunchStart::early) {
      auto& early = attributes[config.numAttrs++];
      early.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
      early.value.programmaticStreamSerializationAllowed = 1;
    }
    // The driver only reads what it is pointed at; its interface is older than const.
    auto* addresses = reinterpret_cast<void**>(const_cast<std::byte**>(arguments.data()));
    check(launch_(&config, function, addresses, nullptr), "cuLaunchKernelEx");
  }
  TensorMap tensor_map(const std::byte* address, const TensorExtent& extent) const {
    const std::array<cuuint64_t, 3> extents{static_cast<cuuint64_t>(extent.columns),
                                            static_cast<cuuint64_t>(extent.rows),
                                            static_cast<cuuint64_t>(extent.batch)};
    const cuuint64_t row_bytes = extents[0] * extent.element_bytes;
    const std::array<cuuint64_t, 2> strides{row_bytes, row_bytes * extents[1]};
    const std::array<cuuint32_t, 3> box{extent.box_columns, extent.box_rows, 1};
    const std::array<cuuint32_t, 3> steps{1, 1, 1};
    const auto type = extent.element_bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                      : extent.element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                                  : CU_TENSOR_MAP_DATA_TYPE_UINT32;
    CUtensorMap encoded{};
    check(encode_tensor_(&encoded, type, 3, const_cast<std::byte*>(address), extents.data(), strides.data(), box.data(),
                         steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                         CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
          "cuTensorMapEncodeTiled");
    return std::bit_cast<TensorMap>(encoded);
  }

 private:
  static CUdeviceptr pointer(const std::byte* address) { return reinterpret_cast<CUdeviceptr>(address); }

  std::string words(CUresult result) const {
    const char* text{};
    return error_string_(result, &text) == CUDA_SUCCESS ? text : fmt::format("error {}", static_cast<int>(result));
  }
  void check(CUresult result, const std::string& what) const {
    if (result == CUDA_SUCCESS) return;
    fail(result == CUDA_ERROR_OUT_OF_MEMORY ? ErrorCode::io : ErrorCode::unsupported, "{}: {}", what, words(result));
  }
  int attribute(DeviceHandle device, CUdevice_attribute which) const {
    int value{};
    check(attribute_(&value, which, device), "cuDeviceGetAttribute");
    return value;
  }

  SharedLibrary library_;
  GEMMTUNE_DRIVER_FUNCTION(init_, cuInit);
  GEMMTUNE_DRIVER_FUNCTION(error_string_, cuGetErrorString);
  GEMMTUNE_DRIVER_FUNCTION(driver_version_, cuDriverGetVersion);
  GEMMTUNE_DRIVER_FUNCTION(device_count_, cuDeviceGetCount);
  GEMMTUNE_DRIVER_FUNCTION(device_, cuDeviceGet);
  GEMMTUNE_DRIVER_FUNCTION(device_name_, cuDeviceGetName);
  GEMMTUNE_DRIVER_FUNCTION(memory_bytes_, cuDeviceTotalMem);
  GEMMTUNE_DRIVER_FUNCTION(attribute_, cuDeviceGetAttribute);
  GEMMTUNE_DRIVER_FUNCTION(bus_id_, cuDeviceGetPCIBusId);
  GEMMTUNE_DRIVER_FUNCTION(retain_, cuDevicePrimaryCtxRetain);
  GEMMTUNE_DRIVER_FUNCTION(set_current_, cuCtxSetCurrent);
  GEMMTUNE_DRIVER_FUNCTION(get_current_, cuCtxGetCurrent);
  GEMMTUNE_DRIVER_FUNCTION(current_, cuCtxGetDevice);
  GEMMTUNE_DRIVER_FUNCTION(allocate_, cuMemAlloc);
  GEMMTUNE_DRIVER_FUNCTION(release_, cuMemFree);
  GEMMTUNE_DRIVER_FUNCTION(allocate_pinned_, cuMemHostAlloc);
  GEMMTUNE_DRIVER_FUNCTION(release_pinned_, cuMemFreeHost);
  GEMMTUNE_DRIVER_FUNCTION(upload_, cuMemcpyHtoDAsync);
  GEMMTUNE_DRIVER_FUNCTION(download_, cuMemcpyDtoHAsync);
  GEMMTUNE_DRIVER_FUNCTION(copy_, cuMemcpyDtoDAsync);
  GEMMTUNE_DRIVER_FUNCTION(fill16_, cuMemsetD16Async);
  GEMMTUNE_DRIVER_FUNCTION(fill8_, cuMemsetD8Async);
  GEMMTUNE_DRIVER_FUNCTION(create_stream_, cuStreamCreate);
  GEMMTUNE_DRIVER_FUNCTION(destroy_stream_, cuStreamDestroy);
  GEMMTUNE_DRIVER_FUNCTION(synchronize_stream_, cuStreamSynchronize);
  GEMMTUNE_DRIVER_FUNCTION(query_stream_, cuStreamQuery);
  GEMMTUNE_DRIVER_FUNCTION(create_event_, cuEventCreate);
  GEMMTUNE_DRIVER_FUNCTION(destroy_event_, cuEventDestroy);
  GEMMTUNE_DRIVER_FUNCTION(record_, cuEventRecord);
  GEMMTUNE_DRIVER_FUNCTION(synchronize_event_, cuEventSynchronize);
  GEMMTUNE_DRIVER_FUNCTION(elapsed_, cuEventElapsedTime);
  GEMMTUNE_DRIVER_FUNCTION(begin_capture_, cuStreamBeginCapture);
  GEMMTUNE_DRIVER_FUNCTION(end_capture_, cuStreamEndCapture);
  GEMMTUNE_DRIVER_FUNCTION(instantiate_, cuGraphInstantiateWithFlags);
  GEMMTUNE_DRIVER_FUNCTION(upload_graph_, cuGraphUpload);
  GEMMTUNE_DRIVER_FUNCTION(launch_graph_, cuGraphLaunch);
  GEMMTUNE_DRIVER_FUNCTION(destroy_graph_, cuGraphDestroy);
  GEMMTUNE_DRIVER_FUNCTION(destroy_graph_exec_, cuGraphExecDestroy);
  GEMMTUNE_DRIVER_FUNCTION(load_module_, cuModuleLoadData);
  GEMMTUNE_DRIVER_FUNCTION(unload_module_, cuModuleUnload);
  GEMMTUNE_DRIVER_FUNCTION(get_function_, cuModuleGetFunction);
  GEMMTUNE_DRIVER_FUNCTION(set_attribute_, cuFuncSetAttribute);
  GEMMTUNE_DRIVER_FUNCTION(launch_, cuLaunchKernelEx);
  GEMMTUNE_DRIVER_FUNCTION(encode_tensor_, cuTensorMapEncodeTiled);
};

#undef GEMMTUNE_DRIVER_FUNCTION
#undef GEMMTUNE_SYMBOL_TEXT

}  // namespace gemmtune::gpu
