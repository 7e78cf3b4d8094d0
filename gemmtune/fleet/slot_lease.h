// The right to use one device of a fleet: one shard at a time. It ends with its process.
#pragma once

#include <memory>

#include "gemmtune/core/file_lock.h"
#include "gemmtune/fleet/run_folder.h"

namespace gemmtune {

class SlotLease {
 public:
  /// Nothing if another process has it.
  static std::unique_ptr<SlotLease> take(const RunFolder& folder, std::size_t number);

  std::size_t number() const { return number_; }
  SlotState& state() { return state_; }
  void save() const { write_slot(folder_.slot(number_), state_); }

  /// Not used any more, by anyone.
  void set_aside(const std::string& why);

 private:
  SlotLease(const RunFolder& folder, std::size_t number);

  RunFolder folder_;
  std::size_t number_;
  FileLock lock_;
  SlotState state_;
};

std::vector<SlotState> read_slots(const RunFolder& folder, std::size_t count);

/// Why the slot measures far off; "" if it does not.
std::string why_far_off(const std::vector<SlotState>& slots, std::size_t index, const CalibrationRule& rule);

}  // namespace gemmtune
