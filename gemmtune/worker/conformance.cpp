#include "gemmtune/worker/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/subprocess.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/policy.h"
#include "gemmtune/worker/batch.h"
#include "gemmtune/worker/candidate_list.h"
#include "gemmtune/worker/greeting.h"
#include "gemmtune/worker/json_fields.h"
#include "gemmtune/worker/messages.h"
#include "gemmtune/worker/product_audit.h"
#include "gemmtune/worker/quote.h"
#include "gemmtune/worker/remote_evaluator.h"
#include "gemmtune/worker/turns_across.h"

namespace gemmtune {

using nlohmann::json;
using std::chrono::seconds;

namespace {

constexpr auto time_to_greet = seconds(60);
constexpr auto time_to_answer = seconds(60);
constexpr auto time_to_evaluate = seconds(600);
constexpr auto time_to_exit = seconds(5);
constexpr std::size_t evaluated_at_most = 3;  // enough to see what a worker does with several
constexpr const char* unknown_name = "no_such_candidate_anywhere";

[[noreturn]] void complain(const std::string& what) { fail(ErrorCode::protocol, "{}", what); }

/// When all checks must be done, and what says so.
struct OverallLimit {
  Deadline end{};
  double timeout_s{};

  bool reached() const { return std::chrono::steady_clock::now() >= end; }
  [[noreturn]] void complain_of() const {
    complain(fmt::format("not examined to its end: the {} s of --timeout are over", timeout_s));
  }
};

EvaluationPolicy policy_of(Stage stage) {
  if (stage == Stage::screen) return screen_policy();
  return stage == Stage::confirm ? confirm_policy() : prove_policy();
}

/// A worker that is being checked. Every failure is an Error{protocol} that says what was found.
class Examinee {
 public:
  Examinee(const std::vector<std::string>& command, const OverallLimit& limit) : child_(command), limit_(limit) {}

  json receive(seconds patience) {
    const ReadResult result = child_.read_line(in(patience));
    if (result.status == ReadStatus::timed_out && limit_.reached()) limit_.complain_of();
    if (result.status == ReadStatus::line) return parse_message(result.line);
    if (result.status == ReadStatus::timed_out) complain(fmt::format("nothing within {} s", patience.count()));
    if (result.status == ReadStatus::too_long) complain("a line without an end: " + quote(result.line));
    complain(how_it_ended(result.line));
  }

  void send_line(const std::string& line) {
    if (!child_.write_line(line, in(time_to_answer))) complain("it does not read its stdin");
  }
  void send(const json& message) { send_line(message.dump()); }

  /// The reply to a message that has an id, checked for type and id.
  json ask(const json& message) { return ask(message, message["type"]); }

  json ask(const json& message, const std::string& expected) {
    send(message);
    json reply = receive(time_to_answer);
    const JsonFields fields(reply, "message");
    if (fields.text("type") == "error") complain("it answered with an error: " + fields.shown_text("message"));
    if (fields.text("type") != expected) complain("expected \"" + expected + "\", found " + quote(reply.dump()));
    expect_id(reply, message["id"]);
    return reply;
  }

  static void expect_id(const json& reply, const json& id) {
    const auto found = reply.find("id");
    if (found == reply.end())
      complain(fmt::format("message.id: missing, expected {}, in {}", id.dump(), quote(reply.dump())));
    if (*found != id) complain(fmt::format("message.id: expected {}, found {}", id.dump(), quote(found->dump())));
  }

  void expect_error(const json& id) {
    const json reply = receive(time_to_answer);
    const JsonFields fields(reply, "message");
    if (fields.text("type") != "error") complain("expected an error, found " + quote(reply.dump()));
    fields.text("message");
    if (!id.is_null()) expect_id(reply, id);
  }

  /// Waits until the worker ends by itself.
  ExitStatus expect_end() {
    if (const auto status = child_.wait(in(time_to_exit))) return *status;
    complain(fmt::format("it still runs after {} s", time_to_exit.count()));
  }

  void expect_nothing_more() {
    const ReadResult result = child_.read_line(in(time_to_exit));
    if (result.status != ReadStatus::closed || !result.line.empty()) {
      complain("expected the end of stdout, found " + quote(result.line));
    }
  }

  void close_stdin() { child_.close_stdin(); }

 private:
  Deadline in(seconds time) const { return std::min(std::chrono::steady_clock::now() + time, limit_.end); }

  std::string how_it_ended(const std::string& half_line) {
    const auto status = child_.wait(in(seconds(1)));
    std::string what = status ? "it " + status->describe() : "it closed its stdout";
    if (!half_line.empty()) what += " after the half line " + quote(half_line);
    const std::string lines = last_lines(child_.stderr_tail());
    return lines.empty() ? what : what + "; stderr: " + lines;
  }

  Subprocess child_;
  const OverallLimit& limit_;
};

/// A worker that is checked by the tuner's own means, and interrupted when the time is over.
class LimitedEvaluator {
 public:
  LimitedEvaluator(const std::vector<std::string>& command, const OverallLimit& limit)
      : evaluator_({.command = command}), interrupter_([this, &limit](const std::stop_token& done) {
          while (!done.stop_requested()) {
            if (limit.reached()) evaluator_.interrupt();
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          }
        }) {}

  RemoteEvaluator& operator*() { return evaluator_; }

 private:
  RemoteEvaluator evaluator_;
  std::jthread interrupter_;  // last, so that it ends before the evaluator
};

struct Keeper final : public EvaluationObserver {
  void started(const Candidate& /*candidate*/) override {}
  void evaluated(const Evaluation& evaluation) override { kept.push_back(evaluation); }

  std::vector<Evaluation> kept{};
};

/// The checks, and the state that they share.
class Examination {
 public:
  Examination(const std::vector<std::string>& command, std::string problem, double timeout_s)
      : command_(command),
        problem_(std::move(problem)),
        limit_{.end = seconds_from_now(timeout_s), .timeout_s = timeout_s} {}

  std::vector<ConformanceCheck> run();

 private:
  void check(const char* name, const std::function<void()>& body);

  void hello();
  void supports();
  void candidates();
  void same_candidates();
  void compiles_ahead();
  void evaluates(Stage stage);
  void multiplies();
  void takes_turns();
  void unknown_candidate();
  void unknown_request();
  void malformed_line();
  void unknown_field();
  void bye();
  void end_of_file();

  std::unique_ptr<Examinee> fresh();
  Examinee& worker();
  std::vector<Candidate> ask_candidates();
  void need_candidates() const;
  Steps& steps_of(Evaluator& evaluator) const;
  json request(const char* type) { return {{"type", type}, {"id", ++last_id_}, {"problem", problem_}}; }
  std::vector<Evaluation> evaluate(const std::vector<Candidate>& wanted, const EvaluationPolicy& policy);

  const std::vector<std::string>& command_;
  std::string problem_;
  OverallLimit limit_;
  std::vector<ConformanceCheck> checks_{};
  std::unique_ptr<Examinee> worker_{};
  std::optional<DeviceInfo> device_{};  // as the first worker named it
  bool is_told_what_to_expect_{};       // as the last worker said
  std::vector<Candidate> candidates_{};
  std::vector<Candidate> right_{};  // as it says, at stage confirm
  std::int64_t last_id_{};
};

std::vector<ConformanceCheck> Examination::run() {
  check("says hello, of protocol version 1 or 2, with a device", [this] { hello(); });
  check("answers 'supports' and supports the problem", [this] { supports(); });
  check("answers 'candidates' with at least one, each name once", [this] { candidates(); });
  check("names the same candidates when asked again", [this] { same_candidates(); });
  check("takes 'expect', if it says that it compiles ahead", [this] { compiles_ahead(); });
  for (const Stage stage : {Stage::screen, Stage::confirm, Stage::prove}) {
    const std::string name = fmt::format("evaluates at stage '{}', started before each evaluation", to_string(stage));
    check(name.c_str(), [this, stage] { evaluates(stage); });
  }
  check("multiplies what it is asked to multiply", [this] { multiplies(); });
  check("takes turns with other workers: holds candidates, takes samples, settles", [this] { takes_turns(); });
  check("answers a candidate it does not know with 'unsupported'", [this] { unknown_candidate(); });
  check("answers a request it does not know with an error and lives on", [this] { unknown_request(); });
  check("answers a line that is no message with an error and lives on", [this] { malformed_line(); });
  check("ignores fields it does not know", [this] { unknown_field(); });
  check("exits with 0 on 'bye' and writes nothing more", [this] { bye(); });
  check("exits when its stdin ends", [this] { end_of_file(); });
  return std::move(checks_);
}

void Examination::check(const char* name, const std::function<void()>& body) {
  ConformanceCheck result{.name = name, .passed = true};
  try {
    if (limit_.reached()) limit_.complain_of();
    body();
    if (limit_.reached()) limit_.complain_of();  // an interrupt may have ended it early
  } catch (const Error& error) {
    if (error.code() != ErrorCode::protocol) throw;
    result.passed = false;
    result.detail = error.what();
    // The worker may be in any state: the next check gets a fresh one.
    worker_.reset();
  }
  checks_.push_back(std::move(result));
}

std::unique_ptr<Examinee> Examination::fresh() {
  auto examinee = std::make_unique<Examinee>(command_, limit_);
  const json message = examinee->receive(time_to_greet);
  const JsonFields fields(message, "hello");
  if (fields.text("type") == "error") complain("it cannot start: " + fields.shown_text("message"));
  auto [device, protocol, compiles_ahead] = greeting_from_json(message);
  is_told_what_to_expect_ = compiles_ahead;
  fields.text("name");
  fields.text("version");
  if (!device_)
    device_ = std::move(device);
  else if (const auto why = why_other_device(*device_, device); !why.empty())
    complain(why);
  return examinee;
}

Examinee& Examination::worker() {
  if (!worker_) worker_ = fresh();
  return *worker_;
}

void Examination::hello() { worker(); }

void Examination::supports() {
  const json reply = worker().ask(request("supports"));
  std::string reasons;
  for (const json& value : JsonFields(reply, "supports").array("families")) {
    const FamilySupport family = support_from_json(value);
    if (family.why_not.empty()) return;
    reasons += fmt::format("; {}: {}", family.family, family.why_not);
  }
  complain("no family supports " + problem_ + reasons);
}

std::vector<Candidate> Examination::ask_candidates() {
  const json reply = worker().ask(request("candidates"));
  std::vector<Candidate> found;
  for (const auto& [candidate, why_unusable] : listed_candidates(reply)) {
    if (!why_unusable.empty()) complain(why_unusable);
    found.push_back(candidate);
  }
  return found;
}

void Examination::candidates() {
  candidates_ = ask_candidates();
  if (candidates_.empty()) complain("none for " + problem_);
}

void Examination::same_candidates() {
  need_candidates();
  const std::vector<Candidate> again = ask_candidates();
  const auto [a, b] = std::mismatch(candidates_.begin(), candidates_.end(), again.begin(), again.end());
  if (a == candidates_.end() && b == again.end()) return;
  complain(fmt::format("first {} candidates, then {}; the first that differs is number {}", candidates_.size(),
                       again.size(), a - candidates_.begin() + 1));
}

void Examination::need_candidates() const {
  if (candidates_.empty()) complain("not examined: it named no candidates");
}

/// The checks after this one evaluate the candidates, and others than these.
void Examination::compiles_ahead() {
  need_candidates();
  worker();
  if (!is_told_what_to_expect_) return;
  json message = request("expect");
  message["candidates"] = json::array({{{"family", candidates_.front().family}, {"name", unknown_name}}});
  for (const auto& candidate : candidates_)
    message["candidates"].push_back({{"family", candidate.family}, {"name", candidate.name}});
  worker().ask(message, "done");
  worker().ask(request("supports"));
  message["id"] = ++last_id_;
  message["candidates"] = json::array();
  worker().ask(message, "done");
}

std::vector<Evaluation> Examination::evaluate(const std::vector<Candidate>& wanted, const EvaluationPolicy& policy) {
  CandidateBatch batch(parse_problem(problem_), wanted, policy);
  worker().send(batch.request(++last_id_));
  std::set<Candidate> started;
  std::vector<Evaluation> evaluations;
  for (;;) {
    const BatchEvent event = batch.take(worker().receive(time_to_evaluate), last_id_);
    if (std::holds_alternative<BatchDone>(event)) return evaluations;
    if (const auto* refused = std::get_if<BatchRefused>(&event)) complain("it refused: " + refused->message);
    if (const auto* candidate = std::get_if<Candidate>(&event)) started.insert(*candidate);
    const auto* evaluation = std::get_if<Evaluation>(&event);
    if (evaluation == nullptr) continue;
    if (!started.contains(evaluation->candidate)) {
      complain("no 'started' came before the evaluation of " + quote(evaluation->candidate.name));
    }
    evaluations.push_back(*evaluation);
  }
}

void Examination::evaluates(Stage stage) {
  need_candidates();
  const std::vector<Candidate> some(candidates_.begin(),
                                    candidates_.begin() + std::min(candidates_.size(), evaluated_at_most));
  const EvaluationPolicy policy = policy_of(stage);
  const std::vector<Evaluation> evaluations = evaluate(some, policy);
  const auto is_ok = [](const Evaluation& one) { return one.outcome == Outcome::ok; };
  if (stage == Stage::confirm)
    for (const auto& one : evaluations)
      if (is_ok(one)) right_.push_back(one.candidate);
  if (std::any_of(evaluations.begin(), evaluations.end(), is_ok)) return;
  const Evaluation& first = evaluations.front();
  complain(fmt::format("none of {} candidates is ok; {} is {}: {}", evaluations.size(), first.candidate.name,
                       to_string(first.outcome), first.reason));
}

Steps& Examination::steps_of(Evaluator& evaluator) const {
  if (right_.empty()) complain("not examined: none of its candidates was right at stage 'confirm'");
  if (Steps* steps = evaluator.steps()) return *steps;
  complain("it speaks version 1 of the protocol, in which its results cannot be audited: none of them can win");
}

/// What it says of itself is checked here, by products of operands that it could not foresee.
void Examination::multiplies() {
  LimitedEvaluator limited(command_, limit_);
  Steps& steps = steps_of(*limited);
  const Problem problem = parse_problem(problem_);
  ProductAudit audit;
  for (const auto& candidate : right_) {
    if (limit_.reached()) limit_.complain_of();
    const auto failure = audit.audit_anew(steps, {problem, candidate, VerifyPolicy{}});
    if (failure.outcome != Outcome::ok)
      complain(fmt::format("{} is {}: {}", candidate.name, to_string(failure.outcome), failure.reason));
  }
}

void Examination::takes_turns() {
  LimitedEvaluator limited(command_, limit_);
  RemoteEvaluator& evaluator = *limited;
  Steps& steps = steps_of(evaluator);
  const Problem problem = parse_problem(problem_);
  const EvaluationPolicy policy = confirm_policy();
  const std::atomic<bool> interrupted{false};
  Keeper keeper;
  confirm_across({problem, policy, evaluator.device().kind, interrupted}, {{&steps, right_}}, keeper);
  for (const auto& one : keeper.kept)
    if (one.outcome != Outcome::ok)
      complain(fmt::format("{} is {}: {}", one.candidate.name, to_string(one.outcome), one.reason));
}

void Examination::unknown_candidate() {
  need_candidates();
  const Candidate unknown{.family = candidates_.front().family, .name = unknown_name};
  const Evaluation evaluation = evaluate({unknown}, screen_policy()).front();
  if (evaluation.outcome == Outcome::unsupported) return;
  complain(fmt::format("expected 'unsupported', found '{}'", to_string(evaluation.outcome)));
}

void Examination::unknown_request() {
  worker().send({{"type", "sing"}, {"id", ++last_id_}});
  worker().expect_error(last_id_);
  worker().ask(request("supports"));
}

void Examination::malformed_line() {
  worker().send_line("this is not JSON");
  worker().expect_error(nullptr);
  worker().send({{"type", "evaluate"}, {"id", ++last_id_}});
  worker().expect_error(last_id_);
  worker().ask(request("supports"));
}

void Examination::unknown_field() {
  json message = request("supports");
  message["a_field_of_the_future"] = {{"nested", {1, 2, 3}}};
  worker().ask(message);
}

void Examination::bye() {
  worker().send({{"type", "bye"}});
  const auto leaver = std::exchange(worker_, nullptr);
  const ExitStatus status = leaver->expect_end();
  if (status != ExitStatus{}) complain("it " + status.describe());
  leaver->expect_nothing_more();
}

void Examination::end_of_file() {
  const auto orphan = fresh();
  orphan->close_stdin();
  orphan->expect_end();
}

}  // namespace

std::vector<ConformanceCheck> check_worker(const std::vector<std::string>& command, const std::string& problem,
                                           double timeout_s) {
  return Examination(command, to_string(parse_problem(problem)), timeout_s).run();
}

}  // namespace gemmtune
