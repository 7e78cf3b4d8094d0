#include "gemmtune/cli/output.h"
#include "gemmtune/cli/shapes/shapes_commands.h"
#include "gemmtune/cli/shapes/shapes_output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/shapes/shape_csv.h"
#include "gemmtune/shapes/tunable_op.h"

namespace gemmtune {
namespace {

class ShapesFromLogCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("logs", logs_).required();
    output_.declare(options);
  }

  int run() override {
    std::vector<Shape> shapes;
    std::size_t rejected = 0;
    for (const auto& log : logs_) {
      const auto list = read(log);
      for (const auto& line : list.rejected) print_note("{}: {}\n", line.where, line.reason);
      rejected += list.rejected.size();
      shapes.insert(shapes.end(), list.shapes.begin(), list.shapes.end());
    }
    if (shapes.empty()) fail(ErrorCode::input, "no shapes in {}", join(logs_, ", "));
    output_.write(without_duplicates(shapes), logs_);
    return rejected == 0 ? 0 : 1;
  }

 private:
  static ShapeList read(const std::string& log) {
    const auto text = read_file(log);
    const auto first = trim(std::string_view(text).substr(0, text.find('\n')));
    if (!is_tunable_op_line(first))
      fail(ErrorCode::input,
           "{}:1:1: found '{}', expected a line of PyTorch's TunableOp, as "
           "GemmTunableOp_BFloat16_TN,tn_256_37_7168_ld_7168_7168_256",
           log, first);
    return read_tunable_op(text, log);
  }

  std::vector<std::string> logs_;
  ShapesOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_shapes_from_log_command() { return std::make_unique<ShapesFromLogCommand>(); }

}  // namespace gemmtune
