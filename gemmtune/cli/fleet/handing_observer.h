// Hands what shards gave to the one who writes the outputs, whatever starts the jobs.
#pragma once

#include <spdlog/spdlog.h>

#include <cstdint>

#include "gemmtune/cli/fleet/fleet_session.h"

namespace gemmtune {

class HandingObserver : public FleetObserver {
 public:
  HandingObserver(const RunFolder& folder, FleetTaker& taker) : folder_(folder), taker_(taker) {}

  void shard_done(std::int64_t shard) override { taker_.take(folder_.back_of(shard)); }

  void shard_failed(std::int64_t shard, const AttemptLog& log) override {
    spdlog::warn("shard {} failed: {}", shard, log.tries.empty() ? "" : log.tries.back().why);
  }

  void look(const FleetView& /*view*/) override {}

 private:
  const RunFolder& folder_;
  FleetTaker& taker_;
};

}  // namespace gemmtune
