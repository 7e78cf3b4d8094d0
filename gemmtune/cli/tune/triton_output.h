// What `gemmtune tune` has to do with Triton's configuration files: it writes its winners as such files, and it starts
// the search from such files.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/cli/tune/tune_options.h"
#include "gemmtune/table/guess_format.h"
#include "gemmtune/table/triton/triton_rows.h"
#include "gemmtune/table/tuned_table.h"

namespace gemmtune {

class TritonOutput {
 public:
  /// Reads the files of --triton_configs, and says on stderr what is not used. Throws Error: usage for keys that are
  /// unknown, input for files that cannot be read.
  TritonOutput(const TuneFlags& flags, const FormatGuess& format, const std::string& arch);

  /// Whether the search has to be restricted to what files can state.
  bool writes() const { return !folder_.empty(); }
  bool adjusts() const { return writes() || !known_.empty(); }

  /// Without candidates that no file can state, if files are written. The candidate of the known file for this problem
  /// is the default choice: it is tried first, and the winner is compared with it.
  std::vector<Candidate> adjusted(const Problem& problem, std::vector<Candidate> candidates) const;

  /// One file for each N and K of the table's Triton kernels, and the default file. Entries of files that are there
  /// already stay if the table says nothing about their M. Returns lines that say what was written.
  std::string write(const TunedTable& table) const;

 private:
  std::string folder_;
  TritonKeys keys_{};
  TritonName kernel_;
  std::vector<NamedTritonFile> known_;
};

}  // namespace gemmtune
