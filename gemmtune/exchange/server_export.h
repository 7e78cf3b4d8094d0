// From tuned tables to the Triton configurations of vLLM and SGLang.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/exchange/server_config.h"
#include "gemmtune/table/triton/triton_rows.h"
#include "gemmtune/table/tuned_table.h"

namespace gemmtune {

struct ServerExport {
  std::vector<ServerConfig> configs{};  // one for each N and K, its entries by M
  std::vector<LeftOut> left_out{};
};

/// The rows of Triton kernels for FP8 with blocks of 128, the products whose kernel the servers configure by file.
/// Left out is what their kernel cannot do: other formats, kernels of other libraries, splits of K, persistent kernels
/// and TMA, and tiles whose K is not part of one block of scales. Of rows with one M the fastest is taken.
ServerExport server_export(const TunedTable& table, const std::string& device_name);

/// As the servers spell a device in names: blanks and slashes are _, and all kinds of H200 are NVIDIA_H200.
std::string server_device_name(std::string device);

}  // namespace gemmtune
