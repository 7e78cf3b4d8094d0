#include "gemmtune/worker/named_worker.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <string_view>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/toml_file.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/core/words.h"

namespace gemmtune {
namespace {

std::string replaced(std::string text, std::string_view what, const std::string& with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

class FileReader {
 public:
  explicit FileReader(const std::filesystem::path& path)
      : file_(path), folder_(std::filesystem::absolute(path).lexically_normal().parent_path().string()) {}

  std::vector<NamedWorker> read() const {
    std::vector<NamedWorker> workers;
    for (const auto& [name, node] : file_.root()) {
      const auto* table = node.as_table();
      if (table == nullptr) complain(node, fmt::format("{}: expected a table, as [{}]", text_of(name), text_of(name)));
      workers.push_back(worker(text_of(name), *table));
    }
    return workers;
  }

 private:
  static std::string text_of(const toml::key& key) { return visible(key.str()); }

  NamedWorker worker(const std::string& name, const toml::table& table) const {
    NamedWorker worker{.name = name};
    for (const auto& [key, node] : table) {
      if (key == "command") {
        worker.command = command(node);
      } else if (key == "families") {
        worker.families = texts(node, "families");
      } else if (key == "environment") {
        worker.environment = variables(node);
      } else if (key == "trusted") {
        worker.trusted = flag(node);
      } else {
        complain(node, fmt::format("{} is unknown, expected command, families, environment or trusted", text_of(key)));
      }
    }
    if (worker.command.empty()) complain(table, fmt::format("[{}] has no command", name));
    if (worker.families.empty()) complain(table, fmt::format("[{}] names no families", name));
    return worker;
  }

  std::vector<std::string> command(const toml::node& node) const {
    if (node.is_string()) return command_words(text(node, "command"));
    return texts(node, "command");
  }

  std::vector<std::string> texts(const toml::node& node, const char* key) const {
    const auto* array = node.as_array();
    if (array == nullptr) complain(node, fmt::format("{}: expected a list of texts", key));
    std::vector<std::string> all;
    for (const auto& item : *array) all.push_back(text(item, key));
    return all;
  }

  std::map<std::string, std::string> variables(const toml::node& node) const {
    const auto* table = node.as_table();
    if (table == nullptr) complain(node, "environment: expected a table of texts");
    std::map<std::string, std::string> all;
    for (const auto& [name, value] : *table) all.emplace(std::string(name.str()), text(value, "environment"));
    return all;
  }

  std::string text(const toml::node& node, const char* key) const {
    const auto value = node.value_exact<std::string>();
    if (!value) complain(node, fmt::format("{}: expected a text", key));
    return replaced(*value, "{folder}", folder_);
  }

  bool flag(const toml::node& node) const {
    const auto value = node.value_exact<bool>();
    if (!value) complain(node, "trusted: expected true or false");
    return *value;
  }

  [[noreturn]] void complain(const toml::node& node, const std::string& why) const { file_.complain(node, why); }

  TomlFile file_;
  std::string folder_;
};

std::string with_present(const std::string& name, const std::string& value) {
  const char* present = name.ends_with("PATH") ? std::getenv(name.c_str()) : nullptr;
  return present == nullptr || *present == '\0' ? value : value + ":" + present;
}

}  // namespace

std::vector<NamedWorker> read_worker_file(const std::filesystem::path& path) { return FileReader(path).read(); }

RemoteOptions start_options(const NamedWorker& worker, const std::string& device_id) {
  RemoteOptions options{.name = worker.name};
  for (const auto& word : worker.command) options.command.push_back(replaced(word, "{device}", device_id));
  for (const auto& [name, value] : worker.environment) options.environment.emplace(name, with_present(name, value));
  return options;
}

}  // namespace gemmtune
