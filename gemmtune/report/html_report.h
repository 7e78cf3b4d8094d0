// The report as a page: one file that needs no network, with its data, its style and its charts in it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gemmtune/report/comparison.h"
#include "gemmtune/report/inputs.h"

namespace gemmtune {

/// What a device can reach, for the roofline; 0 where it is not known.
struct Roof {
  double peak_tflops{};
  double peak_gbps{};
};

struct HtmlInputs {
  const Comparison& comparison;
  const Readings& readings;
  const StoreContents& stores;
  Roof roof{};  // what is missing is taken from the fastest that was measured
};

/// What the page draws.
nlohmann::ordered_json html_data(const HtmlInputs& inputs);

/// Throws Error{unsupported} when this build has no chart library.
std::string html_report(const HtmlInputs& inputs);

}  // namespace gemmtune
