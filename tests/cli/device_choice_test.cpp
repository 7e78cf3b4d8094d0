#include "gemmtune/cli/device_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

DeviceInfo gpu(int index, std::int64_t cu_num = 132) {
  return {.kind = DeviceKind::cuda, .index = index, .arch = "sm90", .cu_num = cu_num};
}

const std::vector<DeviceInfo> cpu_only{{.arch = "x86-64-v3", .cu_num = 2}};
const std::vector<DeviceInfo> with_gpus{cpu_only[0], gpu(0), gpu(1), gpu(2, 114)};
const std::vector<DeviceInfo> two_gpus{cpu_only[0], gpu(0), gpu(1)};

std::vector<std::string> chosen(std::string_view list, const std::vector<DeviceInfo>& known,
                                std::optional<std::int64_t> at_most = {}) {
  std::vector<std::string> ids;
  for (const auto& device : choose_devices(list, at_most, known)) ids.push_back(device_id(device));
  return ids;
}

Error refusal(std::string_view list, const std::vector<DeviceInfo>& known) {
  try {
    chosen(list, known);
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::internal, "not refused"};
}

TEST(ChooseDevices, TakesAllGpusWhereThereAreSomeAndElseTheCpu) {
  EXPECT_THAT(chosen("", cpu_only), ElementsAre("cpu:0"));
  EXPECT_THAT(chosen("", two_gpus), ElementsAre("cuda:0", "cuda:1"));
  EXPECT_THAT(chosen("gpu", two_gpus), ElementsAre("cuda:0", "cuda:1"));
  EXPECT_THAT(chosen("cpu", two_gpus), ElementsAre("cpu:0"));
}

TEST(ChooseDevices, TakesNumbersAndNames) {
  EXPECT_THAT(chosen("1, 0", two_gpus), ElementsAre("cuda:1", "cuda:0"));
  EXPECT_THAT(chosen("cuda:1,cuda", two_gpus), ElementsAre("cuda:1", "cuda:0"));
}

TEST(ChooseDevices, TakesNoMoreThanWanted) {
  EXPECT_THAT(chosen("", with_gpus, 2), ElementsAre("cuda:0", "cuda:1")) << "the third one is of another kind";
  EXPECT_THAT(chosen("1,0", two_gpus, 1), ElementsAre("cuda:1"));
  EXPECT_THAT(chosen("1,0", two_gpus, 8), ElementsAre("cuda:1", "cuda:0"));
  EXPECT_THAT(chosen("1", two_gpus, 0), ElementsAre("cuda:1"));
}

TEST(ChooseDevices, RefusesWhatIsNotThere) {
  for (const char* list : {"gpu", "0", "cuda:0", "tpu"})
    EXPECT_EQ(refusal(list, cpu_only).code(), ErrorCode::no_device) << list;
  EXPECT_THAT(refusal("7", two_gpus).what(), HasSubstr("of 2 GPUs"));
}

TEST(ChooseDevices, RefusesWhatMakesNoSense) {
  EXPECT_THAT(refusal("0,cuda:0", two_gpus).what(), HasSubstr("cuda:0 is named twice"));
  EXPECT_THAT(refusal(" , ", two_gpus).what(), HasSubstr("expected a device"));
  EXPECT_THAT(refusal("", with_gpus).what(), HasSubstr("need different rows"));
  EXPECT_THAT(refusal("cpu,0", two_gpus).what(),
              HasSubstr("cpu:0 (x86-64-v3, cu_num 2) and cuda:0 (sm90, cu_num 132)"));
}

}  // namespace
}  // namespace gemmtune
