#include "gemmtune/report/measurement.h"

#include <fmt/format.h>

#include <iterator>

namespace gemmtune {
namespace {

template <typename T>
void move_to(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

std::string to_string(const DeviceTag& device) {
  if (device == DeviceTag{}) return {};
  return fmt::format("{}/{}", device.gfx.empty() ? "?" : device.gfx,
                     device.cu_num > 0 ? std::to_string(device.cu_num) : "?");
}

void append(Readings& to, Readings more) {
  move_to(to.measurements, more.measurements);
  move_to(to.sources, more.sources);
  move_to(to.without_times, more.without_times);
  move_to(to.notes, more.notes);
}

}  // namespace gemmtune
