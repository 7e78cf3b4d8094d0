// Who computes in this run, beside gemmtune's own worker: the workers that --worker gives by a command, and those of
// workers.toml whose families are asked for. And with that all families that can be named.
//
// Not: the evaluators of a run, which are started for each of its devices (worker_factory.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/worker/named_worker.h"

namespace gemmtune {

/// What the user asks for.
struct RosterRequest {
  std::vector<std::string> commands{};  // of --worker
  std::string families{};               // of --libtype or --families: a comma list
  std::string device_id{};              // on which the workers are tried
};

class Roster {
 public:
  /// gemmtune's own families alone.
  Roster();

  /// Starts each worker once, to learn its families and their versions. A worker of workers.toml that cannot start is
  /// left out, with a warning in one line, and one whose families a command of --worker offers is not started. Throws
  /// Error{no_device} if a command of --worker cannot start, or if none of the families that were asked for is left;
  /// Error{usage} if two commands offer the same family, or one offers a family of gemmtune's own.
  explicit Roster(const RosterRequest& request);

  /// The workers beside gemmtune's own.
  const std::vector<NamedWorker>& workers() const { return workers_; }

  /// gemmtune's own families and theirs.
  const std::vector<std::string>& families() const { return families_; }
  const std::vector<std::string>& own_families() const { return own_; }
  const std::map<std::string, std::string>& versions() const { return versions_; }

  /// All families that can be asked for, those of workers that were not started too.
  std::vector<std::string> nameable() const;

  /// Families that were asked for and whose worker cannot start, and why.
  const std::map<std::string, std::string>& absent() const { return absent_; }

 private:
  void add_own();
  struct Applicant;

  std::vector<Applicant> named_applicants(const RosterRequest& request) const;
  void add(Applicant& applicant);
  void add_if_it_starts(Applicant& applicant);

  std::vector<NamedWorker> workers_;
  std::vector<std::string> own_;
  std::vector<std::string> families_;
  std::map<std::string, std::string> versions_;
  std::map<std::string, std::string> absent_;
};

/// The families that can be asked for by name, and are not among those of "all".
std::vector<std::string> families_by_name_only();

}  // namespace gemmtune
