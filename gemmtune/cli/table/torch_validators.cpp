#include "gemmtune/cli/table/torch_validators.h"

#include <chrono>
#include <string_view>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/subprocess.h"
#include "gemmtune/core/text.h"
#include "gemmtune/exchange/tunable_op_file.h"

namespace gemmtune {
namespace {

constexpr std::chrono::minutes patience{5};  // importing torch from a cold disk takes long

constexpr const char* question =
    "import torch.cuda.tunable as t\n"
    "for key, value in t.get_validators(): print('Validator', key, value, sep=',')";

}  // namespace

std::vector<Param> validators_in(const std::string& path) {
  auto file = read_tunable_op_file(read_file(path), path);
  if (file.validators.empty()) fail(ErrorCode::input, "{}: found no line of Validator,NAME,VALUE", path);
  return std::move(file.validators);
}

std::vector<Param> validators_of(const std::string& python) {
  Subprocess child({python, "-c", question});
  const auto deadline = std::chrono::steady_clock::now() + patience;
  child.close_stdin();
  std::string text;
  ReadResult line = child.read_line(deadline);
  for (; line.status == ReadStatus::line; line = child.read_line(deadline)) text += line.line + '\n';
  const auto end = line.status == ReadStatus::closed ? child.wait(deadline) : std::nullopt;
  auto file = read_tunable_op_file(text, python);
  if (!end || *end != ExitStatus{} || file.validators.empty())
    fail(ErrorCode::input, "{}: its PyTorch did not say its validators ({}): {}", python,
         end ? end->describe() : "no answer", trim(child.stderr_tail()));
  return std::move(file.validators);
}

}  // namespace gemmtune
