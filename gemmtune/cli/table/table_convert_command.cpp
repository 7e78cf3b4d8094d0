#include <fmt/format.h>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/table/table_commands.h"
#include "gemmtune/cli/table/table_inputs.h"
#include "gemmtune/cli/table/table_output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/table/sheet/convert.h"
#include "gemmtune/table/sheet/layout.h"
#include "gemmtune/table/sheet/merge.h"

namespace gemmtune {
namespace {

class TableConvertCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("tables", tables_).required();
    output_.declare(options);
    options.add_option("--schema", schema_).required();
    options.add_option("--format", family_);
    options.add_option("--gfx", conversion_.gfx);
    options.add_option("--cu_num,--cu-num", conversion_.cu_num);
  }

  int run() override {
    output_.insist_on_new_file(tables_);
    const auto conversion = this->conversion();
    std::vector<Sheet> sheets;
    for (const auto& sheet : read_sheets(tables_)) {
      auto [converted_sheet, notes] = converted(sheet, conversion);
      for (const auto& note : notes) print_note("{}\n", note);
      sheets.push_back(std::move(converted_sheet));
    }
    insist_on_comparable(sheets);
    output_.write(concatenated(sheets));
    return 0;
  }

 private:
  Conversion conversion() const {
    auto conversion = conversion_;
    const auto schema = parse_schema(schema_);
    if (!schema) fail(ErrorCode::usage, "--schema: found '{}', expected seed, today or gemmtune", schema_);
    conversion.schema = *schema;
    if (family_.empty()) return conversion;
    conversion.family = find_family(family_);
    if (conversion.family == nullptr)
      fail(ErrorCode::usage, "--format: found '{}', expected a family of tables, as a8w8_blockscale or fmoe", family_);
    return conversion;
  }

  std::vector<std::string> tables_;
  TableOutput output_;
  Conversion conversion_;
  std::string schema_;
  std::string family_;
};

}  // namespace

std::unique_ptr<Command> make_table_convert_command() { return std::make_unique<TableConvertCommand>(); }

}  // namespace gemmtune
