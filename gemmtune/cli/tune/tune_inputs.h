// The inputs of a tuning run: the shapes to tune, the shapes that are left out and why, and the existing table.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gemmtune/cli/tune/tune_options.h"
#include "gemmtune/cli/worker/roster.h"
#include "gemmtune/device/device_info.h"
#include "gemmtune/shapes/shape_list.h"
#include "gemmtune/table/guess_format.h"
#include "gemmtune/table/shared_table.h"
#include "gemmtune/table/tuned_table.h"

namespace gemmtune {

struct SkippedShape {
  Shape shape{};
  std::string reason{};
};

/// What a run's table is for, and the schema in which a new one is written.
struct TableChoice {
  Format format{Format::a16w16};
  bool states_problems{};  // the list says each problem whole
  bool is_mixed{};         // and they are of several formats
  Schema schema{Schema::seed};
};

struct TuneInputs {
  FormatGuess format{};  // of the list
  std::filesystem::path output{};
  TableChoice choice{};
  TunedTable table{};  // the present contents of `output`
  std::vector<Shape> shapes{};
  std::vector<SkippedShape> too_large{};
  std::vector<SkippedShape> already_tuned{};
  std::vector<RejectedLine> rejected{};
  std::vector<std::string> notes{};  // what was guessed or ignored, for the user
};

/// Why a row of a table must not be trusted; "" when it can be trusted.
using RowJudge = std::function<std::string(const TunedRow& row)>;

/// Asks the families: a kernel that was chosen with another version of a library is outdated. The kernel's name says
/// the version, or the column `library` does.
RowJudge families_judge(const Roster& roster);

/// Throws Error{usage} if neither a list nor a model is named.
void insist_on_a_list(const TuneFlags& flags);

/// The list: a file, or the shapes of a model (--model_dir) as they would be listed. Throws Error{input} for what
/// cannot be read.
CsvDocument list_of(const TuneFlags& flags);

/// The format that the user asked for, or the format guessed from the list. Throws Error: usage when neither is known,
/// input for a list without a header.
FormatGuess format_for(const TuneFlags& flags, const CsvDocument& list);

/// The table as rows of this device can be written to it. A table without gfx says its devices by their number of
/// compute units, which only AMD's rule explains: it gets the column if it has no rows yet, and is refused with
/// Error{usage} if it has some, unless the rule tells this device.
TunedTable fit_for(TunedTable table, const DeviceInfo& device, const std::filesystem::path& path);

/// The table that a run writes: the first of tuned_paths(), made fit for the device.
SharedTable shared_table(const TuneFlags& flags, const DeviceInfo& device, const TableChoice& choice);

/// Reads the shape list and the tables. Shapes whose rows are outdated are to be tuned, and a note says so. Throws
/// Error: usage when the format is not clear and when the table cannot tell two shapes or this device from others,
/// input for unreadable files.
TuneInputs read_inputs(const TuneFlags& flags, const DeviceInfo& device, const RowJudge& why_outdated);

}  // namespace gemmtune
