#include <filesystem>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/shapes/shapes_commands.h"
#include "gemmtune/cli/shapes/shapes_output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/dispatch/aiter_folder.h"
#include "gemmtune/shapes/capture_shapes.h"
#include "gemmtune/table/aiter_csv.h"
#include "gemmtune/table/guess_format.h"

namespace gemmtune {
namespace {

class ShapesFromCaptureCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("captures", captures_).required();
    options.add_option("--table", tables_).one_value_each();
    options.add_option("--aiter", aiter_);
    options.add_option("--top", top_).positive();
    output_.declare(options);
  }

  int run() override {
    auto made = capture_shapes(captured(), tuned_times());
    print_note("{} calls captured; {} of them, of {} problems, run kernels that tuning would not improve\n", made.calls,
               made.settled_calls, made.settled);
    if (top_ && made.shapes.size() > *top_) made.shapes.resize(*top_);
    auto inputs = captures_;
    inputs.insert(inputs.end(), tables_.begin(), tables_.end());
    output_.write(made.shapes, inputs);
    return 0;
  }

 private:
  /// The sum of all files.
  std::vector<CapturedProblem> captured() const {
    CaptureFile sum;
    for (const auto& path : captures_) {
      const auto file = read_capture(read_csv(path));
      for (const auto& complaint : file.complaints) print_note("{}\n", complaint);
      sum = merged(std::move(sum), file.rows);
    }
    return std::move(sum.rows);
  }

  TunedTimes tuned_times() const {
    TunedTimes times;
    for (const auto& path : tables_) {
      const auto document = read_csv(path);
      const auto guess = guess_format(document);
      if (!guess) fail(ErrorCode::input, "{}: neither its name nor its columns say which format it is for", path);
      times.add(read_tuned_table(document, guess->format));
    }
    if (!aiter_.empty())
      for (const auto& source : aiter_tables(aiter_).tables)
        times.add(read_tuned_table(source.path, source.family.format));
    return times;
  }

  std::vector<std::string> captures_;
  std::vector<std::string> tables_;
  std::string aiter_;
  std::optional<std::size_t> top_;
  ShapesOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_shapes_from_capture_command() { return std::make_unique<ShapesFromCaptureCommand>(); }

}  // namespace gemmtune
