#include "gemmtune/fleet/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

constexpr std::size_t at_a_time = 64;
constexpr std::int64_t least_disk_mb = 64;  // for a store and its logs
constexpr auto short_wait = std::chrono::seconds(45);
constexpr auto long_wait = std::chrono::minutes(10);  // a bundle over a slow line; a container that is pulled

Deadline in(std::chrono::steady_clock::duration time) { return std::chrono::steady_clock::now() + time; }

/// Memory that a driver or a desktop takes without work.
constexpr double idle_mib = 1024;

std::string trouble_of(const HostReply& reply, std::string_view doing) {
  if (reply.exit_code == 255 && !reply.timed_out) return fmt::format("not reachable: {}", reply.why);
  return fmt::format("{}: {}", doing, reply.why.empty() ? fmt::format("exit code {}", reply.exit_code) : reply.why);
}

/// Each step leaves why_not empty, or ends the probe with a reason.
class Prober {
 public:
  Prober(const HostLink& link, const ProbePlan& plan) : link_(link), plan_(plan) { probe_.host = link.host().name; }

  HostProbe probe() {
    try {
      if (look() && bring_bundles()) inspect();
    } catch (const Error& error) {
      probe_.why_not = error.what();
    }
    return std::move(probe_);
  }

 private:
  bool stop(std::string why) {
    probe_.why_not = std::move(why);
    return false;
  }

  bool look() {
    if (const auto placed = link_.place(in(short_wait)); !placed.is_fine())
      return stop(trouble_of(placed, "cannot copy the agent"));
    const auto reply = link_.ask({"probe"}, in(short_wait));
    if (!reply.is_fine()) return stop(trouble_of(reply, "the agent failed"));
    note(reply);
    if (const auto error = reply.value("error"); !error.empty()) return stop(visible_start(error));
    if (probe_.disk_free_mb >= 0 && probe_.disk_free_mb < least_disk_mb)
      return stop(fmt::format("the disk is full: {} MB are free in {}", probe_.disk_free_mb, visible(probe_.folder)));
    return true;
  }

  void note(const HostReply& reply) {
    probe_.hostname = visible_start(reply.value("hostname"));
    probe_.system = visible_start(reply.value("system"));
    probe_.folder = reply.value("folder");
    probe_.disk_free_mb = parse_int(reply.value("disk_free_kb")).value_or(-1024) / 1024;
    for (const auto& line : reply.values("gpu")) probe_.gpus.push_back(gpu_use(line));
    for (const auto& line : reply.values("rocm"))
      probe_.gpus.push_back({.name = visible_start(line), .use = "see rocm-smi"});
    for (const auto& line : reply.values("container")) probe_.containers.push_back(visible_start(line));
  }

  bool bring_bundles() { return bring(plan_.bundle, probe_.bundle) && (!plan_.files || bring(*plan_.files, files_)); }

  bool bring(const Bundle& bundle, std::string& state) {
    const auto known = link_.ask({"check-bundle", bundle.id}, in(long_wait));
    if (!known.is_fine()) return stop(trouble_of(known, "the agent failed"));
    state = "sound";
    if (known.value("bundle") == "sound") return true;
    if (const auto sent = link_.send(bundle.folder, {"receive-bundle", bundle.id}, in(long_wait)); !sent.is_fine())
      return stop(trouble_of(sent, "cannot copy the program"));
    state = "copied";
    return true;
  }

  bool inspect() {
    const auto reply = link_.ask({"inspect"}, in(long_wait));
    if (!reply.is_fine()) return stop(trouble_of(reply, "the agent failed"));
    probe_.version = visible_start(reply.value("version"));
    if (const auto error = reply.value("error"); !error.empty()) return stop(visible_start(error, 300));
    if (probe_.version != plan_.version)
      return stop(fmt::format("another version: {} there, {} here", probe_.version, plan_.version));
    probe_.devices = chosen_devices(parse_device_list(reply.value("devices"), probe_.host), link_.host().devices);
    return right_architecture();
  }

  bool right_architecture() {
    const auto& wanted = link_.host().arch;
    std::erase_if(probe_.devices, [&](const FleetDevice& device) { return !wanted.empty() && device.arch != wanted; });
    return probe_.devices.empty() ? stop(fmt::format("no device of architecture {}", wanted)) : true;
  }

  const HostLink& link_;
  const ProbePlan& plan_;
  HostProbe probe_;
  std::string files_;  // likewise for what the user ships
};

}  // namespace

GpuUse gpu_use(const std::string& line) {
  const auto cells = split(line, ',');
  if (cells.size() < 6) return {.name = visible_start(line)};
  const auto use_pct = parse_double(trim(cells[3])).value_or(0);
  const auto used_mib = parse_double(trim(cells[4])).value_or(0);
  const bool is_busy = use_pct > 0 || used_mib > idle_mib;
  return {.name = visible(trim(cells[1])),
          .driver = visible(trim(cells[2])),
          .use = is_busy ? fmt::format("busy {} %, {} of {} MiB", visible(trim(cells[3])), visible(trim(cells[4])),
                                       visible(trim(cells[5])))
                         : "idle",
          .is_busy = is_busy};
}

HostProbe probe_host(const HostLink& link, const ProbePlan& plan) { return Prober(link, plan).probe(); }

void side_by_side(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < std::min(count, at_a_time); ++t)
    threads.emplace_back([&] {
      for (auto i = next++; i < count; i = next++) work(i);
    });
  for (auto& thread : threads) thread.join();
}

}  // namespace gemmtune
