#include "gemmtune/cli/tune/triton_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/table/triton_inputs.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/triton/triton_params.h"
#include "gemmtune/table/triton/triton_table.h"
#include "gemmtune/table/triton/triton_tag.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

bool is_triton(const Candidate& candidate) { return candidate.family == triton_family_name; }

/// The candidate of this name becomes the default choice, whether the family lists it or not.
void make_default(std::vector<Candidate>& candidates, const std::string& name) {
  const auto first = std::ranges::find_if(candidates, is_triton);
  if (first == candidates.end()) return;
  for (auto& candidate : candidates)
    if (is_triton(candidate)) candidate.is_default = false;
  const auto same = std::ranges::find(candidates, name, &Candidate::name);
  Candidate chosen{.family = std::string(triton_family_name), .name = name};
  if (same != candidates.end()) {
    chosen = *same;
    candidates.erase(same);
  }
  chosen.is_default = true;
  candidates.insert(std::ranges::find_if(candidates, is_triton), std::move(chosen));
}

std::string keys_text(const TritonFile& file) {
  std::vector<std::string> keys;
  for (const auto& entry : file.entries) keys.push_back(entry.key);
  return join(keys, ", ");
}

}  // namespace

TritonOutput::TritonOutput(const TuneFlags& flags, const FormatGuess& format, const std::string& arch)
    : folder_(flags.triton_json),
      keys_(chosen_triton_keys(flags)),
      kernel_(triton_kernel_of(format.format, format.packed)),
      known_(read_triton_files(flags.triton_configs)) {
  if (format.is_mixed && (writes() || !known_.empty()))
    fail(ErrorCode::usage,
         "--emit_triton_json, --triton_configs: Triton's files are for one format, and the list has several");
  kernel_.device = triton_device(arch);
  const auto is_used = [&](const NamedTritonFile& named) { return without_sizes(named.name) == kernel_; };
  const auto all = known_.size();
  std::erase_if(known_, [&](const NamedTritonFile& named) { return !is_used(named); });
  if (known_.size() < all)
    print_note("--triton_configs: {} of {} files are not for {}\n", all - known_.size(), all,
               triton_file_name(kernel_));
}

std::vector<Candidate> TritonOutput::adjusted(const Problem& problem, std::vector<Candidate> candidates) const {
  if (writes())
    std::erase_if(candidates, [](const Candidate& candidate) {
      return is_triton(candidate) && !parts_beyond_files(candidate.name).empty();
    });
  if (const auto params = known_params(known_, kernel_, problem))
    if (const auto name = candidate_of_params(*params); !name.empty()) make_default(candidates, name);
  return candidates;
}

std::string TritonOutput::write(const TunedTable& table) const {
  const auto found = triton_rows(table, kernel_);
  auto made = triton_files(found.rows, keys_);
  made.left_out.insert(made.left_out.end(), found.left_out.begin(), found.left_out.end());
  name_left_out(made.left_out);
  if (made.files.empty()) return "no Triton configuration files: the table has no Triton kernel\n";
  fs::create_directories(folder_);
  std::string text;
  for (auto& [name, file] : made.files) {
    const auto path = fs::path(folder_) / triton_file_name(name);
    if (fs::exists(path)) file = merged(read_triton_json(path), file);
    write_file_atomically(path, triton_json_text(file));
    text += fmt::format("{}: {}\n", path.string(), keys_text(file));
  }
  return text;
}

}  // namespace gemmtune
