#include <fmt/format.h>

#include "gemmtune/cli/command.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/gemm/format.h"
#include "gemmtune/gemm/operands.h"

namespace gemmtune {
namespace {

std::string description(const Problem& problem) {
  const auto format = format_of(problem);
  const auto sizes = operand_sizes(problem);
  auto text = fmt::format("{}\n", to_string(problem));
  text += fmt::format("format      {}\n", format ? to_string(*format) : "none with a name");
  text += fmt::format("operations  {:.4g} GFLOP\n", flops(problem) / 1e9);
  text += fmt::format("bytes       {} moved, {:.4g} operations a byte\n", sizes.total(),
                      flops(problem) / moved_bytes(problem));
  text += fmt::format("  A         {} and {} of scales\n", sizes.a, sizes.a_scale);
  text += fmt::format("  weights   {} and {} of scales\n", sizes.w, sizes.w_scale);
  if (problem.epilogue.bias) text += fmt::format("  bias      {}\n", sizes.bias);
  return text + fmt::format("  C         {}\n", sizes.c);
}

class ProblemCommand final : public Command {
 public:
  void declare(Options& options) override { options.add_option("problem", text_).required(); }

  int run() override {
    print_text("{}", description(parse_problem(text_)));
    return 0;
  }

 private:
  std::string text_;
};

}  // namespace

std::unique_ptr<Command> make_problem_command() { return std::make_unique<ProblemCommand>(); }

}  // namespace gemmtune
