#include "gemmtune/trials/absorb.h"

#include "gemmtune/trials/schema.h"

namespace gemmtune {
namespace {

// Rows of the other store refer to its own ids. What names a row (a problem's text, a context's identity) is equal in
// both stores, and leads from one id to the other.
constexpr const char* names = R"sql(
INSERT OR IGNORE INTO main.problems (text, m, n, k, batch)
  SELECT text, m, n, k, batch FROM other.problems WHERE text IN (SELECT text FROM temp.wanted);
INSERT OR IGNORE INTO main.candidates (family, name, params, split_k)
  SELECT family, name, params, split_k FROM other.candidates;
INSERT OR IGNORE INTO main.devices (description, kind, device_index, name, arch, cu_num, last_level_cache_bytes,
                                    memory_bytes, features, driver, libraries)
  SELECT description, kind, device_index, name, arch, cu_num, last_level_cache_bytes, memory_bytes, features, driver,
         libraries FROM other.devices;
INSERT OR IGNORE INTO main.contexts (identity, family_version, policy_stage, warmup, min_samples, max_samples,
    max_sampling_s, target_dispersion, keep_samples, cold_cache, err_ratio_limit, atol, rtol, full_reference_flops,
    seed, cold_instructions)
  SELECT identity, family_version, policy_stage, warmup, min_samples, max_samples, max_sampling_s, target_dispersion,
         keep_samples, cold_cache, err_ratio_limit, atol, rtol, full_reference_flops, seed, cold_instructions
  FROM other.contexts;
)sql";

// A trial that was copied before has the same time, to the second, and the same numbers. A crash that was lifted there
// says nothing any more.
constexpr const char* trials = R"sql(
INSERT INTO main.trials (time_utc, problem_id, candidate_id, library_id, context_id, device_id, stage, outcome, reason,
    median_us, min_us, mean_us, low_us, high_us, dispersion, sample_count, samples_us, turns, pack_us, packed_bytes,
    workspace_bytes, clock_mhz, throttled, err_ratio, worst_error, worst_share_of_bound, unwritten, checked,
    guards_intact, kernel_s, prepare_s, operands_s, reference_s, verify_s)
  SELECT t.time_utc, p.id, c.id, t.library_id, x.id, d.id, t.stage, t.outcome, t.reason,
    t.median_us, t.min_us, t.mean_us, t.low_us, t.high_us, t.dispersion, t.sample_count, t.samples_us, t.turns,
    t.pack_us, t.packed_bytes, t.workspace_bytes, t.clock_mhz, t.throttled, t.err_ratio, t.worst_error,
    t.worst_share_of_bound, t.unwritten, t.checked, t.guards_intact, t.kernel_s, t.prepare_s, t.operands_s,
    t.reference_s, t.verify_s
  FROM other.trials t
  JOIN other.problems op ON op.id = t.problem_id JOIN main.problems p ON p.text = op.text
  JOIN temp.wanted w ON w.text = op.text
  JOIN other.candidates oc ON oc.id = t.candidate_id JOIN main.candidates c ON c.family = oc.family AND c.name = oc.name
  JOIN other.contexts ox ON ox.id = t.context_id JOIN main.contexts x ON x.identity = ox.identity
  JOIN other.devices od ON od.id = t.device_id JOIN main.devices d ON d.description = od.description
  WHERE NOT EXISTS (SELECT 1 FROM main.trials k
      WHERE k.problem_id = p.id AND k.candidate_id = c.id AND k.context_id = x.id AND k.stage = t.stage
        AND k.time_utc = t.time_utc AND k.outcome = t.outcome AND k.median_us IS t.median_us
        AND k.samples_us = t.samples_us AND k.kernel_s IS t.kernel_s AND k.verify_s IS t.verify_s)
    AND NOT (t.outcome IN ('crashed', 'timed_out') AND EXISTS (SELECT 1 FROM other.lifts l
      WHERE l.problem_id = t.problem_id AND l.candidate_id = t.candidate_id
        AND l.device = od.name || ' (' || od.arch || ')' AND l.last_trial >= t.id))
  ORDER BY t.id;
)sql";

constexpr const char* quarantine = R"sql(
INSERT OR IGNORE INTO main.quarantine (time_utc, device, problem_id, candidate_id, outcome, reason, reproducer)
  SELECT q.time_utc, q.device, p.id, c.id, q.outcome, q.reason, q.reproducer
  FROM other.quarantine q
  JOIN other.problems op ON op.id = q.problem_id JOIN main.problems p ON p.text = op.text
  JOIN temp.wanted w ON w.text = op.text
  JOIN other.candidates oc ON oc.id = q.candidate_id JOIN main.candidates c ON c.family = oc.family AND c.name = oc.name
  ORDER BY q.id;
)sql";

void note_wanted(SQLite::Database& database, const std::set<Problem>& only) {
  database.exec("CREATE TEMP TABLE IF NOT EXISTS wanted (text TEXT PRIMARY KEY)");
  database.exec("DELETE FROM temp.wanted");
  if (only.empty()) database.exec("INSERT INTO temp.wanted SELECT text FROM other.problems");
  SQLite::Statement insert(database, "INSERT OR IGNORE INTO temp.wanted VALUES (?)");
  for (const auto& problem : only) {
    insert.bind(1, to_string(problem));
    insert.exec();
    insert.reset();
  }
}

void insist_on_same_version(SQLite::Database& database, const std::filesystem::path& from) {
  const int version = database.execAndGet("PRAGMA other.user_version");
  if (version != schema_version)
    fail(ErrorCode::input, "the trials store {} has schema version {}, this gemmtune copies from version {}",
         from.string(), version, schema_version);
}

Absorbed copy(SQLite::Database& database, const std::set<Problem>& only) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  note_wanted(database, only);
  database.exec(names);
  const auto before = database.getTotalChanges();
  database.exec(trials);
  const auto between = database.getTotalChanges();
  database.exec(quarantine);
  const auto after = database.getTotalChanges();
  transaction.commit();
  return {.trials = between - before, .quarantined = after - between};
}

/// The other store, for as long as this lives.
class Attached {
 public:
  Attached(SQLite::Database& database, const std::filesystem::path& from) : database_(database) {
    SQLite::Statement attach(database_, "ATTACH DATABASE ? AS other");
    attach.bind(1, std::filesystem::absolute(from).string());
    attach.exec();
  }
  ~Attached() {
    try {
      database_.exec("DETACH DATABASE other");
    } catch (const SQLite::Exception&) {  // the connection ends it
    }
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

 private:
  SQLite::Database& database_;
};

}  // namespace

Absorbed absorb_store(Connection& connection, const std::filesystem::path& from, const std::set<Problem>& only) {
  auto& database = connection.database();
  const Attached attached(database, from);
  insist_on_same_version(database, from);
  return copy(database, only);
}

}  // namespace gemmtune
