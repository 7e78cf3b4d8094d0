// These tests need a GPU and are skipped elsewhere.
#include "gemmtune/device/gpu/gpu_module.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/gpu_device.h"
#include "gemmtune/device/gpu/kernel_compiler.h"

namespace gemmtune {
namespace {

constexpr const char* kernels = R"(
struct alignas(64) Block { unsigned char bytes[128]; };

extern "C" __global__ void mix(double* out, const int* in, char small, short middle, int whole, unsigned long long wide,
                               float single, double twice, const __grid_constant__ Block block) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + small + 10.0 * middle + 100.0 * whole + (double)wide + single + twice + block.bytes[i % 128];
}

// Turns the array around by way of shared memory, of which it needs more than is there without asking.
extern "C" __global__ void turn(int* values, int count) {
  extern __shared__ int kept[];
  for (int i = threadIdx.x; i < count; i += blockDim.x) kept[i] = values[i];
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) values[i] = kept[count - 1 - i];
}

extern "C" __global__ void cluster_size(unsigned* size) {
  unsigned blocks;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(blocks));
  if (blockIdx.x == 0 && threadIdx.x == 0) *size = blocks;
}

// Lets the next kernel start, and takes its time before it counts on.
extern "C" __global__ void count_late(const int* from, int* to) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;\ngriddepcontrol.wait;" ::: "memory");
#endif
  const long long start = clock64();
  while (clock64() - start < 20000) {
  }
  *to = *from + 1;
}
)";

struct alignas(64) Block {
  std::array<unsigned char, 128> bytes{};
};

class GpuModuleTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto gpus = list_gpus();
    if (gpus.empty()) GTEST_SKIP() << "this machine has no GPU";
    device_ = make_gpu_device(gpus.front());
    module_.emplace(compile_kernel({.name = "kernels.cu", .text = kernels, .arch = device_->info().arch}));
  }

  template <typename T>
  Buffer put(const std::vector<T>& values) {
    auto buffer = device_->allocate(values.size() * sizeof(T));
    device_->upload(std::as_bytes(std::span(values)), buffer.data());
    return buffer;
  }
  template <typename T>
  std::vector<T> get(const Buffer& buffer) {
    std::vector<T> values(buffer.size() / sizeof(T));
    device_->download(buffer.data(), std::as_writable_bytes(std::span(values)));
    return values;
  }

  std::unique_ptr<Device> device_;
  std::optional<GpuModule> module_;
};

TEST_F(GpuModuleTest, ArgumentsOfManyTypesArrive) {
  std::vector<int> in(1024);
  std::iota(in.begin(), in.end(), 0);
  Block block;
  for (int i = 0; i < 128; ++i) block.bytes[i] = static_cast<unsigned char>(3 * i);
  const auto from = put(in);
  const auto to = device_->allocate(in.size() * sizeof(double));
  module_->launch(device_->stream(), module_->function("mix"), {.grid = {4}, .block = {256}}, to.data(), from.data(),
                  static_cast<char>(7), static_cast<short>(-300), 12345, 1ULL << 40, 0.5F, 0.25, block);
  device_->stream().synchronize();
  const auto out = get<double>(to);
  for (int i = 0; i < 1024; ++i) ASSERT_EQ(out[i], i + 7 - 3000 + 1234500 + 0x1p40 + 0.75 + block.bytes[i % 128]) << i;
}

TEST_F(GpuModuleTest, MuchSharedMemoryIsHadForTheAsking) {
  std::vector<int> values(24 * 1024);
  std::iota(values.begin(), values.end(), 0);
  const auto buffer = put(values);
  const unsigned bytes = 96 * 1024;
  const auto turn = module_->function("turn", bytes);
  module_->launch(device_->stream(), turn, {.block = {256}, .shared_bytes = bytes}, buffer.data(), 24 * 1024);
  device_->stream().synchronize();
  const auto turned = get<int>(buffer);
  for (int i = 0; i < 24 * 1024; ++i) ASSERT_EQ(turned[i], 24 * 1024 - 1 - i);
}

TEST_F(GpuModuleTest, BlocksMakeClusters) {
  const auto& arch = device_->info().arch;
  if (arch.starts_with("sm") && std::stoi(arch.substr(2)) < 90) GTEST_SKIP() << arch << " knows no clusters";
  const auto size = put(std::vector<unsigned>{0});
  const auto function = module_->function("cluster_size");
  module_->launch(device_->stream(), function, {.grid = {8}, .block = {32}, .cluster = 4}, size.data());
  device_->stream().synchronize();
  EXPECT_EQ(get<unsigned>(size)[0], 4U);
}

TEST_F(GpuModuleTest, KernelsThatStartEarlySeeWhatThoseBeforeThemWrote) {
  constexpr int launches = 50;
  const auto numbers = put(std::vector<int>(launches + 1));
  const auto count = module_->function("count_late");
  auto* const first = reinterpret_cast<int*>(numbers.data());
  for (int i = 0; i < launches; ++i)
    module_->launch(device_->stream(), count, {.start = LaunchStart::early}, static_cast<const int*>(first + i),
                    first + i + 1);
  device_->stream().synchronize();
  EXPECT_EQ(get<int>(numbers).back(), launches);
}

TEST_F(GpuModuleTest, ARefusedLaunchIsThrownByTheNextWait) {
  const auto buffer = put(std::vector<int>(4));
  module_->launch(device_->stream(), module_->function("turn"), {.block = {4096}}, buffer.data(), 4);
  EXPECT_THROW(device_->stream().synchronize(), Error);
  EXPECT_NO_THROW(device_->stream().synchronize());
  EXPECT_FALSE(device_->lost());
}

TEST_F(GpuModuleTest, UnknownKernelsAndForeignCodeAreRefused) {
  EXPECT_THROW(module_->function("no_such_kernel"), Error);
  EXPECT_THROW(GpuModule({.kind = device_->info().kind, .bytes = "this is no machine code"}), Error);
}

TEST(CompileKernel, AnErrorCarriesTheLog) {
  if (!KernelCompiler::open(KernelCache(default_kernel_cache()), DeviceKind::cuda))
    GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  try {
    static_cast<void>(
        compile_kernel({.name = "bad.cu", .text = "__global__ void f() { undeclared(); }", .arch = "sm90"}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("bad.cu(1)"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("undeclared"), std::string::npos) << error.what();
  }
}

/// The kernels of the tests above compile for a chip that this machine need not have.
TEST(CompileKernel, TheKernelsOfThisTestCompile) {
  if (!KernelCompiler::open(KernelCache(default_kernel_cache()), DeviceKind::cuda))
    GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  EXPECT_FALSE(compile_kernel({.name = "kernels.cu", .text = kernels, .arch = "sm90a"}).bytes.empty());
}

}  // namespace
}  // namespace gemmtune
