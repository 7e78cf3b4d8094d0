#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gemmtune/cli/comma_list.h"
#include "gemmtune/cli/command.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/replay/replay_text.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/json.h"
#include "gemmtune/replay/record_store.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

struct ReplayFlags {
  std::vector<std::string> trials{};
  std::string search{};
  std::string record{};
  std::string output{};
  std::int64_t repeats{ReplayOptions{}.repeats};
  std::uint64_t seed{0};
  bool json{};
  bool verbose{};
};

Recording recording_in(const fs::path& path) {
  if (path.extension() != ".db") return read_recording(path);
  const auto store = TrialStore::open_read_only(path);
  const auto trials = store.all();
  for (const auto& row : store.damaged()) print_note("gemmtune: {}: {}; left out\n", path.string(), to_string(row));
  return recording_of(trials);
}

Recording recording_in(const std::vector<std::string>& paths) {
  Recording all;
  for (const auto& path : paths) {
    auto recording = recording_in(fs::path(path));
    std::ranges::move(recording, std::back_inserter(all));
  }
  if (all.empty()) fail(ErrorCode::input, "no trials in {}", join(paths, ", "));
  return all;
}

std::vector<std::string> chosen_searches(const std::string& text) {
  const auto known = replayable_searches();
  auto searches = comma_list(text);
  for (const auto& search : searches)
    if (std::ranges::find(known, search) == known.end())
      fail(ErrorCode::usage, "--search: found '{}', expected some of {}", search, join(known, ", "));
  return searches.empty() ? known : searches;
}

class ReplayCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("--trials", flags_.trials).required();
    options.add_option("--search", flags_.search);
    options.add_option("--repeats", flags_.repeats).positive();
    options.add_option("--seed", flags_.seed);
    options.add_option("--record", flags_.record);
    options.add_option("-o,--output", flags_.output);
    options.add_flag("--json", flags_.json);
    options.add_flag("-v,--verbose", flags_.verbose);
  }

  int run() override {
    const std::vector<fs::path> inputs(flags_.trials.begin(), flags_.trials.end());
    refuse_to_overwrite(flags_.record, inputs);
    refuse_to_overwrite(flags_.output, inputs);
    const auto recording = recording_in(flags_.trials);
    if (!flags_.record.empty()) return record(recording);
    const auto result =
        replay(recording, {.searches = chosen_searches(flags_.search), .repeats = flags_.repeats, .seed = flags_.seed});
    write(flags_.json ? json_text(replay_json(result)) + '\n'
                      : replay_text(result, flags_.verbose ? ReplayDetail::shapes : ReplayDetail::summary));
    return 0;
  }

 private:
  int record(const Recording& recording) const {
    write_recording(flags_.record, recording);
    std::size_t candidates = 0;
    for (const auto& shape : recording) candidates += shape.candidates.size();
    print_text("{} shapes, {} candidates written to {}\n", recording.size(), candidates, flags_.record);
    return 0;
  }

  void write(const std::string& text) const {
    if (flags_.output.empty())
      write_text(text);
    else
      write_file_atomically(flags_.output, text);
  }

  ReplayFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_replay_command() { return std::make_unique<ReplayCommand>(); }

}  // namespace gemmtune
