#include <vector>

#include "tests/families/broken/broken_family.h"

namespace gemmtune::broken {

const std::vector<PlantedFault>& planted_faults() {
  static const std::vector<PlantedFault> faults{
      {"right", Harm::none, "no fault"},
      {"right_slow", Harm::none, "right, at a third of the speed"},
      {"prints_to_stdout", Harm::none, "right, and prints garbage lines on file descriptor 1"},
      {"floods_stderr", Harm::none, "right, and prints a megabyte on file descriptor 2 at its first launch"},
      {"slow_answer", Harm::none, "right, after two seconds of sleep in its first launch"},
      {"prepare_refuses", Harm::refused, "prepare says that it cannot"},
      {"prepare_throws", Harm::refused, "prepare fails as a compiler does"},
      {"pack_refuses", Harm::refused, "cannot multiply these weights (problems with packed weights only)"},
      {"needs_huge_workspace", Harm::refused, "asks for more workspace than any machine has"},
      {"reports_failure", Harm::refused, "each launch reports a failure"},
      {"one_element", Harm::wrong, "one element is wrong"},
      {"one_tile", Harm::wrong, "one tile of 16 by 16 is zero"},
      {"k_tail", Harm::wrong, "the last part of K is left out"},
      {"last_row", Harm::wrong, "the last row is not written"},
      {"unwritten_tile", Harm::wrong, "one tile of 16 by 16 is not written"},
      {"wrong_after_first", Harm::wrong, "the first launch is right, later ones have one wrong element"},
      {"writes_first_output", Harm::wrong, "every launch writes to the output of the first"},
      {"ignores_nan_scale", Harm::wrong, "a scale of 255 counts as 1: wrong with NaN scales only"},
      {"drops_one_sign", Harm::wrong, "saturates at sums that random signs do not reach: wrong for one sign only"},
      {"writes_after_end", Harm::memory, "writes a byte after the end of C"},
      {"writes_before_start", Harm::memory, "writes a byte before the start of C"},
      {"workspace_overrun", Harm::memory, "writes a byte after the end of its workspace"},
      {"pack_overrun", Harm::memory, "writes a byte after the end of the packed weights, where weights are packed"},
      {"writes_input", Harm::memory, "changes a byte of A after it has read it"},
      {"segfault", Harm::process, "writes to address 16"},
      {"abort", Harm::process, "calls abort, as a library's assertion does"},
      {"exit", Harm::process, "calls _exit(3)"},
      {"hang", Harm::process, "never returns"},
      {"allocates", Harm::process, "takes memory until there is none; only under a limit on address space"},
  };
  return faults;
}

}  // namespace gemmtune::broken
