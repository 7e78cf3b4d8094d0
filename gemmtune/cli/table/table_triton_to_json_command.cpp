#include <fmt/format.h>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/table/table_commands.h"
#include "gemmtune/cli/table/table_inputs.h"
#include "gemmtune/cli/table/triton_inputs.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/table/guess_format.h"
#include "gemmtune/table/triton/triton_tag.h"

namespace gemmtune {
namespace {

class TableTritonToJsonCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("tables", tables_).required();
    options.add_option("-o,--output", folder_).required();
    options.add_option("--tag", tag_);
    options.add_option("--kernel", kernel_);
    options.add_option("--device", device_);
    options.add_option("--keys", keys_);
  }

  int run() override {
    const auto keys = parse_triton_keys(keys_);
    if (!keys) fail(ErrorCode::usage, "--keys: found '{}', expected {}", keys_, triton_keys_words());
    const auto made = triton_files(read_rows(), *keys);
    name_left_out(made.left_out);
    write(made.files);
    return made.files.empty() ? 1 : 0;
  }

 private:
  std::vector<TritonRow> read_rows() const {
    std::vector<TritonRow> rows;
    for (const auto& path : table_paths(tables_)) {
      const auto document = read_csv(path);
      auto read = triton_rows(document, unsaid(path, document));
      name_left_out(read.left_out);
      rows.insert(rows.end(), read.rows.begin(), read.rows.end());
    }
    return rows;
  }

  TritonName unsaid(const std::filesystem::path& path, const CsvDocument& document) const {
    const auto guess = guess_format(path.filename().string(), document.header);
    const bool says_file = document.column("file").has_value();
    if (tag_.empty() && !guess && !says_file)
      fail(ErrorCode::usage, "{}: neither its name nor a column says whose kernels these are: add --tag",
           path.string());
    auto name = guess ? triton_kernel_of(guess->format, guess->packed) : TritonName{};
    if (!tag_.empty()) name.tag = tag_;
    if (!kernel_.empty()) name.kernel = kernel_;
    name.device = device_;
    return name;
  }

  /// Writes all files or, if one of them exists already, none.
  void write(const std::vector<NamedTritonFile>& files) const {
    const std::filesystem::path folder(folder_);
    for (const auto& [name, file] : files)
      if (std::filesystem::exists(folder / triton_file_name(name)))
        fail(ErrorCode::usage, "{}: is there already, and is not overwritten",
             (folder / triton_file_name(name)).string());
    std::filesystem::create_directories(folder);
    for (const auto& [name, file] : files) {
      write_file_atomically(folder / triton_file_name(name), triton_json_text(file));
      print_text("{}: {} configurations\n", (folder / triton_file_name(name)).string(), file.entries.size());
    }
  }

  std::vector<std::string> tables_;
  std::string folder_;
  std::string tag_;
  std::string kernel_;
  std::string device_;
  std::string keys_{"bounds"};
};

}  // namespace

std::unique_ptr<Command> make_table_triton_to_json_command() { return std::make_unique<TableTritonToJsonCommand>(); }

}  // namespace gemmtune
