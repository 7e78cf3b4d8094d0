// The pages under docs/cli are what --help shows. They must name every option that there is, and none that there is
// not.
#include "gemmtune/cli/help.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <set>

#include "gemmtune/cli/app.h"
#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

std::string with_dashes(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// The long options that a page names, spelled with dashes.
std::set<std::string> options_named(const std::string& page) {
  std::set<std::string> names;
  const auto is_part = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; };
  for (auto at = page.find("--"); at != std::string::npos; at = page.find("--", at + 2)) {
    const auto start = page.begin() + static_cast<std::ptrdiff_t>(at) + 2;
    const std::string name(start, std::find_if_not(start, page.end(), is_part));
    if (!name.empty() && name.front() != '-') names.insert(with_dashes(name));
  }
  return names;
}

std::set<std::string> options_declared(const CLI::App& app) {
  std::set<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.insert(with_dashes(name));
  return names;
}

TEST(Help, EveryCommandHasAPage) {
  for (const auto& [name, command] : all_commands()) EXPECT_FALSE(help_text(name).empty()) << name;
  EXPECT_THROW(help_text("no-such-command"), Error);
}

TEST(Help, TheFirstPageListsEveryCommand) {
  const std::string page(help_text("gemmtune"));
  for (const auto& [name, command] : all_commands())
    EXPECT_NE(page.find("\n    " + name + " "), std::string::npos) << name;
}

/// The help page of a command must agree with the command's options, and so for all of its subcommands.
void expect_agreement(const CLI::App& command, const std::string& name) {
  const std::string page(help_text(name));
  auto declared = options_declared(command);
  declared.erase("help");
  for (const auto& option : declared) EXPECT_TRUE(options_named(page).count(option)) << name << " --" << option;
  for (const auto& option : options_named(page)) {
    const bool of_an_example = (name == "worker-check" && option == "device") ||
                               (name == "serve" && (option == "libtype" || option == "budget")) ||  // of tune
                               (declared.count("worker") > 0 && option == "on");  // './my-worker --on {device}'
    EXPECT_TRUE(declared.count(option) || of_an_example) << name << "'s page names --" << option;
  }
  for (const auto* under : command.get_subcommands([](const CLI::App*) { return true; })) {
    EXPECT_NE(page.find("\n    " + under->get_name() + " "), std::string::npos) << name << ' ' << under->get_name();
    expect_agreement(*under, name + "-" + under->get_name());
  }
}

TEST(Help, PagesAndOptionsAgree) {
  const auto commands = all_commands();
  const auto app = make_app(commands);
  for (const auto& [name, command] : commands) expect_agreement(*app->get_subcommand(name), name);
}

}  // namespace
}  // namespace gemmtune
