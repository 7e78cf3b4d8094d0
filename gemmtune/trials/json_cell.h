// Cells of the store that hold JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {

/// What `read` makes of the cell. Throws Error{input} if the cell is not such JSON; `what` names what it should hold.
template <typename Read>
auto read_json_cell(const char* what, const std::string& text, const Read& read) {
  try {
    return read(parse_ordered_json(text, what));
  } catch (const nlohmann::json::exception&) {
  } catch (const Error&) {
  }
  fail(ErrorCode::input, "it has {} that cannot be read: '{}'", what, visible_start(text, 100));
}

template <typename Value>
Value read_json_cell(const char* what, const std::string& text) {
  return read_json_cell(what, text, [](const nlohmann::ordered_json& cell) { return cell.get<Value>(); });
}

}  // namespace gemmtune
