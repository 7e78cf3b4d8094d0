// Invented measurements: times by backend for shapes that differ in M alone.
#pragma once

#include <string>

#include "gemmtune/core/csv.h"
#include "gemmtune/report/measurement.h"

namespace gemmtune {

inline ShapeId invented_shape(std::int64_t m) {
  return {.device = {.gfx = "gfx950", .cu_num = 256}, .problem = parse_problem(std::to_string(m) + "x512x4096:a4w4")};
}

inline Measurement timed(std::int64_t m, const std::string& backend, double time_us) {
  return {.shape = invented_shape(m),
          .backend = backend,
          .kernel = backend + "_kernel",
          .time_us = time_us,
          .batch = batch_of_files};
}

inline Measurement with_interval(Measurement measurement, double low_us, double high_us) {
  measurement.low_us = low_us;
  measurement.high_us = high_us;
  return measurement;
}

}  // namespace gemmtune
