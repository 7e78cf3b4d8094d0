#include "gemmtune/worker/greeting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/worker/messages.h"

namespace gemmtune {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const DeviceInfo some_device{.kind = DeviceKind::cuda,
                             .index = 1,
                             .name = "a card",
                             .arch = "sm90",
                             .cu_num = 132,
                             .last_level_cache_bytes = 1 << 20,
                             .memory_bytes = 1 << 30,
                             .features = {"tma"},
                             .driver = "550",
                             .libraries = {{"cublaslt", "12.8"}}};

json hello_of(const DeviceInfo& device) {
  return {{"type", "hello"}, {"protocol", 1}, {"name", "w"}, {"version", "1"}, {"device", to_json_value(device)}};
}

std::string refusal(const json& hello) {
  try {
    greeting_from_json(hello);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::protocol);
    return error.what();
  }
  return "accepted";
}

TEST(Greeting, NamesTheDevice) {
  EXPECT_EQ(greeting_from_json(hello_of(some_device)), (Greeting{.device = some_device, .protocol = 1}));
  json newer = hello_of(some_device);
  newer["protocol"] = 2;
  EXPECT_EQ(greeting_from_json(newer).protocol, 2);
  newer["protocol"] = 3;
  EXPECT_THAT(refusal(newer), HasSubstr("hello.protocol: expected 1 or 2, found 3"));
}

TEST(Greeting, MaySayThatItCompilesAhead) {
  json hello = hello_of(some_device);
  EXPECT_FALSE(greeting_from_json(hello).compiles_ahead);
  hello["compiles_ahead"] = true;
  EXPECT_TRUE(greeting_from_json(hello).compiles_ahead);
  hello["compiles_ahead"] = "yes";
  EXPECT_THAT(refusal(hello), HasSubstr("hello.compiles_ahead: expected"));
}

TEST(Greeting, RefusesDevicesThatCannotBe) {
  const auto spoilt = [](const char* field, const json& value) {
    json hello = hello_of(some_device);
    hello["device"][field] = value;
    return refusal(hello);
  };
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(refusal(hello_of(some_device)), "accepted");
  EXPECT_THAT(spoilt("cu_num", 0), HasSubstr("hello.device.cu_num: expected 1 to"));
  EXPECT_THAT(spoilt("cu_num", largest), HasSubstr("hello.device.cu_num: expected 1 to"));
  EXPECT_THAT(spoilt("memory_bytes", largest), HasSubstr("hello.device.memory_bytes: expected 0 to"));
  EXPECT_THAT(spoilt("last_level_cache_bytes", largest), HasSubstr("last_level_cache_bytes: expected 0 to"));
}

TEST(Greeting, WhatItNamesCanBePrinted) {
  const std::string evil = "H\n100\x1b[31m";
  const DeviceInfo device = greeting_from_json(hello_of({.name = evil,
                                                         .arch = evil,
                                                         .cu_num = 1,
                                                         .features = {evil},
                                                         .driver = evil,
                                                         .libraries = {{evil, evil}}}))
                                .device;
  EXPECT_EQ(device.name, "H | 100\\x1b[31m");
  for (const std::string& text : {device.name, device.arch, device.driver, device.features.at(0),
                                  device.libraries.begin()->first, device.libraries.begin()->second})
    EXPECT_TRUE(is_visible(text)) << text;
}

TEST(Greeting, TellsDevicesApart) {
  EXPECT_EQ(why_other_device(some_device, some_device), "");
  const auto other = [](auto change) {
    DeviceInfo device = some_device;
    change(device);
    return why_other_device(some_device, device);
  };
  EXPECT_EQ(other([](DeviceInfo& d) { d.name = "another card"; }),
            "hello.device.name: found '\"another card\"', the first worker named '\"a card\"'");
  EXPECT_THAT(other([](DeviceInfo& d) { d.kind = DeviceKind::hip; }), HasSubstr("device.kind"));
  EXPECT_THAT(other([](DeviceInfo& d) { d.index = 0; }), HasSubstr("device.index"));
  EXPECT_THAT(other([](DeviceInfo& d) { d.arch = "sm100"; }), HasSubstr("device.arch"));
  EXPECT_THAT(other([](DeviceInfo& d) { d.cu_num = 114; }), HasSubstr("device.cu_num"));
  EXPECT_EQ(other([](DeviceInfo& d) { d.memory_bytes = 1; }), "") << "a virtual machine's memory may change";
  EXPECT_THAT(other([](DeviceInfo& d) { d.last_level_cache_bytes = 1; }), HasSubstr("device.last_level_cache_bytes"));
  EXPECT_THAT(other([](DeviceInfo& d) { d.features.clear(); }), HasSubstr("device.features"));
  EXPECT_THAT(other([](DeviceInfo& d) { d.driver = "560"; }), HasSubstr("device.driver"));
  EXPECT_THAT(other([](DeviceInfo& d) { d.libraries["cublaslt"] = "13"; }), HasSubstr("device.libraries"));
}

TEST(Greeting, WorkersOfDifferentProgramsAgreeInPlaceAndSize) {
  const auto beside = [](auto change) {
    DeviceInfo device = some_device;
    change(device);
    return why_not_beside(some_device, device);
  };
  EXPECT_EQ(beside([](DeviceInfo& d) { d = {.kind = d.kind, .index = d.index, .arch = d.arch, .cu_num = d.cu_num}; }),
            "");
  EXPECT_THAT(beside([](DeviceInfo& d) { d.kind = DeviceKind::hip; }), HasSubstr("device.kind"));
  EXPECT_THAT(beside([](DeviceInfo& d) { d.index += 1; }), HasSubstr("device.index"));
  EXPECT_THAT(beside([](DeviceInfo& d) { d.cu_num += 1; }), HasSubstr("device.cu_num"));
  EXPECT_THAT(beside([](DeviceInfo& d) { d.arch = "sm10"; }), HasSubstr("device.arch"));
  EXPECT_EQ(beside([](DeviceInfo& d) { d.arch += ":sramecc+"; }), "");
}

}  // namespace
}  // namespace gemmtune
