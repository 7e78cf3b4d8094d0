#include <cctype>
#include <map>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/table/table_commands.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/exchange/foreign_shapes.h"
#include "gemmtune/exchange/hipblaslt_tuning.h"
#include "gemmtune/exchange/server_config.h"
#include "gemmtune/exchange/tunable_op_file.h"
#include "gemmtune/families/registry.h"
#include "gemmtune/table/aiter_csv.h"
#include "gemmtune/table/tuned_table.h"

namespace gemmtune {
namespace {

/// What PyTorch gives its libraries, and so what a kernel of its files may use.
constexpr std::int64_t torch_workspace_mib = 32;

std::string library_of(const TunableOpFile& file, const std::string& library) {
  std::string name;
  for (const char c : library) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto version = validator(file.validators, name + "_VERSION");
  return version.empty() ? std::string() : library_text(library, version);
}

class TableImportCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("files", paths_).required();
    options.add_option("-o,--output", output_);
    options.add_option("--gfx", gfx_);
    options.add_option("--cu-num,--cu_num", cu_num_).positive();
  }

  int run() override {
    refuse_to_overwrite(output_, {paths_.begin(), paths_.end()});
    for (const auto& path : paths_) read(path);
    if (!table_.rows.empty() && !configs_.empty())
      fail(ErrorCode::usage, "configurations of vLLM and SGLang make a table of their own: import them alone");
    if (table_.rows.empty() && configs_.empty())
      fail(ErrorCode::input, "no results in {}: gemmtune shapes from-log lists shapes", join(paths_, ", "));
    write(configs_.empty() ? tuned_table_text(table_) : server_config_csv(configs_));
    return left_out_ == 0 ? 0 : 1;
  }

 private:
  void read(const std::string& path) {
    const auto text = read_file(path);
    const auto kind = foreign_file(path, text);
    if (kind == ForeignFile::server_config)
      read_configs(text, path);
    else if (kind == ForeignFile::tunable_op)
      read_tunable_op(text, path);
    else if (kind == ForeignFile::amd_tuning)
      read_tuning(text, path);
    else
      fail(ErrorCode::input, "{}: expected {}", path,
           kind ? "results: a log says only shapes (gemmtune shapes from-log)" : known_foreign_files());
  }

  void read_configs(std::string_view text, const std::string& path) {
    configs_.push_back(parse_server_config(text, path));
    name(configs_.back().rejected);
  }

  void read_tunable_op(std::string_view text, const std::string& path) {
    const auto file = read_tunable_op_file(text, path);
    name(file.rejected);
    const auto gfx = device_gfx(gfx_of(file.validators), path);
    for (const auto& entry : file.entries)
      if (!entry.solution.empty()) add(row_of(entry, file), gfx);
  }

  void read_tuning(std::string_view text, const std::string& path) {
    const auto tuning = read_library_tuning(text, path);
    name(tuning.rejected);
    const auto gfx = device_gfx("", path);
    const std::string library = tuning.library == AmdLibrary::hipblaslt ? "hipblaslt" : "rocblas";
    for (const auto& choice : tuning.choices) {
      TunedRow row{.problem = choice.problem,
                   .libtype = library,
                   .kernel_id = choice.solution_index,
                   .time_us = choice.time_us,
                   .kernel_name = choice.kernel_name};
      if (!tuning.git_version.empty()) row.origin.library = library_text(library, tuning.git_version);
      add(std::move(row), gfx);
    }
  }

  TunedRow row_of(const TunableOpEntry& entry, const TunableOpFile& file) const {
    TunedRow row{
        .problem = entry.call.problem, .libtype = "torch", .time_us = entry.time_us, .kernel_name = entry.solution};
    if (const auto numbered = parse_numbered_solution(entry.solution)) {
      row.libtype = numbered->library;
      row.kernel_id = numbered->number;
    } else if (auto kernel = parse_solution(entry.solution)) {
      row.libtype = kernel->library;
      kernel->fast_accumulation = entry.call.fast_accumulation;
      name_kernel(*kernel, file, row);
    }
    row.origin.library = library_of(file, row.libtype);
    return row;
  }

  /// In our words, if a family of this build knows the library.
  void name_kernel(LibraryKernel kernel, const TunableOpFile& file, TunedRow& row) const {
    kernel.workspace_mib = torch_workspace_mib;
    kernel.version = parse_int(validator(file.validators, "CUBLASLT_VERSION")).value_or(0);
    for (const auto& family : families_)
      if (auto known = family->kernel_name(kernel); !known.empty()) row.kernel_name = std::move(known);
  }

  std::string device_gfx(const std::string& said, const std::string& path) const {
    const auto gfx = gfx_.empty() ? said : gfx_;
    if (gfx.empty() || cu_num_ == 0)
      fail(ErrorCode::usage, "{}: for which device? Add {}--cu-num: the file does not say it", path,
           gfx.empty() ? "--gfx and " : "");
    return gfx;
  }

  void add(TunedRow row, const std::string& gfx) {
    row.gfx = gfx;
    row.cu_num = cu_num_;
    const auto [at, is_new] = seen_.try_emplace(key_text(table_.columns, row), table_.rows.size());
    if (is_new)
      table_.rows.push_back(std::move(row));
    else if (auto& known = table_.rows[at->second]; has_time(row) && row.time_us < known.time_us)
      known = std::move(row);
  }

  void name(const std::vector<RejectedLine>& lines) {
    left_out_ += lines.size();
    for (const auto& [where, reason] : lines) print_note("{}: left out: {}\n", where, reason);
  }

  void write(const std::string& text) const {
    if (output_.empty())
      write_data(text);
    else
      write_file_atomically(output_, text);
  }

  std::vector<std::string> paths_;
  std::string output_;
  std::string gfx_;
  std::int64_t cu_num_{};
  std::vector<std::unique_ptr<KernelFamily>> families_ = make_families();
  std::map<std::string, std::size_t> seen_;
  TunedTable table_{.columns = columns_for_any_format()};
  std::vector<ServerConfig> configs_;
  std::size_t left_out_{};
};

}  // namespace

std::unique_ptr<Command> make_table_import_command() { return std::make_unique<TableImportCommand>(); }

}  // namespace gemmtune
