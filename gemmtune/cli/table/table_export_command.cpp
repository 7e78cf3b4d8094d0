#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/cli/format_option.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/table/export_files.h"
#include "gemmtune/cli/table/export_rows.h"
#include "gemmtune/cli/table/table_commands.h"
#include "gemmtune/cli/table/table_inputs.h"
#include "gemmtune/cli/table/torch_validators.h"
#include "gemmtune/cli/table/tunable_op_export.h"
#include "gemmtune/core/csv.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/exchange/hipblaslt_tuning.h"
#include "gemmtune/exchange/server_export.h"
#include "gemmtune/families/registry.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

struct ExportFlags {
  std::vector<std::string> tables{};
  std::string tool{};
  std::string output{};
  std::string format{};
  WantedDevice device{};
  std::string like{};
  std::string python{};
  std::int64_t workspace_mib{32};
  std::int64_t devices{1};
  std::vector<std::string> sizes{};
  std::string device_name{};
  std::string triton_version{};
  bool trusts_ids{};
};

std::int64_t kib(std::int64_t mib) { return mib * 1024; }

class TableExportCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("tables", flags_.tables).required();
    options.add_option("--as", flags_.tool).required().one_of({"tunableop", "vllm", "sglang", "hipblaslt"});
    options.add_option("-o,--output", flags_.output).required();
    options.add_option("--format", flags_.format);
    options.add_option("--gfx", flags_.device.gfx);
    options.add_option("--cu-num,--cu_num", flags_.device.cu_num).positive();
    options.add_option("--like", flags_.like);
    options.add_option("--python", flags_.python);
    options.add_option("--workspace", flags_.workspace_mib).in_range(0, 4096);
    options.add_option("--devices", flags_.devices).in_range(1, 1024);
    options.add_option("--m", flags_.sizes).split_at(',').one_value_each();
    options.add_option("--device-name", flags_.device_name);
    options.add_option("--triton-version", flags_.triton_version);
    options.add_flag("--trust-ids", flags_.trusts_ids);
  }

  int run() override {
    refuse_to_overwrite(flags_.output, table_paths(flags_.tables));
    const auto written = write();
    left_out_.print();
    if (written > 0) return 0;
    print_note("nothing was written: no row can be said in a file of {}\n", flags_.tool);
    return 1;
  }

 private:
  /// How many entries were written.
  std::size_t write() {
    if (flags_.tool == "tunableop") return write_tunable_op();
    return flags_.tool == "hipblaslt" ? write_hipblaslt() : write_server_configs();
  }

  std::vector<TunedRow> rows(const WantedDevice& device) {
    std::vector<TableSource> sources;
    for (const auto& path : table_paths(flags_.tables)) sources.push_back(table_source(path, flags_.format));
    auto rows = rows_to_export(sources, device, left_out_).rows;
    std::ranges::stable_sort(rows, {}, &TunedRow::time_us);  // of equal keys the fastest counts
    return rows;
  }

  std::size_t write_tunable_op() {
    const TunableOpTarget target{
        .validators = validators(), .workspace_mib = flags_.workspace_mib, .trusts_ids = flags_.trusts_ids};
    const auto build = build_of(target.validators);
    const auto said =
        tunable_op_entries(rows({gfx_of(target.validators), flags_.device.cu_num}), target, families_, left_out_);
    const auto found = tunable_op_entries(expanded(said.rows, sizes_in(flags_.sizes)), target, families_, left_out_);
    if (found.entries.empty()) return 0;
    const auto [text, repeated] = tunable_op_text(target.validators, found.entries, build);
    const auto count = found.entries.size() - repeated;
    for (std::int64_t i = 0; i < flags_.devices; ++i)
      write_file(with_ordinal(flags_.output, i), text, count, "results");
    if (found.over_workspace > 0)
      print_note("{} of them are Default, since their kernels may use more than {} MiB of workspace\n",
                 found.over_workspace, flags_.workspace_mib);
    if (repeated > 0) print_note("{} slower rows of the same keys are left out\n", repeated);
    write_environment(tunable_op_variables(build));
    return count;
  }

  std::vector<Param> validators() const {
    if (flags_.like.empty() == flags_.python.empty())
      fail(ErrorCode::usage,
           "--as tunableop needs the validators of the PyTorch that will read the file: add --python PYTHON, or --like "
           "with a file that it wrote itself");
    return flags_.like.empty() ? validators_of(flags_.python) : validators_in(flags_.like);
  }

  std::vector<Param> tunable_op_variables(TorchBuild build) const {
    std::vector<Param> variables{{"PYTORCH_TUNABLEOP_ENABLED", "1"},
                                 {"PYTORCH_TUNABLEOP_TUNING", "0"},
                                 {"PYTORCH_TUNABLEOP_FILENAME", fs::absolute(flags_.output).string()}};
    if (build != TorchBuild::cuda) return variables;
    variables.push_back({"CUBLASLT_WORKSPACE_SIZE", std::to_string(kib(flags_.workspace_mib))});
    // PyTorch cuts cuBLASLt's workspace down to that of cuBLAS, which is 32 MiB on Hopper and less elsewhere.
    variables.push_back({"CUBLAS_WORKSPACE_CONFIG", fmt::format(":{}:1", kib(flags_.workspace_mib))});
    return variables;
  }

  std::size_t write_hipblaslt() {
    if (flags_.like.empty())
      fail(ErrorCode::usage,
           "--as hipblaslt needs the version of the hipBLASLt that will read the file: add --like with a file that "
           "HIPBLASLT_TUNING_FILE made there");
    const auto like = read_library_tuning(read_file(flags_.like), flags_.like);
    if (like.git_version.empty()) fail(ErrorCode::input, "{}: found no line of 'Git Version: …'", flags_.like);
    auto known = rows(flags_.device);
    std::erase_if(known, [&](const auto& row) { return !can_say(row, library_text("hipblaslt", like.git_version)); });
    std::vector<LibraryChoice> choices;
    for (const auto& row : expanded(known, sizes_in(flags_.sizes)))
      choices.push_back({.problem = row.problem,
                         .solution_index = row.kernel_id,
                         .kernel_name = row.kernel_name,
                         .time_us = row.time_us});
    if (choices.empty()) return 0;
    write_file(flags_.output, hipblaslt_tuning_text(like.git_version, choices), choices.size(), "rows");
    write_environment({{"HIPBLASLT_TUNING_OVERRIDE_FILE", fs::absolute(flags_.output).string()}});
    return choices.size();
  }

  /// Whether hipBLASLt of this version has the row's kernel.
  bool can_say(const TunedRow& row, const std::string& library) {
    std::string why = why_no_hipblaslt(row.problem);
    if (row.libtype != "hipblaslt")
      why = fmt::format("{} is none of hipBLASLt's kernels", row.libtype);
    else if (row.kernel_id < 0)
      why = "they do not say the kernel's number";
    else if (!flags_.trusts_ids && row.origin.library != library)
      why = fmt::format("they do not say that their numbers are of {} (--trust-ids takes them as they are)", library);
    if (!why.empty()) left_out_.add(why, to_string(row.problem));
    return why.empty();
  }

  std::size_t write_server_configs() {
    const auto configs = server_configs();
    const auto server = flags_.tool == "vllm" ? Server::vllm : Server::sglang;
    std::size_t moe = 0;
    for (const auto& config : configs) {
      moe += config.name.experts > 0 ? 1 : 0;
      const auto folder = config.name.experts > 0 ? moe_folder(config, server) : fs::path(flags_.output);
      fs::create_directories(folder);
      write_file(folder / server_config_file_name(config.name, server), server_config_text(as_read(config, server)),
                 config.entries.size(), "configurations");
    }
    if (moe > 0) write_environment({server_variable(server)});
    if (moe < configs.size())
      print_note("{} reads the files of N and K only from its own package: copy them to {}\n", flags_.tool,
                 server == Server::vllm ? "vllm/model_executor/layers/quantization/utils/configs"
                                        : "sglang/kernels/ops/gemm/configs (until 0.5: "
                                          "sglang/srt/layers/quantization/configs)");
    return configs.size();
  }

  Param server_variable(Server server) const {
    return {server == Server::vllm ? "VLLM_TUNED_CONFIG_FOLDER" : "SGLANG_MOE_CONFIG_DIR",
            fs::absolute(flags_.output).string()};
  }

  /// Only vLLM's reader of fused MoE knows the key triton_version: the others take each key for a number.
  static ServerConfig as_read(ServerConfig config, Server server) {
    if (server == Server::sglang || config.name.experts == 0) config.triton_version.clear();
    return config;
  }

  /// SGLang looks into a folder of its Triton's version.
  fs::path moe_folder(const ServerConfig& config, Server server) const {
    if (server == Server::vllm) return flags_.output;
    auto version = flags_.triton_version.empty() ? config.triton_version : flags_.triton_version;
    if (version.empty() || version.find_first_not_of("0123456789.") != std::string::npos)
      fail(ErrorCode::usage, "--as sglang: for which Triton? Add --triton-version, as 3.5.1");
    std::ranges::replace(version, '.', '_');
    return fs::path(flags_.output) / "configs" / ("triton_" + version);
  }

  /// Of tables of configurations (gemmtune table import), and of tuned tables.
  std::vector<ServerConfig> server_configs() {
    std::vector<ServerConfig> configs;
    std::vector<std::string> tuned;
    for (const auto& path : table_paths(flags_.tables)) {
      const auto document = read_csv(path);
      if (!is_server_config_csv(document)) {
        tuned.push_back(path.string());
        continue;
      }
      const auto read = server_configs_of(document);
      configs.insert(configs.end(), read.begin(), read.end());
    }
    if (tuned.empty()) return configs;
    flags_.tables = tuned;
    const auto made = tuned_configs();
    configs.insert(configs.end(), made.begin(), made.end());
    return configs;
  }

  std::vector<ServerConfig> tuned_configs() {
    if (flags_.device_name.empty())
      fail(ErrorCode::usage, "--as {}: for which device? Add --device-name, as 'NVIDIA H200'", flags_.tool);
    auto made = server_export({.rows = rows(flags_.device)}, server_device_name(flags_.device_name));
    for (const auto& [where, reason] : made.left_out) left_out_.add(reason, where);
    return std::move(made.configs);
  }

  void write_file(const fs::path& path, const std::string& text, std::size_t count, std::string_view what) const {
    refuse_to_overwrite(path, table_paths(flags_.tables));
    write_file_atomically(path, text);
    print_text("{}: {} {}\n", path.string(), count, what);
  }

  void write_environment(const std::vector<Param>& variables) const {
    const auto path =
        fs::is_directory(flags_.output) ? fs::path(flags_.output) / "config.env" : env_path(flags_.output);
    write_file_atomically(path, env_text(variables));
    print_text("{}: the variables that make programs use it\n", path.string());
  }

  ExportFlags flags_;
  std::vector<std::unique_ptr<KernelFamily>> families_ = make_families();
  LeftOutRows left_out_;
};

}  // namespace

std::unique_ptr<Command> make_table_export_command() { return std::make_unique<TableExportCommand>(); }

}  // namespace gemmtune
