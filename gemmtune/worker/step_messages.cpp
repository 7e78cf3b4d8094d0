#include "gemmtune/worker/step_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "gemmtune/core/base64.h"
#include "gemmtune/core/error.h"
#include "gemmtune/gemm/draw.h"
#include "gemmtune/space/plausibility.h"
#include "gemmtune/worker/json_fields.h"
#include "gemmtune/worker/messages.h"
#include "gemmtune/worker/quote.h"

namespace gemmtune {

using nlohmann::json;

namespace {

constexpr double fastest_clock_mhz = 1e5;

json name_of(const Candidate& candidate) { return {{"family", candidate.family}, {"name", candidate.name}}; }

std::int64_t bytes_in(const JsonFields& fields, const char* key) {
  if (!fields.has(key)) return 0;
  const auto bytes = fields.count(key);
  if (bytes > most_bytes) fail(ErrorCode::protocol, "{}: found {}, above {}", fields.path_of(key), bytes, most_bytes);
  return bytes;
}

double number_in(const JsonFields& fields, const char* key, double most) {
  if (!fields.has(key)) return 0;
  const auto value = fields.number(key);
  if (!(value >= 0 && value <= most))
    fail(ErrorCode::protocol, "{}: expected 0 to {}, found {}", fields.path_of(key), most, value);
  return value;
}

Recipe recipe_in(const JsonFields& fields) {
  const auto text = fields.text("recipe");
  if (const auto recipe = parse_recipe(text)) return *recipe;
  fail(ErrorCode::protocol, "{}: {} is no recipe", fields.path_of("recipe"), quote(text));
}

Outcome outcome_in(const JsonFields& fields) {
  const auto text = fields.text("outcome");
  if (const auto outcome = parse_outcome(text)) return *outcome;
  fail(ErrorCode::protocol, "{}: {} is no outcome", fields.path_of("outcome"), quote(text));
}

std::vector<std::byte> row_from(const json& value, std::int64_t bytes) {
  if (!value.is_string()) fail_unexpected("product.rows", "texts in base64", value);
  auto row = from_base64(value.get_ref<const std::string&>());
  if (!row) fail(ErrorCode::protocol, "product.rows: expected base64, found {}", quote(value.dump(), 60));
  if (std::ssize(*row) != bytes)
    fail(ErrorCode::protocol, "product.rows: expected {} bytes in a row, found {}", bytes, row->size());
  return *std::move(row);
}

}  // namespace

json to_json_value(const HeldCandidate& held) {
  json value{{"candidate", name_of(held.candidate)},
             {"workspace_bytes", held.workspace_bytes},
             {"packed_bytes", held.packed_bytes},
             {"pack_us", held.pack_us}};
  if (!held.flaw.empty()) value["flaw"] = held.flaw;
  return value;
}

json to_json_value(const TurnRequest& request) {
  json value{{"warmup", request.warmup}, {"count", request.count}, {"judge", request.outputs == Outputs::judged}};
  if (request.after > 0) value["after"] = request.after;
  return value;
}

json to_json_value(const Turn& turn) {
  return {{"samples_us", turn.samples_us}, {"clock_mhz", turn.clock_mhz}, {"throttled", turn.throttled}};
}

json to_json_value(const ProductRequest& request) {
  return {{"problem", to_string(request.problem)},
          {"candidate", to_json_value(request.candidate)},
          {"recipe", to_string(request.recipe)},
          {"seed", request.seed},
          {"rows", request.rows}};
}

json to_json_value(const Product& product) {
  json value{{"outcome", to_string(product.outcome)}, {"reason", product.reason}};
  if (product.outcome != Outcome::ok) return value;
  value["rows"] = json::array();
  for (const auto& row : product.rows) value["rows"].push_back(to_base64(row));
  return value;
}

HeldCandidate held_from_json(const json& message) {
  const JsonFields fields(message, "held");
  HeldCandidate held{.candidate = candidate_from_json(fields.member("candidate"))};
  if (fields.has("flaw")) held.flaw = fields.shown_text("flaw");
  held.workspace_bytes = bytes_in(fields, "workspace_bytes");
  held.packed_bytes = bytes_in(fields, "packed_bytes");
  held.pack_us = number_in(fields, "pack_us", longest_time_us);
  return held;
}

TurnRequest turn_request_from_json(const json& message) {
  const JsonFields fields(message, "request");
  const TurnRequest request{.warmup = fields.count("warmup"),
                            .count = fields.count("count"),
                            .outputs = fields.flag("judge") ? Outputs::judged : Outputs::ignored,
                            .after = fields.has("after") ? fields.count("after") : 0};
  if (request.count < 1) fail(ErrorCode::protocol, "request.count: expected at least 1, found {}", request.count);
  return request;
}

ProductRequest product_request_from_json(const json& message) {
  const JsonFields fields(message, "request");
  return {.problem = parse_problem(fields.text("problem")),
          .candidate = candidate_from_json(fields.member("candidate")),
          .recipe = recipe_in(fields),
          .seed = fields.unsigned_integer("seed"),
          .rows = fields.counts("rows")};
}

Turn turn_from_json(const json& message, const TurnRequest& request) {
  const JsonFields fields(message, "samples");
  Turn turn{.samples_us = fields.numbers("samples_us"),
            .clock_mhz = number_in(fields, "clock_mhz", fastest_clock_mhz),
            .throttled = fields.has("throttled") && fields.flag("throttled")};
  if (std::ssize(turn.samples_us) != request.count)
    fail(ErrorCode::protocol, "samples.samples_us: expected {}, found {}", request.count, turn.samples_us.size());
  for (const auto us : turn.samples_us)
    if (!(us >= shortest_time_us && us <= longest_time_us))
      fail(ErrorCode::protocol, "samples.samples_us: expected {} to {}, found {}", shortest_time_us, longest_time_us,
           us);
  return turn;
}

Product product_from_json(const json& message, const ProductRequest& request) {
  const JsonFields fields(message, "product");
  Product product{.outcome = outcome_in(fields)};
  if (product.outcome != Outcome::ok) {
    product.reason = fields.shown_text("reason");
    return product;
  }
  const json& rows = fields.array("rows");
  if (rows.size() != request.rows.size())
    fail(ErrorCode::protocol, "product.rows: expected {}, found {}", request.rows.size(), rows.size());
  const auto bytes = storage_bytes(request.problem.out, request.problem.n);
  for (const json& row : rows) product.rows.push_back(row_from(row, bytes));
  return product;
}

}  // namespace gemmtune
