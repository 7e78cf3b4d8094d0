
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/shapes/list_inputs.h"
#include "gemmtune/cli/shapes/shapes_commands.h"
#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/shapes/split_list.h"

namespace gemmtune {
namespace {

class ShapesSplitCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("parts", parts_).required().in_range(1, 10000);
    options.add_option("list", list_).required();
    options.add_option("-o,--output", prefix_);
  }

  int run() override {
    const auto list = read_csv(list_);
    const auto parts = split_list(list, list_defaults(list), parts_);
    const auto path_of = [&](std::size_t i) { return fmt::format("{}-{}-of-{}.csv", prefix(), i + 1, parts.size()); };
    for (std::size_t i = 0; i < parts.size(); ++i) refuse_to_overwrite(path_of(i), {list_});
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto path = path_of(i);
      write_file_atomically(path, parts[i].text);
      print_text("{}: {} shapes, about {} to tune\n", path, parts[i].lines, human_duration(parts[i].tuning_seconds));
    }
    return 0;
  }

 private:
  /// Parts keep the list's own name, because it may state the format.
  std::string prefix() const { return prefix_.empty() ? std::filesystem::path(list_).stem().string() : prefix_; }

  std::size_t parts_{};
  std::string list_;
  std::string prefix_;
};

}  // namespace

std::unique_ptr<Command> make_shapes_split_command() { return std::make_unique<ShapesSplitCommand>(); }

}  // namespace gemmtune
