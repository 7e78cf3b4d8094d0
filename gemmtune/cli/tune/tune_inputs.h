// What a tuning run starts from: the shapes to tune, those left out and why, and the table so far.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gemmtune/cli/tune/tune_options.h"
#include "gemmtune/device/device_info.h"
#include "gemmtune/shapes/shape_list.h"
#include "gemmtune/table/guess_format.h"
#include "gemmtune/table/tuned_table.h"

namespace gemmtune {

struct SkippedShape {
  Shape shape{};
  std::string reason{};
};

struct TuneInputs {
  std::filesystem::path output{};
  TunedTable table{};  // what `output` holds
  std::vector<Shape> shapes{};
  std::vector<SkippedShape> too_large{};
  std::vector<SkippedShape> already_tuned{};
  std::vector<RejectedLine> rejected{};
  std::vector<std::string> notes{};  // what was guessed or ignored, to be said aloud
};

/// Why a table's row is not to be trusted, by its libtype and kernel's name; "" when it is.
using RowJudge = std::function<std::string(const std::string& libtype, const std::string& kernel_name)>;

/// Judges as the families of this build do: kernels chosen with another version of a library are outdated.
RowJudge families_judge();

/// The names of this build's families.
std::vector<std::string> known_families();

/// The format of the list that was asked for or, failing that, guessed. Throws Error{usage} when it is not clear.
FormatGuess format_for(const TuneFlags& flags);

/// Reads the shape list and the tables. Shapes whose rows are outdated are to be tuned, and a note says so. Throws
/// Error: usage when the format is not clear, input for unreadable files.
TuneInputs read_inputs(const TuneFlags& flags, const DeviceInfo& device, const RowJudge& why_outdated);

}  // namespace gemmtune
