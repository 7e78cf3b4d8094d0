#include "gemmtune/cli/tune/tune_inputs.h"

#include <algorithm>
#include <map>
#include <memory>
#include <span>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/families/registry.h"
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
    const auto guess = format_for(flags_);
    inputs_.notes.push_back(
        fmt::format("{} is read as {}: {}", flags_.untune_file, to_string(guess.format), guess.because));
    inputs_.format = guess;
    read_tables(guess.format);
    auto list = read_shapes(flags_.untune_file, defaults_of(guess));
    inputs_.rejected = std::move(list.rejected);
    if (!list.ignored_columns.empty())
      inputs_.notes.push_back(fmt::format("columns not used: {}", join(list.ignored_columns, ", ")));
    for (auto& shape : list.shapes) sort_in(std::move(shape));
    note_outdated();
    return std::move(inputs_);
  }

 private:
  void read_tables(Format format) {
    const auto paths = tuned_paths(flags_);
    for (const auto& path : paths) {
      tables_.push_back(read_tuned_table(path, format, chosen_schema(flags_)));
      note_if_empty(path);
      if (const auto& lines = tables_.back().unusable_lines; !lines.empty())
        inputs_.notes.push_back(fmt::format("{}: {} lines cannot be used and are kept as they are, the first: {}: {}",
                                            path.string(), lines.size(), lines.front().where, lines.front().reason));
    }
    inputs_.output = paths.front();
    tables_.front() = fit_for(tables_.front(), device_, inputs_.output);
    inputs_.table = tables_.front();
  }

  /// The first table may be empty, since it is the one to be written.
  void note_if_empty(const std::filesystem::path& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (tables_.size() > 1 && !error && size == 0)
      inputs_.notes.push_back(fmt::format("{} is empty, and says nothing", path.string()));
  }

  void sort_in(Shape shape) {
    shape.problem = with_types(shape.problem, flags_);
    if (const auto why = why_invalid(shape.problem); !why.empty()) {
      inputs_.rejected.push_back({shape.where + ":1", why});
      return;
    }
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
      const auto row = says_device(tables_[i], device_) ? find_tuned(tables_[i], wanted) : std::nullopt;
      if (!row) continue;
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

  /// The row of one would overwrite the row of the other.
  void insist_on_own_key(const Problem& problem) {
    const auto [known, is_new] = keys_.emplace(as_read_back(inputs_.table, problem), problem);
    if (is_new || known->second == problem) return;
    fail(ErrorCode::usage, "{} and {} have the same key in a table of {} ({}): {}", to_string(known->second),
         to_string(problem), to_string(inputs_.table.format), header_text(inputs_.table.columns),
         way_out(known->second, problem));
  }

  std::string way_out(const Problem& a, const Problem& b) const {
    for (const auto schema : {Schema::seed, Schema::today, Schema::gemmtune}) {
      const auto table = empty_table(inputs_.table.format, schema);
      if (as_read_back(table, a) != as_read_back(table, b))
        return fmt::format("write one of schema {} (--schema {})", to_string(schema), to_string(schema));
    }
    return "no schema of this format tells them apart, so tune them into two tables";
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

namespace {

std::string names_of(std::span<const Format> formats) {
  std::vector<std::string> names;
  for (const auto format : formats) names.emplace_back(to_string(format));
  return join(names, ", ");
}

}  // namespace

FormatGuess format_for(const TuneFlags& flags) {
  const auto guess = guess_format(flags.untune_file);
  if (const auto format = chosen_format(flags)) {
    const bool same = guess && guess->format == *format;
    return {.format = *format, .packed = same && guess->packed, .because = "it was asked for"};
  }
  if (guess) return *guess;
  if (const auto formats = formats_of_problems(flags.untune_file); formats.size() > 1)
    fail(ErrorCode::usage,
         "{}: its problems are of several formats ({}), and a table is of one: put those of each format into a list of "
         "their own",
         flags.untune_file, names_of(formats));
  fail(ErrorCode::usage, "{}: neither its name nor its columns say which format it is for: add --format with one of {}",
       flags.untune_file, names_of(all_formats()));
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
