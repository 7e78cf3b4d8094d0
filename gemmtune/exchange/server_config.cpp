#include "gemmtune/exchange/server_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view version_key = "triton_version";
constexpr std::string_view down = "_down";

/// Splits at commas outside brackets.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == ',' && depth == 0)
      words.emplace_back();
    else if (c != ' ' || depth == 0)
      words.back() += c;
  }
  return words;
}

void add_option(ServerConfigName& name, const std::string& word) {
  name.options += (name.options.empty() ? "" : ";") + word;
}

bool set_size(std::int64_t& size, std::string_view text) {
  const auto value = parse_int(text);
  if (!value || *value < 1 || size != 0) return false;
  size = *value;
  return true;
}

/// False for a word that a configuration of a GEMM does not have.
bool set_word(ServerConfigName& name, const std::string& word) {
  const auto equals = word.find('=');
  const auto key = word.substr(0, equals);
  const auto value = equals == std::string::npos ? std::string() : word.substr(equals + 1);
  if (key == "E") return set_size(name.experts, value);
  if (key == "N") return set_size(name.n, value);
  if (key == "K") return set_size(name.k, value);
  if (key == "device_name") {
    name.device_name = value;  // some files of SGLang's have none
    return true;
  }
  if (value.empty()) return false;
  if (key == "dtype")
    name.dtype = value;
  else if (key == "block_shape")
    name.block_shape = value;
  else if (key == "per_channel_quant" || key == "backend")
    add_option(name, word);
  else
    return false;
  return true;
}

bool is_gemm(const ServerConfigName& name) { return name.n > 0 && (name.experts > 0) != (name.k > 0); }

std::vector<Param> params_of(const Json& config) {
  std::vector<Param> params;
  for (const auto& [key, value] : config.items()) params.push_back({key, json_text(value, -1)});
  return params;
}

void read_entry(const std::string& key, const Json& value, ServerConfig& config, const std::string& source) {
  const auto m = parse_int(key);
  if (!m || *m < 1) fail(ErrorCode::input, "{}: found the key '{}', expected a number of tokens", source, key);
  if (value.is_null())
    config.rejected.push_back({source, fmt::format("{}: null, no configuration", key)});
  else if (value.is_object())
    config.entries.push_back({.m = *m, .params = params_of(value)});
  else
    fail(ErrorCode::input, "{}: {}: expected a configuration", source, key);
}

std::string cell(const Param& param) {
  const bool is_plain_text = param.value.size() > 2 && param.value.front() == '"';
  return is_plain_text && param.value.find('\\') == std::string::npos &&
                 !is_json(param.value.substr(1, param.value.size() - 2))
             ? param.value.substr(1, param.value.size() - 2)
             : param.value;
}

std::string json_value(std::string_view cell) {
  return is_json(cell) ? std::string(cell) : json_text(nlohmann::json(std::string(cell)), -1);
}

constexpr std::size_t fixed_columns = 9;
const std::vector<std::string>& first_columns() {
  static const std::vector<std::string> names{
      "E", "N", "K", "device_name", "dtype", "block_shape", "options", "triton_version", "M"};
  return names;
}

std::string size_text(std::int64_t size) { return size == 0 ? std::string() : std::to_string(size); }

std::vector<std::string> param_columns(const std::vector<ServerConfig>& configs) {
  std::vector<std::string> columns;
  for (const auto& config : configs)
    for (const auto& entry : config.entries)
      for (const auto& param : entry.params)
        if (std::ranges::find(columns, param.key) == columns.end()) columns.push_back(param.key);
  return columns;
}

std::vector<std::string> cells_of(const ServerConfig& config, const ServerConfigEntry& entry,
                                  const std::vector<std::string>& columns) {
  const auto& name = config.name;
  std::vector<std::string> cells{
      size_text(name.experts), size_text(name.n), size_text(name.k),     name.device_name,       name.dtype,
      name.block_shape,        name.options,      config.triton_version, std::to_string(entry.m)};
  for (const auto& column : columns) {
    const auto param = std::ranges::find(entry.params, column, &Param::key);
    cells.push_back(param == entry.params.end() ? std::string() : cell(*param));
  }
  return cells;
}

class ConfigReader {
 public:
  explicit ConfigReader(const CsvDocument& document) : document_(document) {}

  std::vector<ServerConfig> read() const {
    std::vector<ServerConfig> configs;
    for (const auto& row : document_.rows) {
      const auto name = name_of(row);
      auto at = std::ranges::find(configs, name, &ServerConfig::name);
      if (at == configs.end()) {
        configs.push_back({.name = name, .triton_version = text(row, "triton_version")});
        at = configs.end() - 1;
      }
      at->entries.push_back(entry_of(row));
    }
    return configs;
  }

 private:
  std::string text(const CsvRow& row, std::string_view column) const {
    return std::string(document_.text(row, document_.column(column)));
  }

  std::int64_t number(const CsvRow& row, std::string_view column) const {
    const auto cell = text(row, column);
    const auto value = cell.empty() ? std::optional<std::int64_t>(0) : parse_int(cell);
    if (!value || *value < 0)
      fail(ErrorCode::input, "{}: {}: found '{}', expected a number", document_.where(row, document_.column(column)),
           column, cell);
    return *value;
  }

  ServerConfigName name_of(const CsvRow& row) const {
    const ServerConfigName name{.experts = number(row, "E"),
                                .n = number(row, "N"),
                                .k = number(row, "K"),
                                .device_name = text(row, "device_name"),
                                .dtype = text(row, "dtype"),
                                .block_shape = text(row, "block_shape"),
                                .options = text(row, "options")};
    const auto file_name = server_config_file_name(name, Server::vllm);
    if (file_name.find('/') != std::string::npos || parse_server_config_name(file_name) != name)
      fail(ErrorCode::input, "{}:{}: its cells make no name of a configuration: {}", document_.source, row.line,
           file_name);
    return name;
  }

  ServerConfigEntry entry_of(const CsvRow& row) const {
    ServerConfigEntry entry{.m = number(row, "M")};
    for (std::size_t i = fixed_columns; i < document_.header.size(); ++i)
      if (const auto value = document_.text(row, i); !value.empty())
        entry.params.push_back({document_.header[i], json_value(value)});
    return entry;
  }

  const CsvDocument& document_;
};

/// The formats whose products the servers' block-scaled kernels compute.
Problem product_of(const ServerConfigName& name) {
  const auto type = name.dtype.starts_with("fp8_w8a8") ? DType::e4m3 : DType::i8;
  const bool is_known = name.dtype.starts_with("fp8_w8a8") || name.dtype.starts_with("int8_w8a8");
  const bool has_blocks = name.block_shape == "[128,128]";
  const bool has_rows = name.dtype.ends_with("_channelwise") && name.block_shape.empty();
  if (!is_known || !(has_blocks || has_rows))
    fail(ErrorCode::input, "dtype {}, block shape '{}': not known here", name.dtype, name.block_shape);
  return {.n = name.n,
          .k = name.k,
          .a = {.type = type, .scaling = has_rows ? Scaling::row : Scaling::block_1x128},
          .w = {.type = type, .scaling = has_rows ? Scaling::row : Scaling::block_128x128}};
}

}  // namespace

std::optional<ServerConfigName> parse_server_config_name(std::string_view file_name) {
  if (!file_name.ends_with(".json") || file_name.find(",device_name=") == std::string_view::npos) return std::nullopt;
  auto stem = file_name.substr(0, file_name.size() - 5);
  ServerConfigName name;
  const bool is_down = stem.ends_with(down);
  if (is_down) stem.remove_suffix(down.size());
  for (const auto& word : words_of(stem))
    if (!set_word(name, word)) return std::nullopt;
  if (is_down) add_option(name, std::string(down));
  return is_gemm(name) ? std::optional(name) : std::nullopt;
}

std::string server_config_file_name(const ServerConfigName& name, Server server) {
  auto text =
      name.experts > 0 ? fmt::format("E={},N={}", name.experts, name.n) : fmt::format("N={},K={}", name.n, name.k);
  text += ",device_name=" + name.device_name;
  if (!name.dtype.empty()) text += ",dtype=" + name.dtype;
  if (!name.block_shape.empty()) text += ",block_shape=";
  for (const char c : name.block_shape) text += c == ',' && server == Server::sglang ? ", " : std::string(1, c);
  const std::string_view options = name.options;
  for (const auto option : split(options, ';'))
    if (!option.empty() && option != down) text += fmt::format(",{}", option);
  if (name.options.ends_with(down)) text += down;
  return text + ".json";
}

ServerConfig parse_server_config(std::string_view text, const std::filesystem::path& path) {
  const auto name = parse_server_config_name(path.filename().string());
  if (!name)
    fail(ErrorCode::input,
         "{}: its name is not that of a configuration of fused MoE or of a product with block scales: expected "
         "E=…,N=…,device_name=….json or N=…,K=…,device_name=….json",
         path.string());
  const auto json = parse_ordered_json(text, path.string(), JsonKeys::unique);
  if (!json.is_object()) fail(ErrorCode::input, "{}: expected an object", path.string());
  ServerConfig config{.name = *name};
  for (const auto& [key, value] : json.items()) {
    if (key == version_key && value.is_string())
      config.triton_version = value.get<std::string>();
    else
      read_entry(key, value, config, path.string());
  }
  return config;
}

std::string server_config_text(const ServerConfig& config) {
  Json json = Json::object();
  if (!config.triton_version.empty()) json[std::string(version_key)] = config.triton_version;
  for (const auto& entry : config.entries) {
    Json params = Json::object();
    for (const auto& [key, value] : entry.params) params[key] = parse_ordered_json(value, key);
    json[std::to_string(entry.m)] = std::move(params);
  }
  return json_text(json, 4) + '\n';
}

std::string server_config_csv(const std::vector<ServerConfig>& configs) {
  const auto columns = param_columns(configs);
  auto header = first_columns();
  header.insert(header.end(), columns.begin(), columns.end());
  auto text = csv_line(header) + '\n';
  for (const auto& config : configs)
    for (const auto& entry : config.entries) text += csv_line(cells_of(config, entry, columns)) + '\n';
  return text;
}

bool is_server_config_csv(const CsvDocument& document) {
  return document.header.size() > fixed_columns &&
         std::equal(first_columns().begin(), first_columns().end(), document.header.begin());
}

std::vector<ServerConfig> server_configs_of(const CsvDocument& document) {
  if (!is_server_config_csv(document))
    fail(ErrorCode::input, "{}: expected the columns {} and the kernel's parameters", document.source,
         join(first_columns(), ","));
  return ConfigReader(document).read();
}

ShapeList server_config_shapes(const ServerConfig& config, const std::string& source) {
  if (config.name.experts > 0)
    fail(ErrorCode::input, "{}: a fused MoE: the file does not say K, so that it holds no shapes", source);
  ShapeList list{.rejected = config.rejected};
  for (const auto& entry : config.entries) {
    auto problem = product_of(config.name);
    problem.m = entry.m;
    list.shapes.push_back({.problem = problem, .where = source});
  }
  return list;
}

}  // namespace gemmtune
