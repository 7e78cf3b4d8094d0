// The report as a page: one file that needs no network, with its data, its style and its charts in it.
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
  Roof roof{};       // as given, for all shapes
  RoofOf roof_of{};  // as remembered; where nothing is known of any shape, the fastest that was measured stands for it
};

/// What the page draws.
nlohmann::ordered_json html_data(const HtmlInputs& inputs);

/// Throws Error{unsupported} when this build has no chart library.
std::string html_report(const HtmlInputs& inputs);

}  // namespace gemmtune
