// Any bytes in any cell of a trial store: the row is skipped and named, or read. The first byte chooses the cell.
#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "gemmtune/core/error.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/trials/store.h"

namespace {

using namespace gemmtune;

constexpr std::array cells{
    "trials.samples_us", "trials.turns",          "trials.stage",       "trials.outcome",    "trials.reason",
    "trials.median_us",  "trials.sample_count",   "trials.time_utc",    "problems.text",     "candidates.params",
    "candidates.name",   "candidates.split_k",    "devices.kind",       "devices.features",  "devices.libraries",
    "devices.name",      "contexts.policy_stage", "quarantine.outcome", "quarantine.device", "run_results.winner",
    "runs.state"};

/// A store with one row in each table, which ends with the process.
class Victim {
 public:
  Victim() {
    folder_ = (std::filesystem::temp_directory_path() / "gemmtune-fuzz-XXXXXX").string();
    if (::mkdtemp(folder_.data()) == nullptr) std::abort();
    auto store = TrialStore::open(path());
    const auto problem = parse_problem("64x64x64:f32:f32:f32");
    const Candidate candidate{.family = "toy", .name = "toy_1"};
    store.add(problem, Evaluation{.candidate = candidate}, {});
    store.quarantine({.device = "a device", .problem = problem, .candidate = candidate});
    store.add_result(store.begin_run("gemmtune tune", 1), {.problem = problem});
  }
  ~Victim() { std::filesystem::remove_all(folder_); }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  void damage(const std::string& cell, const std::string& value) {
    const auto dot = cell.find('.');
    SQLite::Database database(path(), SQLite::OPEN_READWRITE);
    database.exec("PRAGMA synchronous = OFF");
    SQLite::Statement update(database, "UPDATE " + cell.substr(0, dot) + " SET " + cell.substr(dot + 1) + " = ?");
    update.bind(1, value);
    update.exec();
  }

  std::string path() const { return folder_ + "/store.db"; }

 private:
  std::string folder_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static Victim victim;
  const std::string cell = cells[data[0] % cells.size()];
  victim.damage(cell, {reinterpret_cast<const char*>(data) + 1, size - 1});
  try {
    const auto store = TrialStore::open_read_only(victim.path());
    for (const auto& fault : store.check())
      if (!is_visible(fault)) std::abort();
    if (store.all().size() + store.quarantined().size() + store.results(1).size() + store.damaged().size() < 3)
      std::abort();
  } catch (const Error&) {
    std::abort();  // one cell never costs the store
  }
  return 0;
}
