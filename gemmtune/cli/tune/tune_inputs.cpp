#include "gemmtune/cli/tune/tune_inputs.h"

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "gemmtune/cli/format_option.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/families/registry.h"
#include "gemmtune/shapes/model_shapes.h"
#include "gemmtune/shapes/shape_csv.h"
#include "gemmtune/table/aiter_csv.h"
#include "gemmtune/table/sheet/known_columns.h"

namespace gemmtune {
namespace {

using Families = std::vector<std::unique_ptr<KernelFamily>>;

bool has_gfx(const TunedTable& table) {
  return std::ranges::find(table.columns, Field::gfx, &Column::field) != table.columns.end();
}

/// Whether the table's rows can be of this device: it says gfx, or AMD's rule follows from the number of units.
bool says_device(const TunedTable& table, const DeviceInfo& device) {
  return has_gfx(table) || gfx_of(std::to_string(device.cu_num)) == without_features(device.arch);
}

class InputReader {
 public:
  InputReader(const TuneFlags& flags, const DeviceInfo& device, const RowJudge& why_outdated)
      : flags_(flags), device_(device), why_outdated_(why_outdated) {}

  TuneInputs read() {
    const auto document = list_of(flags_);
    const auto guess = format_for(flags_, document);
    const bool states_problems = document.column("problem").has_value();
    inputs_.choice = {.format = guess.format,
                      .states_problems = states_problems,
                      .is_mixed = guess.is_mixed,
                      .schema = chosen_schema(flags_).value_or(states_problems ? Schema::gemmtune : Schema::seed)};
    inputs_.notes.push_back(
        guess.is_mixed ? fmt::format("{} has shapes of several formats: {}", document.source, guess.because)
                       : fmt::format("{} is read as {}: {}", document.source, to_string(guess.format), guess.because));
    inputs_.format = guess;
    read_tables();
    auto list = read_shapes(document, defaults_of(guess));
    inputs_.rejected = std::move(list.rejected);
    if (!list.ignored_columns.empty())
      inputs_.notes.push_back(fmt::format("columns not used: {}", join(list.ignored_columns, ", ")));
    for (auto& shape : list.shapes) sort_in_with_variants(std::move(shape));
    note_outdated();
    return std::move(inputs_);
  }

 private:
  void read_tables() {
    const auto paths = tuned_paths(flags_);
    for (const auto& path : paths) {
      const bool is_output = &path == &paths.front();
      tables_.push_back(is_output ? shared_table(flags_, device_, inputs_.choice).read()
                                  : read_tuned_table(path, inputs_.choice.format, inputs_.choice.schema));
      note_if_empty(path);
      if (const auto& lines = tables_.back().unusable_lines; !lines.empty())
        inputs_.notes.push_back(fmt::format("{}: {} lines cannot be used and are kept as they are, the first: {}: {}",
                                            path.string(), lines.size(), lines.front().where, lines.front().reason));
    }
    inputs_.output = paths.front();
    inputs_.table = tables_.front();
    for (const auto& table : tables_) rows_.emplace_back(table);
  }

  /// The first table may be empty, since it is the one to be written.
  void note_if_empty(const std::filesystem::path& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (tables_.size() > 1 && !error && size == 0)
      inputs_.notes.push_back(fmt::format("{} is empty, and says nothing", path.string()));
  }

  void sort_in_with_variants(Shape shape) {
    auto other = shape;
    other.problem.epilogue.bias = !shape.problem.epilogue.bias;
    sort_in(std::move(shape));
    if (flags_.all_bias && !keys_.contains(as_read_back(inputs_.table, other.problem))) sort_in(std::move(other));
  }

  void sort_in(Shape shape) {
    shape.problem = with_types(shape.problem, flags_);
    if (const auto why = why_invalid(shape.problem); !why.empty()) {
      inputs_.rejected.push_back({shape.where + ":1", why});
      return;
    }
    insist_on_the_tables_format(shape.problem);
    note_what_the_table_cannot_say(shape.problem);
    insist_on_own_key(shape.problem);
    if (const auto gflop = flops(shape.problem) / 1e9; flags_.max_gflop && gflop > *flags_.max_gflop)
      inputs_.too_large.push_back(
          {std::move(shape), fmt::format("{:.3g} GFLOP, above --max-gflop {}", gflop, *flags_.max_gflop)});
    else if (const auto path = table_that_has(shape.problem); !path.empty() && !flags_.all)
      inputs_.already_tuned.push_back({std::move(shape), "already in " + path});
    else
      inputs_.shapes.push_back(std::move(shape));
  }

  std::string table_that_has(const Problem& problem) {
    const TunedRow wanted{.gfx = device_.arch, .cu_num = device_.cu_num, .problem = problem};
    std::string outdated;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const auto* row = says_device(tables_[i], device_) ? rows_[i].find(wanted) : nullptr;
      if (row == nullptr) continue;
      const auto why = why_outdated_(*row);
      if (why.empty()) return tuned_paths(flags_)[i].string();
      outdated = fmt::format("{}: {}", row->kernel_name, why);
    }
    if (!outdated.empty() && !flags_.all) outdated_.push_back(std::move(outdated));
    return {};
  }

  void note_outdated() {
    if (outdated_.empty()) return;
    inputs_.notes.push_back(fmt::format("{} shapes are tuned again, since their rows are outdated, the first {}",
                                        outdated_.size(), outdated_.front()));
  }

  /// Its row would be read as one of the table's format. Batched tables have batches of one too.
  void insist_on_the_tables_format(const Problem& problem) const {
    const auto format = format_of(problem);
    const bool is_batched =
        inputs_.choice.format == Format::batched_a16w16 || inputs_.choice.format == Format::batched_a8w8;
    if (!inputs_.choice.states_problems || states_problems(inputs_.table.columns) || is_batched ||
        format == inputs_.choice.format)
      return;
    fail(
        ErrorCode::usage,
        "{}: its rows are read as {}, so it has no place for {}: write another table, or give it the columns of schema "
        "gemmtune with gemmtune table convert --schema gemmtune {} -o OTHER",
        inputs_.output.string(), to_string(inputs_.choice.format), to_string(problem), inputs_.output.string());
  }

  /// The row of one would overwrite the row of the other.
  void insist_on_own_key(const Problem& problem) {
    const auto [known, is_new] = keys_.emplace(as_read_back(inputs_.table, problem), problem);
    if (is_new || known->second == problem) return;
    fail(ErrorCode::usage, "{} and {} have the same key in a table of {} ({}): {}", to_string(known->second),
         to_string(problem), to_string(inputs_.table.format), header_text(inputs_.table.columns),
         way_out(known->second, problem));
  }

  /// Rows of schema gemmtune say their problem whole.
  std::string way_out(const Problem& a, const Problem& b) const {
    auto way = Schema::gemmtune;
    for (const auto schema : {Schema::today, Schema::seed}) {
      const auto table = empty_table(inputs_.table.format, schema);
      if (as_read_back(table, a) != as_read_back(table, b)) way = schema;
    }
    return fmt::format("write one of schema {} (--schema {})", to_string(way), to_string(way));
  }

  void note_what_the_table_cannot_say(const Problem& problem) {
    if (!says_layout_and_epilogue(inputs_.table, problem))
      fail(ErrorCode::usage,
           "the table has no columns for the layout and the epilogue of {}: write one of schema gemmtune (--schema "
           "gemmtune)",
           to_string(problem));
    const auto read_back = as_read_back(inputs_.table, problem);
    if (noted_ || read_back == problem) return;
    noted_ = true;
    inputs_.notes.push_back(fmt::format("a table of {} has no column for all that was asked: the row of {} reads as {}",
                                        to_string(inputs_.table.format), to_string(problem), to_string(read_back)));
  }

  const TuneFlags& flags_;
  const DeviceInfo& device_;
  const RowJudge& why_outdated_;
  std::vector<TunedTable> tables_;
  std::vector<TunedRows> rows_;  // of each
  std::vector<std::string> outdated_;
  std::map<Problem, Problem> keys_;  // by what a row would be read back as
  TuneInputs inputs_;
  bool noted_{};
};

}  // namespace

TunedTable fit_for(TunedTable table, const DeviceInfo& device, const std::filesystem::path& path) {
  if (says_device(table, device)) return table;
  if (!table.rows.empty() || !table.unusable_lines.empty())
    fail(ErrorCode::usage,
         "{} has no column gfx, so rows of {} would be read as those of another device with {} units: write another "
         "table, or, if they are of this device, add the column with gemmtune table convert --schema today --gfx {}",
         path.string(), device.arch, device.cu_num, device.arch);
  table.columns.insert(table.columns.begin(), {.name = "gfx", .field = Field::gfx});
  return table;
}

void insist_on_a_list(const TuneFlags& flags) {
  if (flags.model_dir.empty() && flags.untune_file.empty())
    fail(ErrorCode::usage, "no shapes: name a list (-i LIST), or a model's folder (--model_dir DIR)");
}

CsvDocument list_of(const TuneFlags& flags) {
  if (flags.model_dir.empty()) return read_csv(flags.untune_file);
  const auto json = read_model_json(flags.model_dir);
  const auto model = parse_model_config(json, flags.model_dir);
  ModelRequest request{.tensor_parallel = flags.tensor_parallel};
  for (const auto rows : flags.model_rows) request.m.push_back(rows * flags.model_batch);
  const auto made = model_shapes(model, model_format(json, model, flags.format), request);
  return parse_csv(shape_list_text(made.shapes), flags.model_dir);
}

FormatGuess format_for(const TuneFlags& flags, const CsvDocument& list) {
  insist_on_header(list);
  const auto guess = guess_format(list);
  if (const auto format = chosen_format(flags); format && flags.model_dir.empty()) {
    const bool same = guess && guess->format == *format;
    return {.format = *format, .packed = same && guess->packed, .because = "it was asked for"};
  }
  if (guess) return *guess;
  fail(ErrorCode::usage, "{}: neither its name nor its columns say which format it is for: add --format with one of {}",
       list.source, all_format_names());
}

SharedTable shared_table(const TuneFlags& flags, const DeviceInfo& device, const TableChoice& choice) {
  const auto path = tuned_paths(flags).front();
  const auto fit = [device, path, choice](TunedTable table) {
    const bool is_new = table.rows.empty() && table.unusable_lines.empty();
    if (choice.is_mixed && is_new) table.columns = columns_for_any_format();
    return fit_for(std::move(table), device, path);
  };
  return {path, {.format = choice.format, .schema = choice.schema, .sort = sorts(flags), .fit = fit}};
}

RowJudge families_judge(const Roster& roster) {
  const auto families = std::make_shared<Families>(make_families());
  return [families, versions = roster.versions()](const TunedRow& row) {
    const auto own = std::ranges::find(*families, row.libtype, [](const auto& family) { return family->name(); });
    if (own != families->end())
      if (auto why = (*own)->why_outdated(row.kernel_name); !why.empty()) return why;
    const auto version = versions.find(row.libtype);
    if (version == versions.end()) return std::string();
    const auto now = library_text(row.libtype, version->second);
    if (row.origin.library.empty() || row.origin.library == now) return std::string();
    return fmt::format("it was tuned with {}, here is {}", row.origin.library, now);
  };
}

TuneInputs read_inputs(const TuneFlags& flags, const DeviceInfo& device, const RowJudge& why_outdated) {
  return InputReader(flags, device, why_outdated).read();
}

}  // namespace gemmtune
