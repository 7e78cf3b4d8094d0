// The report as a page: one file that needs no network and contains its data, style and charts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gemmtune/report/comparison.h"
#include "gemmtune/report/inputs.h"
#include "gemmtune/report/roof.h"

namespace gemmtune {

struct HtmlInputs {
  const Comparison& comparison;
  const Readings& readings;
  const StoreContents& stores;
  Roof roof{};       // the roofline given for all shapes
  RoofOf roof_of{};  // stored rooflines; if none is known for any shape, the fastest measurement replaces them
};

/// The data that the page draws.
nlohmann::ordered_json html_data(const HtmlInputs& inputs);

/// Throws Error{unsupported} if this build has no chart library.
std::string html_report(const HtmlInputs& inputs);

}  // namespace gemmtune
