#include "gemmtune/cli/app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <new>
#include <sstream>
#include <system_error>

#include "gemmtune/cli/help.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/shapes/shapes_commands.h"
#include "gemmtune/cli/usage_error.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/log.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

/// AITER spells one option as a short option of two letters, which CLI11 would read as -o with the value 2.
std::string in_known_spelling(const std::string& argument) {
  const bool is_o2 = argument == "-o2" || argument.starts_with("-o2=");
  return is_o2 ? "--profile_file" + argument.substr(3) : argument;
}

/// CLI11 takes the arguments in reverse order, without the program's name.
std::vector<std::string> reversed(const std::vector<std::string>& arguments) {
  std::vector<std::string> result;
  for (auto i = arguments.size(); i > 1; --i) result.push_back(in_known_spelling(arguments[i - 1]));
  return result;
}

int complain(ErrorCode code, std::string_view message) {
  print_note("gemmtune: {}\n", message);
  return exit_code(code);
}

int run_command(CLI::App& app, const std::vector<NamedCommand>& commands) {
  for (const auto& [name, command] : commands)
    if (app.got_subcommand(name)) return command->run();
  write_text(help_text("gemmtune"));
  return exit_code(ErrorCode::usage);
}

int parse_and_run(const std::vector<std::string>& arguments) {
  const auto commands = all_commands();
  const auto app = make_app(commands);
  try {
    app->parse(reversed(arguments));
  } catch (const CLI::Success& wanted) {  // --help, --version
    std::ostringstream text;
    const int code = app->exit(wanted, text, text);
    write_text(text.str());
    return code;
  } catch (const CLI::ParseError& error) {
    return complain(ErrorCode::usage, about_usage(*app, error, arguments));
  }
  return run_command(*app, commands);
}

}  // namespace

std::vector<NamedCommand> all_commands() {
  std::vector<NamedCommand> commands;
  commands.push_back({"tune", make_tune_command()});
  commands.push_back({"serve", make_serve_command()});
  commands.push_back({"compat", make_compat_command()});
  commands.push_back({"devices", make_devices_command()});
  commands.push_back({"families", make_families_command()});
  commands.push_back({"bench", make_bench_command()});
  commands.push_back({"evaluate", make_evaluate_command()});
  commands.push_back({"lookup", make_lookup_command()});
  commands.push_back({"problem", make_problem_command()});
  commands.push_back({"shapes", make_shapes_command()});
  commands.push_back({"table", make_table_command()});
  commands.push_back({"split", make_shapes_split_command()});
  commands.push_back({"hosts", make_hosts_command()});
  commands.push_back({"status", make_status_command()});
  commands.push_back({"quarantine", make_quarantine_command()});
  commands.push_back({"store", make_store_command()});
  commands.push_back({"analyze", make_analyze_command()});
  commands.push_back({"diagnose", make_diagnose_command()});
  commands.push_back({"replay", make_replay_command()});
  commands.push_back({"stress", make_stress_command()});
  commands.push_back({"cache", make_cache_command()});
  commands.push_back({"worker", make_worker_command()});
  commands.push_back({"worker-check", make_worker_check_command()});
  return commands;
}

std::unique_ptr<CLI::App> make_app(const std::vector<NamedCommand>& commands) {
  auto app = std::make_unique<CLI::App>("", "gemmtune");
  show_help_page(*app, "gemmtune");
  app->set_version_flag("--version", "gemmtune " GEMMTUNE_VERSION);
  for (const auto& [name, command] : commands) {
    auto options = Options(*app).add_command(name, name);
    command->declare(options);
  }
  return app;
}

int run_app(const std::vector<std::string>& arguments) noexcept {
  try {
    reserve_standard_streams();
    start_logging(Verbosity::normal);
    const int code = parse_and_run(arguments);
    flush_output();
    return code;
  } catch (const Error& error) {
    return complain(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return complain(ErrorCode::io, "there is not enough memory");
  } catch (const std::system_error& error) {  // no more threads, for example
    return complain(ErrorCode::io, fmt::format("the system refused: {}", error.what()));
  } catch (const std::exception& error) {
    return complain(ErrorCode::internal, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace gemmtune
