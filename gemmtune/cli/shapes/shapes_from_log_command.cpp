#include "gemmtune/cli/output.h"
#include "gemmtune/cli/shapes/shapes_commands.h"
#include "gemmtune/cli/shapes/shapes_output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/exchange/foreign_shapes.h"
#include "gemmtune/shapes/shape_csv.h"

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
      const auto list = foreign_shapes(log, read_file(log));
      for (const auto& line : list.rejected) print_note("{}: {}\n", line.where, line.reason);
      rejected += list.rejected.size();
      shapes.insert(shapes.end(), list.shapes.begin(), list.shapes.end());
    }
    if (shapes.empty()) fail(ErrorCode::input, "no shapes in {}", join(logs_, ", "));
    output_.write(without_duplicates(shapes), logs_);
    return rejected == 0 ? 0 : 1;
  }

 private:
  std::vector<std::string> logs_;
  ShapesOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_shapes_from_log_command() { return std::make_unique<ShapesFromLogCommand>(); }

}  // namespace gemmtune
