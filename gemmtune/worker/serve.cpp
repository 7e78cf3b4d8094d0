#include "gemmtune/worker/serve.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/worker/json_fields.h"
#include "gemmtune/worker/messages.h"
#include "gemmtune/worker/quote.h"
#include "gemmtune/worker/serve_steps.h"

namespace gemmtune {

using nlohmann::json;

namespace {

using ReadLine = std::function<std::optional<std::string>()>;
using WriteLine = std::function<bool(const std::string&)>;

/// JSON must be UTF-8, but reasons may hold text of libraries that is not.
std::string text_of(const json& message) { return message.dump(-1, ' ', false, json::error_handler_t::replace); }

class Session {
 public:
  Session(Evaluator& evaluator, WriteLine write) : evaluator_(evaluator), write_(std::move(write)) {}

  void greet() {
    send({{"type", "hello"},
          {"protocol", evaluator_.steps() == nullptr ? oldest_protocol_version : protocol_version},
          {"name", "gemmtune"},
          {"version", GEMMTUNE_VERSION},
          {"device", to_json_value(evaluator_.device())}});
  }

  /// False after the last request. Lets DeviceLost through: the supervisor continues with another process.
  bool answer(const std::string& line) {
    json id = nullptr;
    try {
      const json request = parse_message(line);
      if (request.contains("id")) id = request["id"];
      return dispatch(request, id);
    } catch (const DeviceLost&) {
      throw;
    } catch (const std::exception& error) {
      send_error(id, error.what());
    }
    return true;
  }

  void send_error(const json& id, std::string_view message) {
    send({{"type", "error"}, {"id", id}, {"message", message}});
  }

  void send(const json& message) { peer_listens_ = write_(text_of(message)) && peer_listens_; }
  bool peer_listens() const { return peer_listens_; }

 private:
  bool dispatch(const json& request, const json& id) {
    const std::string& type = request["type"].get_ref<const std::string&>();
    if (type == "bye") return false;
    if (type == "supports") {
      supports(request, id);
    } else if (type == "candidates") {
      candidates(request, id);
    } else if (type == "evaluate") {
      evaluate(request, id);
    } else if (!answers_as_step(request)) {
      send_error(id, "unknown request " + quote(type));
    }
    return true;
  }

  bool answers_as_step(const json& request) {
    Steps* steps = evaluator_.steps();
    return steps != nullptr && answer_step(request, *steps, [this](const json& reply) { send(reply); });
  }

  void supports(const json& request, const json& id) {
    json families = json::array();
    for (const auto& support : evaluator_.supports(problem_of(request))) families.push_back(to_json_value(support));
    send({{"type", "supports"}, {"id", id}, {"families", std::move(families)}});
  }

  void candidates(const json& request, const json& id) {
    json found = json::array();
    for (const auto& candidate : evaluator_.candidates(problem_of(request))) found.push_back(to_json_value(candidate));
    send({{"type", "candidates"}, {"id", id}, {"candidates", std::move(found)}});
  }

  void evaluate(const json& request, const json& id);

  static Problem problem_of(const json& request) {
    return parse_problem(JsonFields(request, "request").text("problem"));
  }

  Evaluator& evaluator_;
  WriteLine write_;
  bool peer_listens_{true};
};

class Reporter final : public EvaluationObserver {
 public:
  Reporter(Session& session, const json& id) : session_(session), id_(id) {}

  void started(const Candidate& candidate) override {
    session_.send(
        {{"type", "started"}, {"id", id_}, {"candidate", {{"family", candidate.family}, {"name", candidate.name}}}});
  }

  void evaluated(const Evaluation& evaluation) override {
    session_.send({{"type", "evaluation"}, {"id", id_}, {"evaluation", to_json_value(evaluation)}});
  }

 private:
  Session& session_;
  const json& id_;
};

void Session::evaluate(const json& request, const json& id) {
  const JsonFields fields(request, "request");
  const Problem problem = problem_of(request);
  std::vector<Candidate> wanted;
  for (const json& candidate : fields.array("candidates")) wanted.push_back(candidate_from_json(candidate));
  const EvaluationPolicy policy = policy_from_json(fields.member("policy"));
  Reporter reporter(*this, id);
  evaluator_.evaluate(problem, wanted, policy, reporter);
  send({{"type", "done"}, {"id", id}});
}

int serve_lines(const ReadLine& read, const WriteLine& write, Evaluator& evaluator) {
  Session session(evaluator, write);
  session.greet();
  try {
    while (session.peer_listens()) {
      const auto line = read();
      if (!line) return 0;
      if (trim(*line).empty()) continue;
      if (!session.answer(*line)) return 0;
    }
  } catch (const DeviceLost& lost) {
    fmt::print(stderr, "{}\n", lost.what());
    return exit_code(lost.code());
  }
  return 1;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// A private copy of a standard descriptor, out of reach for the rest of the process and its children.
File move_away(int fd, const char* mode) {
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (moved < 0) fail(ErrorCode::io, "cannot take over descriptor {}: {}", fd, std::strerror(errno));
  return File(::fdopen(moved, mode));
}

/// From here on stdin is empty and stdout goes to stderr, for all libraries and for the compilers that they start.
void redirect_standard_streams() {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0 || ::dup2(nothing, 0) < 0 || ::dup2(2, 1) < 0) {
    fail(ErrorCode::io, "cannot redirect the standard streams: {}", std::strerror(errno));
  }
  ::close(nothing);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

std::optional<std::string> read_line(std::FILE* file) {
  char* text = nullptr;
  std::size_t capacity = 0;
  const ssize_t length = ::getline(&text, &capacity, file);
  const std::unique_ptr<char, decltype(&std::free)> owner(text, &std::free);
  if (length < 0) return std::nullopt;
  return std::string(text, static_cast<std::size_t>(length));
}

bool write_line(std::FILE* file, const std::string& line) {
  return std::fwrite(line.data(), 1, line.size(), file) == line.size() && std::fputc('\n', file) != EOF &&
         std::fflush(file) == 0;
}

}  // namespace

int serve(std::istream& requests, std::ostream& replies, Evaluator& evaluator) {
  const ReadLine read = [&requests]() -> std::optional<std::string> {
    std::string line;
    if (!std::getline(requests, line)) return std::nullopt;
    return line;
  };
  const WriteLine write = [&replies](const std::string& line) {
    return static_cast<bool>(replies << line << std::endl);
  };
  return serve_lines(read, write, evaluator);
}

int serve_on_stdio(const EvaluatorFactory& make_evaluator, const std::string& device) {
  const File requests = move_away(0, "r");
  const File replies = move_away(1, "w");
  redirect_standard_streams();
  const WriteLine write = [&replies](const std::string& line) { return write_line(replies.get(), line); };
  std::unique_ptr<Evaluator> evaluator;
  try {
    evaluator = make_evaluator(device);
  } catch (const Error& error) {
    // Sent in place of hello: starting this worker again would not help.
    write(text_of({{"type", "error"}, {"id", nullptr}, {"message", error.what()}}));
    return exit_code(error.code());
  }
  return serve_lines([&requests] { return read_line(requests.get()); }, write, *evaluator);
}

}  // namespace gemmtune
