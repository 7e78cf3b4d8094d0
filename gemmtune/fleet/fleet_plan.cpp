#include "gemmtune/fleet/fleet_plan.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/json.h"

namespace gemmtune {
namespace {

using nlohmann::json;

json host_json(const Host& host) {
  return {{"name", host.name},
          {"address", host.address},
          {"devices", host.devices},
          {"arch", host.arch},
          {"folder", host.folder},
          {"program", host.program},
          {"container", host.container},
          {"container_engine", host.container_engine},
          {"container_shm", host.container_shm},
          {"ssh", host.ssh},
          {"environment", host.environment}};
}

Host host_of(const json& value) {
  return {.name = value.at("name"),
          .address = value.at("address"),
          .devices = value.at("devices"),
          .arch = value.at("arch"),
          .folder = value.at("folder"),
          .program = value.at("program"),
          .container = value.at("container"),
          .container_engine = value.at("container_engine"),
          .container_shm = value.at("container_shm"),
          .ssh = value.at("ssh"),
          .environment = value.at("environment")};
}

json slot_json(const Slot& slot) {
  return {{"host", slot.host}, {"device", slot.device}, {"arch", slot.arch}, {"cu_num", slot.cu_num}};
}

Slot slot_of(const json& value) {
  return {
      .host = value.at("host"), .device = value.at("device"), .arch = value.at("arch"), .cu_num = value.at("cu_num")};
}

FleetPlan plan_of(const json& value) {
  FleetPlan plan{.run = value.at("run"),
                 .identity = value.at("identity"),
                 .bundle = value.at("bundle"),
                 .files = value.at("files"),
                 .container_template = value.at("container_template"),
                 .arguments = value.at("arguments"),
                 .calibration_arguments = value.at("calibration_arguments"),
                 .store = value.at("store"),
                 .shards = value.at("shards"),
                 .shapes = value.at("shapes"),
                 .tries = value.at("tries"),
                 .limit_s = value.at("limit_s"),
                 .lost_s = value.at("lost_s"),
                 .deadline_s = value.at("deadline_s"),
                 .calibration = CalibrationRule{.far_share = value.at("far_share"),
                                                .interval_s = value.at("interval_s"),
                                                .least_devices = value.at("least_devices")}};
  for (const auto& host : value.at("hosts")) plan.hosts.push_back(host_of(host));
  for (const auto& slot : value.at("slots")) plan.slots.push_back(slot_of(slot));
  return plan;
}

}  // namespace

bool FleetPlan::is_out_of_time() const { return deadline_s > 0 && seconds_now() > deadline_s; }

AgentSettings FleetPlan::agent_settings() const {
  return {.run = run, .bundle = bundle, .files = files, .limit_s = limit_s, .container_template = container_template};
}

FleetPlan read_plan(const std::filesystem::path& path) {
  try {
    auto plan = plan_of(parse_json(read_file(path), path.string()));
    const auto has_a_host = [&](const auto& slot) { return slot.host < plan.hosts.size(); };
    if (std::ranges::all_of(plan.slots, has_a_host)) return plan;
  } catch (const json::exception&) {
  } catch (const std::out_of_range&) {
  }
  fail(ErrorCode::input, "{} holds no plan of this gemmtune", path.string());
}

void write_plan(const std::filesystem::path& path, const FleetPlan& plan) {
  json value{{"run", plan.run},
             {"identity", plan.identity},
             {"bundle", plan.bundle},
             {"files", plan.files},
             {"container_template", plan.container_template},
             {"arguments", plan.arguments},
             {"calibration_arguments", plan.calibration_arguments},
             {"store", plan.store},
             {"shards", plan.shards},
             {"shapes", plan.shapes},
             {"tries", plan.tries},
             {"limit_s", plan.limit_s},
             {"lost_s", plan.lost_s},
             {"deadline_s", plan.deadline_s},
             {"far_share", plan.calibration.far_share},
             {"interval_s", plan.calibration.interval_s},
             {"least_devices", plan.calibration.least_devices},
             {"hosts", json::array()},
             {"slots", json::array()}};
  for (const auto& host : plan.hosts) value["hosts"].push_back(host_json(host));
  for (const auto& slot : plan.slots) value["slots"].push_back(slot_json(slot));
  write_file_atomically(path, json_text(value) + '\n');
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace gemmtune
