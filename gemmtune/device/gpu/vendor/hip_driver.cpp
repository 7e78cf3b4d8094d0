// AMD's driver and runtime, loaded at run time. The documentation of HIP says what its functions do.
#include <hip/hip_runtime_api.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/vendor/hip.h"

namespace gemmtune::gpu {
namespace {

// The handles of driver.h are HIP's own handles under other names.
hipStream_t native(StreamHandle handle) { return reinterpret_cast<hipStream_t>(handle); }
hipEvent_t native(EventHandle handle) { return reinterpret_cast<hipEvent_t>(handle); }
hipModule_t native(ModuleHandle handle) { return reinterpret_cast<hipModule_t>(handle); }
hipFunction_t native(FunctionHandle handle) { return reinterpret_cast<hipFunction_t>(handle); }
hipGraph_t native(GraphHandle handle) { return reinterpret_cast<hipGraph_t>(handle); }
hipGraphExec_t native(GraphExecHandle handle) { return reinterpret_cast<hipGraphExec_t>(handle); }

// Newer headers rename functions with macros: the symbol is what the macro expands to. C++ overloads hide some types.
#define GEMMTUNE_SYMBOL_TEXT(name) #name
#define GEMMTUNE_DRIVER_FUNCTION(member, name, ...) \
  hipError_t (*member)(__VA_ARGS__) = library_.function<hipError_t(__VA_ARGS__)>(GEMMTUNE_SYMBOL_TEXT(name))

class HipDriver final : public Driver {
 public:
  explicit HipDriver(SharedLibrary library) : library_(std::move(library)) {
    if (const auto result = init_(0); result != hipSuccess)
      fail(ErrorCode::no_device, "{} does not start: {}", library_.name(), words_(result));
  }

  DeviceKind kind() const noexcept override { return DeviceKind::hip; }

  int device_count() const override {
    int count{};
    const auto result = device_count_(&count);
    if (result == hipErrorNoDevice) return 0;
    check(result, "hipGetDeviceCount");
    return count;
  }
  DeviceInfo device_info(int index) const override {
    const auto found = properties(index);
    const std::string arch = found.gcnArchName;
    return {.kind = DeviceKind::hip,
            .index = index,
            .name = found.name,
            .arch = arch.substr(0, arch.find(':')),  // "gfx942", without the features that follow the colon
            .cu_num = found.multiProcessorCount,
            .last_level_cache_bytes = found.l2CacheSize,
            .memory_bytes = static_cast<std::int64_t>(found.totalGlobalMem),
            .driver = version()};
  }
  std::string bus_id(int index) const override {
    hipDevice_t device{};
    check(device_(&device, index), "hipDeviceGet");
    std::array<char, 32> id{};
    check(bus_id_(id.data(), static_cast<int>(id.size()), device), "hipDeviceGetPCIBusId");
    return id.data();
  }

  void make_current(int index) const override { check(set_device_(index), "hipSetDevice"); }
  /// In HIP, a thread has a device instead of a context, and it has the first device until another is set. The first
  /// device therefore counts as no context.
  ContextHandle current_context() const noexcept override {
    int device{};
    return get_device_(&device) == hipSuccess ? static_cast<ContextHandle>(device) : ContextHandle{};
  }
  void make_current(ContextHandle context) const noexcept override {
    static_cast<void>(set_device_(static_cast<int>(context)));
  }
  int current_index() const override {
    int device{};
    check(get_device_(&device), "hipGetDevice");
    return device;
  }
  int compute_units() const override { return properties(current_index()).multiProcessorCount; }
  bool starts_early() const override { return false; }
  std::string delay_code() const override { return ""; }

  std::byte* allocate(std::size_t bytes) const override {
    void* address{};
    check(allocate_(&address, bytes), "hipMalloc");
    return static_cast<std::byte*>(address);
  }
  void release(std::byte* address) const noexcept override { static_cast<void>(release_(address)); }
  std::byte* allocate_pinned(std::size_t bytes) const noexcept override {
    void* memory{};
    return allocate_pinned_(&memory, bytes, 0) == hipSuccess ? static_cast<std::byte*>(memory) : nullptr;
  }
  void release_pinned(std::byte* memory) const noexcept override { static_cast<void>(release_pinned_(memory)); }
  void upload(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const override {
    check(copy_(to, from, bytes, hipMemcpyHostToDevice, native(stream)), "hipMemcpyAsync");
  }
  void download(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const override {
    check(copy_(to, from, bytes, hipMemcpyDeviceToHost, native(stream)), "hipMemcpyAsync");
  }
  void copy(const std::byte* from, std::byte* to, std::size_t bytes, StreamHandle stream) const override {
    check(copy_(to, from, bytes, hipMemcpyDeviceToDevice, native(stream)), "hipMemcpyAsync");
  }
  void fill(std::byte* to, std::size_t bytes, std::uint16_t pattern, StreamHandle stream) const override {
    if (bytes >= 2) check(fill16_(to, pattern, bytes / 2, native(stream)), "hipMemsetD16Async");
    if (bytes % 2 == 0) return;
    check(fill8_(to + bytes - 1, static_cast<unsigned char>(pattern & 0xffU), 1, native(stream)), "hipMemsetD8Async");
  }

  StreamHandle create_stream() const override {
    hipStream_t stream{};
    check(create_stream_(&stream, hipStreamNonBlocking), "hipStreamCreateWithFlags");
    return reinterpret_cast<StreamHandle>(stream);
  }
  void destroy(StreamHandle stream) const noexcept override { static_cast<void>(destroy_stream_(native(stream))); }
  void synchronize(StreamHandle stream) const override {
    check(synchronize_stream_(native(stream)), "hipStreamSynchronize");
  }
  bool failed(StreamHandle stream) const noexcept override {
    const auto result = query_stream_(native(stream));
    return result != hipSuccess && result != hipErrorNotReady;
  }

  EventHandle create_event() const override {
    hipEvent_t event{};
    check(create_event_(&event), "hipEventCreate");
    return reinterpret_cast<EventHandle>(event);
  }
  void destroy(EventHandle event) const noexcept override { static_cast<void>(destroy_event_(native(event))); }
  void record(EventHandle event, StreamHandle stream) const override {
    check(record_(native(event), native(stream)), "hipEventRecord");
  }
  void synchronize(EventHandle event) const override {
    check(synchronize_event_(native(event)), "hipEventSynchronize");
  }
  double elapsed_us(EventHandle start, EventHandle end) const override {
    float milliseconds{};
    check(elapsed_(&milliseconds, native(start), native(end)), "hipEventElapsedTime");
    return 1000.0 * static_cast<double>(milliseconds);
  }

  CaptureMode exchange_capture_mode(CaptureMode mode) const noexcept override {
    auto exchanged = static_cast<hipStreamCaptureMode>(mode);
    return exchange_capture_mode_(&exchanged) == hipSuccess ? static_cast<CaptureMode>(exchanged) : mode;
  }
  void begin_capture(StreamHandle stream) const override {
    check(begin_capture_(native(stream), hipStreamCaptureModeThreadLocal), "hipStreamBeginCapture");
  }
  GraphHandle end_capture(StreamHandle stream) const noexcept override {
    hipGraph_t graph{};
    return end_capture_(native(stream), &graph) == hipSuccess ? reinterpret_cast<GraphHandle>(graph) : nullptr;
  }
  GraphExecHandle instantiate(GraphHandle graph) const override {
    hipGraphExec_t exec{};
    check(instantiate_(&exec, native(graph), nullptr, nullptr, 0), "hipGraphInstantiate");
    return reinterpret_cast<GraphExecHandle>(exec);
  }
  /// HIP cannot prepare a graph ahead of time, so the graph is launched once more.
  void upload(GraphExecHandle graph, StreamHandle stream) const override { launch(graph, stream); }
  void launch(GraphExecHandle graph, StreamHandle stream) const override {
    check(launch_graph_(native(graph), native(stream)), "hipGraphLaunch");
  }
  void destroy(GraphHandle graph) const noexcept override { static_cast<void>(destroy_graph_(native(graph))); }
  void destroy(GraphExecHandle graph) const noexcept override { static_cast<void>(destroy_graph_exec_(native(graph))); }

  ModuleHandle load_module(const std::string& image) const override {
    hipModule_t module{};
    check(load_module_(&module, image.data()), "hipModuleLoadData");
    return reinterpret_cast<ModuleHandle>(module);
  }
  void unload(ModuleHandle module) const noexcept override { static_cast<void>(unload_module_(native(module))); }
  FunctionHandle function(ModuleHandle module, const std::string& name) const override {
    hipFunction_t function{};
    check(get_function_(&function, native(module), name.c_str()), "hipModuleGetFunction " + name);
    return reinterpret_cast<FunctionHandle>(function);
  }
  /// In HIP, a block may use all of its shared memory dynamically without asking.
  void allow_shared_bytes(FunctionHandle /*function*/, int /*bytes*/) const override {}
  void launch(FunctionHandle function, const LaunchShape& shape, StreamHandle stream,
              std::span<const std::byte* const> arguments) const override {
    if (shape.cluster > 1) fail(ErrorCode::unsupported, "these GPUs have no clusters of blocks");
    auto* addresses = reinterpret_cast<void**>(const_cast<std::byte**>(arguments.data()));
    check(launch_(native(function), shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y,
                  shape.block.z, shape.shared_bytes, native(stream), addresses, nullptr),
          "hipModuleLaunchKernel");
  }
  TensorMap tensor_map(const std::byte* /*address*/, const TensorExtent& /*extent*/) const override {
    fail(ErrorCode::unsupported, "these GPUs have no bulk copies of tensors");
  }

 private:
  std::string version() const {
    int version{};
    check(driver_version_(&version), "hipDriverGetVersion");
    return fmt::format("HIP {}.{}", version / 10'000'000, version % 10'000'000 / 100'000);
  }
  hipDeviceProp_t properties(int device) const {
    hipDeviceProp_t properties{};
    check(properties_(&properties, device), "hipGetDeviceProperties");
    return properties;
  }
  void check(hipError_t result, std::string_view what) const {
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
  GEMMTUNE_DRIVER_FUNCTION(exchange_capture_mode_, hipThreadExchangeStreamCaptureMode, hipStreamCaptureMode*);
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

}  // namespace

std::shared_ptr<const Driver> make_hip_driver(SharedLibrary library) {
  // hipInit leaks memory if there is no AMD GPU. The device nodes are those of Linux and of WSL.
  if (!std::filesystem::exists("/dev/kfd") && !std::filesystem::exists("/dev/dxg"))
    fail(ErrorCode::no_device, "{} finds no GPU: there is neither /dev/kfd nor /dev/dxg", library.name());
  return std::make_shared<const HipDriver>(std::move(library));
}

}  // namespace gemmtune::gpu
