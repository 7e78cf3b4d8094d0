#include "gemmtune/fleet/slot_lease.h"

#include "gemmtune/core/error.h"

namespace gemmtune {

SlotLease::SlotLease(const RunFolder& folder, std::size_t number)
    : folder_(folder),
      number_(number),
      lock_(folder.slot_lock(number), std::chrono::milliseconds(0)),
      state_(read_slot(folder.slot(number))) {}

std::unique_ptr<SlotLease> SlotLease::take(const RunFolder& folder, std::size_t number) {
  try {
    return std::unique_ptr<SlotLease>(new SlotLease(folder, number));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::io) return nullptr;
    throw;
  }
}

void SlotLease::set_aside(const std::string& why) {
  state_.set_aside = why;
  save();
}

std::vector<SlotState> read_slots(const RunFolder& folder, std::size_t count) {
  std::vector<SlotState> slots;
  for (std::size_t i = 0; i < count; ++i) slots.push_back(read_slot(folder.slot(i)));
  return slots;
}

std::string why_far_off(const std::vector<SlotState>& slots, std::size_t index, const CalibrationRule& rule) {
  std::vector<std::vector<Calibration>> calibrations;
  for (const auto& slot : slots) calibrations.push_back(slot.calibrations);
  return why_far_off(std::span<const std::vector<Calibration>>(calibrations), index, rule);
}

}  // namespace gemmtune
