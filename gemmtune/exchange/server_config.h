// The Triton configurations of vLLM and SGLang: JSON files that map numbers of tokens to a kernel's parameters. Their
// names say the rest:
//   E=256,N=256,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json      fused MoE: N is a half of the
//                                                                                      first product's columns
//   N=512,K=7168,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128, 128].json    one product with block scales
// The servers take the entry whose number of tokens is nearest. vLLM writes block shapes without a blank, SGLang with
// one.
//
// As a table, each entry is a row; every other file of theirs (Mamba, LoRA, CuteDSL, …) is refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/core/csv.h"
#include "gemmtune/shapes/shape_list.h"
#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// What a file's name says. Words stay as they are spelled, but block shapes are without blanks.
struct ServerConfigName {
  std::int64_t experts{};  // 0: one product
  std::int64_t n{};
  std::int64_t k{};  // 0 for fused MoE, whose names do not say it
  std::string device_name{};
  std::string dtype{};
  std::string block_shape{};  // "[128,128]"
  std::string options{};      // everything else, as "per_channel_quant=True"; SGLang's "_down" too

  auto operator<=>(const ServerConfigName&) const = default;
};

/// Nothing for other names.
std::optional<ServerConfigName> parse_server_config_name(std::string_view file_name);

enum class Server { vllm, sglang };

/// With .json.
std::string server_config_file_name(const ServerConfigName& name, Server server);

struct ServerConfigEntry {
  std::int64_t m{};
  std::vector<Param> params{};  // in the file's order; values are JSON texts

  bool operator==(const ServerConfigEntry&) const = default;
};

struct ServerConfig {
  ServerConfigName name{};
  std::string triton_version{};  // "" if the file does not say it
  std::vector<ServerConfigEntry> entries{};
  std::vector<RejectedLine> rejected{};  // numbers of tokens without a configuration
};

/// Throws Error{input} for a name that is none, and for what is not such JSON.
ServerConfig parse_server_config(std::string_view text, const std::filesystem::path& path);

/// Four blanks, entries in their order, a newline at the end: as the servers' own tuners write it.
std::string server_config_text(const ServerConfig& config);

/// A row for each entry: E,N,K,device_name,dtype,block_shape,options,triton_version,M and a column for each parameter.
std::string server_config_csv(const std::vector<ServerConfig>& configs);

/// Whether the columns are those of such a table.
bool is_server_config_csv(const CsvDocument& document);

/// The configurations of such a table, in the order of their first rows. Throws Error{input} for a cell that is none.
std::vector<ServerConfig> server_configs_of(const CsvDocument& document);

/// The problem of each entry. Throws Error{input} for fused MoE, whose K no file says, and for types that are not known
/// here.
ShapeList server_config_shapes(const ServerConfig& config, const std::string& source);

}  // namespace gemmtune
