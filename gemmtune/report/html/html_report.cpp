#include "gemmtune/report/html/html_report.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/report/html/page_parts.h"

namespace gemmtune {
namespace {

/// Writes data as script text. It must neither close the script element that contains it nor begin a comment.
std::string as_script_text(const nlohmann::ordered_json& data) {
  const auto text = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  return result;
}

using Part = std::pair<std::string_view, std::string_view>;  // name and text

/// The page with each {{name}} replaced by its text. The texts themselves are not searched again.
std::string filled(std::string_view page, std::span<const Part> parts) {
  std::string result;
  while (!page.empty()) {
    const auto open = std::min(page.find("{{"), page.size());
    result += page.substr(0, open);
    page.remove_prefix(open);
    if (page.empty()) break;
    const auto close = page.find("}}");
    const auto name = page.substr(2, close - 2);
    for (const auto& [known, text] : parts)
      if (known == name) result += text;
    page.remove_prefix(close + 2);
  }
  return result;
}

}  // namespace

std::string html_report(const HtmlInputs& inputs) {
  if (chart_library().empty())
    fail(ErrorCode::unsupported, "this build has no chart library: install Debian's libjs-chart.js and build again");
  const auto data = as_script_text(html_data(inputs));
  const std::array<Part, 5> parts{{{"style", page_style()},
                                   {"chart", chart_library()},
                                   {"script", page_script()},
                                   {"version", GEMMTUNE_VERSION},
                                   {"data", data}}};
  return filled(page_html(), parts);
}

}  // namespace gemmtune
