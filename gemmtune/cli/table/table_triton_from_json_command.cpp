#include <fmt/format.h>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/table/table_commands.h"
#include "gemmtune/cli/table/triton_inputs.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

class TableTritonFromJsonCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("files", paths_).required();
    options.add_option("-o,--output", output_);
  }

  int run() override {
    if (!output_.empty() && std::filesystem::exists(output_))
      fail(ErrorCode::usage, "{}: is there already, and is not overwritten", output_);
    const auto csv = triton_csv(read_triton_files(paths_));
    name_left_out(csv.left_out);
    if (output_.empty())
      write_data(csv.text);
    else
      write_file_atomically(output_, csv.text);
    return 0;
  }

 private:
  std::vector<std::string> paths_;
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> make_table_triton_from_json_command() {
  return std::make_unique<TableTritonFromJsonCommand>();
}

}  // namespace gemmtune
