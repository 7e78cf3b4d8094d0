// What this machine's library says of its algorithms. These tests need an NVIDIA GPU and are skipped elsewhere.
#include "gemmtune/families/cublaslt/library.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/device/device.h"
#include "gemmtune/families/cublaslt/enumeration.h"
#include "gemmtune/families/cublaslt/matmul.h"

namespace gemmtune::cublaslt {
namespace {

class CublasltLibrary : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    for (const auto& device : list_devices())
      if (device.kind == DeviceKind::cuda && !device_) device_ = open_device(device_id(device));
    if (!device_) GTEST_SKIP() << "this machine has no NVIDIA GPU";
    session_ = std::make_shared<const Session>(Library::open());
  }

  MatmulSpec spec(const char* size) const {
    return call_of(parse_problem(fmt::format("{}:{}", size, GetParam()))).matmul;
  }

  std::unique_ptr<Device> device_;
  std::shared_ptr<const Session> session_;
};

template <typename Value>
std::size_t distinct(const std::vector<Taken>& all, Value AlgoConfig::*setting) {
  std::set<Value> values;
  for (const auto& taken : all) values.insert(taken.config.*setting);
  return values.size();
}

void print_learnt(const Matmul& matmul, int id, const AlgoConfigs& learnt) {
  const auto capabilities = matmul.capabilities(id);
  if (!capabilities) return fmt::print("  a{}: cannot do this\n", id);
  fmt::print(
      "  a{}: lists {} tiles, {} stages, custom to {}, split {:d}, reductions {}, swizzle {:d}; takes {} ({}{}): "
      "{} tiles, {} stages, {} inner, {} clusters, {} custom\n",
      id, capabilities->tiles.size(), capabilities->stages.size(), capabilities->custom_max, capabilities->splits_k,
      capabilities->reductions, capabilities->swizzles, learnt.taken.size(), learnt.checks,
      learnt.cut ? " checks, cut" : " checks", distinct(learnt.taken, &AlgoConfig::tile),
      distinct(learnt.taken, &AlgoConfig::stages), distinct(learnt.taken, &AlgoConfig::inner),
      distinct(learnt.taken, &AlgoConfig::cluster), distinct(learnt.taken, &AlgoConfig::custom));
}

EnumeratedAlgos learn_in_time(const Matmul& matmul, const std::string& what) {
  const auto start = std::chrono::steady_clock::now();
  auto known = enumerate_algos(matmul);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::int64_t checks = 0;
  for (const auto& [id, learnt] : known) checks += learnt.checks;
  fmt::print("{}: {} algorithms, {} checks in {:.2f} s, {:.2f} us each\n", what, known.size(), checks, took.count(),
             took.count() * 1e6 / static_cast<double>(std::max<std::int64_t>(checks, 1)));
  return known;
}

TEST_P(CublasltLibrary, ShowsWhatItsAlgorithmsTake) {
  const Matmul matmul(session_, spec("16x8192x8192"));
  if (const auto why = matmul.why_not(); !why.empty()) GTEST_SKIP() << why;
  const auto known = learn_in_time(matmul, fmt::format("{} of cuBLASLt {}", GetParam(), session_->library().version()));
  EXPECT_FALSE(known.empty());
  for (const auto& [id, learnt] : known) print_learnt(matmul, id, learnt);
}

/// enumerate_algos() asks the library on all threads. Its answers must be those on the thread that opened the device.
TEST_P(CublasltLibrary, SaysTheSameOnEveryThread) {
  const Matmul matmul(session_, spec("64x7168x2048"));
  if (const auto why = matmul.why_not(); !why.empty()) GTEST_SKIP() << why;
  for (const auto& [id, learnt] : enumerate_algos(matmul))
    for (const auto& [config, accepted] : learnt.taken) {
      const auto here = matmul.check(config);
      ASSERT_TRUE(here) << id;
      EXPECT_EQ(here->workspace_bytes, accepted.workspace_bytes) << id;
      EXPECT_EQ(here->waves, accepted.waves) << id;
    }
}

/// A name describes an algorithm in full only if the algorithm has no settings beyond those that can be read.
TEST_P(CublasltLibrary, RanksAlgorithmsThatTheirSettingsDescribe) {
  std::size_t same = 0;
  std::size_t all = 0;
  for (const char* size : {"4x8192x8192", "16x57344x8192", "64x1536x7168", "4096x7168x2048", "8192x8192x8192"}) {
    const Matmul matmul(session_, spec(size));
    for (const auto& algo : matmul.ranked_algos({.workspace_bytes = default_workspace_bytes, .most = 200})) {
      const auto config = matmul.config_of(algo);
      const auto again = matmul.algo_of(config);
      ASSERT_TRUE(again) << config.id;
      EXPECT_EQ(matmul.config_of(*again), config);
      EXPECT_TRUE(matmul.check(*again)) << config.id;
      ++all;
      if (std::memcmp(&algo, &*again, sizeof algo) == 0) ++same;
    }
  }
  fmt::print("{}: {} of {} ranked algorithms are bit for bit what their settings make\n", GetParam(), same, all);
}

TEST(CublasltLoader, FindsAllFunctions) {
  const auto library = Library::open();
  if (!library) GTEST_SKIP() << Library::why_not();
  EXPECT_GE(library->version(), 120000);
  EXPECT_STREQ(library->status_name(CUBLAS_STATUS_NOT_SUPPORTED), "CUBLAS_STATUS_NOT_SUPPORTED");
}

TEST(CublasltLoader, SaysWhyItDoesNotStartWithoutAGpu) {
  const auto library = Library::open();
  const auto devices = list_devices();
  const bool has_gpu = std::ranges::any_of(devices, [](const auto& device) { return device.kind == DeviceKind::cuda; });
  if (!library || has_gpu) GTEST_SKIP() << "needs the library and no GPU";
  try {
    Session session(library);
    ADD_FAILURE() << "it started";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_TRUE(std::string(error.what()).starts_with("cublasLtCreate: CUBLAS_STATUS_")) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Types, CublasltLibrary,
                         testing::Values("bf16:bf16:bf16", "f32:f32:f32", "int8/row:int8/row:bf16",
                                         "e4m3/tensor:e4m3/tensor:bf16", "e4m3/row:e4m3/row:bf16",
                                         "e4m3/1x128:e4m3/128x128:bf16"));

}  // namespace
}  // namespace gemmtune::cublaslt
