// NVIDIA's driver, loaded at run time. The documentation of the driver API says what its functions do.
#include <cuda.h>

#include <array>
#include <bit>
#include <string_view>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/vendor/cuda.h"

namespace gemmtune::gpu {
namespace {

/// Works on any device, because the driver compiles it.
constexpr const char* delay_text = R"(.version 6.0
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

// The handles of driver.h are the driver's own handles under other names.
CUstream native(StreamHandle handle) { return reinterpret_cast<CUstream>(handle); }
CUevent native(EventHandle handle) { return reinterpret_cast<CUevent>(handle); }
CUmodule native(ModuleHandle handle) { return reinterpret_cast<CUmodule>(handle); }
CUfunction native(FunctionHandle handle) { return reinterpret_cast<CUfunction>(handle); }
CUgraph native(GraphHandle handle) { return reinterpret_cast<CUgraph>(handle); }
CUgraphExec native(GraphExecHandle handle) { return reinterpret_cast<CUgraphExec>(handle); }

// The driver's headers rename functions with macros (cuMemAlloc is cuMemAlloc_v2): the symbol is what the macro expands
// to.
#define GEMMTUNE_SYMBOL_TEXT(name) #name
// NOLINTBEGIN(bugprone-macro-parentheses): a declared name takes no parentheses
#define GEMMTUNE_DRIVER_FUNCTION(member, name) \
  decltype(&::name) member = library_.function<std::remove_pointer_t<decltype(&::name)>>(GEMMTUNE_SYMBOL_TEXT(name))
// NOLINTEND(bugprone-macro-parentheses)

class CudaDriver final : public Driver {
 public:
  explicit CudaDriver(SharedLibrary library) : library_(std::move(library)) {
    if (const auto result = init_(0); result != CUDA_SUCCESS)
      fail(ErrorCode::no_device, "{} does not start: {}", library_.name(), words(result));
  }

  DeviceKind kind() const noexcept override { return DeviceKind::cuda; }

  int device_count() const override {
    int count{};
    check(device_count_(&count), "cuDeviceGetCount");
    return count;
  }
  DeviceInfo device_info(int index) const override {
    const auto which = device(index);
    return {.kind = DeviceKind::cuda,
            .index = index,
            .name = device_name(which),
            .arch = fmt::format("sm{}{}", attribute(which, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                                attribute(which, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)),
            .cu_num = attribute(which, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
            .last_level_cache_bytes = attribute(which, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
            .memory_bytes = static_cast<std::int64_t>(memory_bytes(which)),
            .driver = version()};
  }
  std::string bus_id(int index) const override {
    std::array<char, 32> id{};
    check(bus_id_(id.data(), static_cast<int>(id.size()), device(index)), "cuDeviceGetPCIBusId");
    return id.data();
  }

  /// Uses the device's primary context, which the CUDA runtime and its libraries use as well.
  void make_current(int index) const override {
    CUcontext context{};
    check(retain_(&context, device(index)), "cuDevicePrimaryCtxRetain");
    check(set_current_(context), "cuCtxSetCurrent");
  }
  ContextHandle current_context() const noexcept override {
    CUcontext context{};
    if (get_current_(&context) != CUDA_SUCCESS) return {};
    return static_cast<ContextHandle>(reinterpret_cast<std::uintptr_t>(context));
  }
  void make_current(ContextHandle context) const noexcept override {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the neutral handle is a number, because vendors differ here
    set_current_(reinterpret_cast<CUcontext>(static_cast<std::uintptr_t>(context)));
  }
  int current_index() const override {
    const auto current = current_device();
    int index = 0;
    while (device(index) != current) ++index;
    return index;
  }
  int compute_units() const override { return attribute(current_device(), CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT); }
  bool starts_early() const override {
    return attribute(current_device(), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 9;
  }
  std::string delay_code() const override { return delay_text; }

  std::byte* allocate(std::size_t bytes) const override {
    CUdeviceptr address{};
    check(allocate_(&address, bytes), "cuMemAlloc");
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's addresses are numbers
    return reinterpret_cast<std::byte*>(address);
  }
  void release(std::byte* address) const noexcept override { release_(pointer(address)); }
  std::byte* allocate_pinned(std::size_t bytes) const noexcept override {
    void* memory{};
    return allocate_pinned_(&memory, bytes, 0) == CUDA_SUCCESS ? static_cast<std::byte*>(memory) : nullptr;
  }
  void release_pinned(std::byte* memory) const noexcept override { release_pinned_(memory); }
  void upload(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const override {
    check(upload_(pointer(to), from, bytes, native(stream)), "cuMemcpyHtoDAsync");
  }
  void download(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const override {
    check(download_(to, pointer(from), bytes, native(stream)), "cuMemcpyDtoHAsync");
  }
  void copy(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const override {
    check(copy_(pointer(to), pointer(from), bytes, native(stream)), "cuMemcpyDtoDAsync");
  }
  void fill(std::byte* to, std::size_t bytes, std::uint16_t pattern, StreamHandle stream) const override {
    if (bytes >= 2) check(fill16_(pointer(to), pattern, bytes / 2, native(stream)), "cuMemsetD16Async");
    if (bytes % 2 == 0) return;
    check(fill8_(pointer(to + bytes - 1), static_cast<unsigned char>(pattern & 0xffU), 1, native(stream)),
          "cuMemsetD8Async");
  }

  StreamHandle create_stream() const override {
    CUstream stream{};
    check(create_stream_(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    return reinterpret_cast<StreamHandle>(stream);
  }
  void destroy(StreamHandle stream) const noexcept override { destroy_stream_(native(stream)); }
  void synchronize(StreamHandle stream) const override {
    check(synchronize_stream_(native(stream)), "cuStreamSynchronize");
  }
  bool failed(StreamHandle stream) const noexcept override {
    const auto result = query_stream_(native(stream));
    return result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY;
  }

  EventHandle create_event() const override {
    CUevent event{};
    check(create_event_(&event, CU_EVENT_DEFAULT), "cuEventCreate");
    return reinterpret_cast<EventHandle>(event);
  }
  void destroy(EventHandle event) const noexcept override { destroy_event_(native(event)); }
  void record(EventHandle event, StreamHandle stream) const override {
    check(record_(native(event), native(stream)), "cuEventRecord");
  }
  void synchronize(EventHandle event) const override { check(synchronize_event_(native(event)), "cuEventSynchronize"); }
  double elapsed_us(EventHandle start, EventHandle end) const override {
    float milliseconds{};
    check(elapsed_(&milliseconds, native(start), native(end)), "cuEventElapsedTime");
    return 1000.0 * static_cast<double>(milliseconds);
  }

  CaptureMode exchange_capture_mode(CaptureMode mode) const noexcept override {
    auto exchanged = static_cast<CUstreamCaptureMode>(mode);
    return exchange_capture_mode_(&exchanged) == CUDA_SUCCESS ? static_cast<CaptureMode>(exchanged) : mode;
  }
  void begin_capture(StreamHandle stream) const override {
    check(begin_capture_(native(stream), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "cuStreamBeginCapture");
  }
  GraphHandle end_capture(StreamHandle stream) const noexcept override {
    CUgraph graph{};
    return end_capture_(native(stream), &graph) == CUDA_SUCCESS ? reinterpret_cast<GraphHandle>(graph) : nullptr;
  }
  GraphExecHandle instantiate(GraphHandle graph) const override {
    CUgraphExec exec{};
    check(instantiate_(&exec, native(graph), 0), "cuGraphInstantiate");
    return reinterpret_cast<GraphExecHandle>(exec);
  }
  void upload(GraphExecHandle graph, StreamHandle stream) const override {
    check(upload_graph_(native(graph), native(stream)), "cuGraphUpload");
  }
  void launch(GraphExecHandle graph, StreamHandle stream) const override {
    check(launch_graph_(native(graph), native(stream)), "cuGraphLaunch");
  }
  void destroy(GraphHandle graph) const noexcept override { destroy_graph_(native(graph)); }
  void destroy(GraphExecHandle graph) const noexcept override { destroy_graph_exec_(native(graph)); }

  ModuleHandle load_module(const std::string& image) const override {
    CUmodule module{};
    check(load_module_(&module, image.data()), "cuModuleLoadData");
    return reinterpret_cast<ModuleHandle>(module);
  }
  void unload(ModuleHandle module) const noexcept override { unload_module_(native(module)); }
  FunctionHandle function(ModuleHandle module, const std::string& name) const override {
    CUfunction function{};
    check(get_function_(&function, native(module), name.c_str()), "cuModuleGetFunction " + name);
    return reinterpret_cast<FunctionHandle>(function);
  }
  void allow_shared_bytes(FunctionHandle function, int bytes) const override {
    check(set_attribute_(native(function), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes),
          "cuFuncSetAttribute");
  }
  void launch(FunctionHandle function, const LaunchShape& shape, StreamHandle stream,
              std::span<const std::byte* const> arguments) const override {
    std::array<CUlaunchAttribute, 2> attributes{};
    CUlaunchConfig config{};
    config.gridDimX = shape.grid.x;
    config.gridDimY = shape.grid.y;
    config.gridDimZ = shape.grid.z;
    config.blockDimX = shape.block.x;
    config.blockDimY = shape.block.y;
    config.blockDimZ = shape.block.z;
    config.sharedMemBytes = shape.shared_bytes;
    config.hStream = native(stream);
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
    // The driver only reads the arguments; its interface is older than const.
    auto* addresses = reinterpret_cast<void**>(const_cast<std::byte**>(arguments.data()));
    check(launch_(&config, native(function), addresses, nullptr), "cuLaunchKernelEx");
  }
  TensorMap tensor_map(const std::byte* address, const TensorExtent& extent) const override {
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
  CUdevice device(int index) const {
    CUdevice device{};
    check(device_(&device, index), "cuDeviceGet");
    return device;
  }
  CUdevice current_device() const {
    CUdevice device{};
    check(current_(&device), "cuCtxGetDevice");
    return device;
  }
  std::string version() const {
    int version{};
    check(driver_version_(&version), "cuDriverGetVersion");
    return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  }
  std::string device_name(CUdevice device) const {
    std::array<char, 256> name{};
    check(device_name_(name.data(), static_cast<int>(name.size()), device), "cuDeviceGetName");
    return name.data();
  }
  std::size_t memory_bytes(CUdevice device) const {
    std::size_t bytes{};
    check(memory_bytes_(&bytes, device), "cuDeviceTotalMem");
    return bytes;
  }
  static CUdeviceptr pointer(const std::byte* address) { return reinterpret_cast<CUdeviceptr>(address); }

  std::string words(CUresult result) const {
    const char* text{};
    return error_string_(result, &text) == CUDA_SUCCESS ? text : fmt::format("error {}", static_cast<int>(result));
  }
  void check(CUresult result, std::string_view what) const {
    if (result == CUDA_SUCCESS) return;
    fail(result == CUDA_ERROR_OUT_OF_MEMORY ? ErrorCode::io : ErrorCode::unsupported, "{}: {}", what, words(result));
  }
  int attribute(CUdevice device, CUdevice_attribute which) const {
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
  GEMMTUNE_DRIVER_FUNCTION(exchange_capture_mode_, cuThreadExchangeStreamCaptureMode);
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

}  // namespace

std::shared_ptr<const Driver> make_cuda_driver(SharedLibrary library) {
  return std::make_shared<const CudaDriver>(std::move(library));
}

}  // namespace gemmtune::gpu
