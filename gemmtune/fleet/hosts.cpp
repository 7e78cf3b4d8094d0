#include "gemmtune/fleet/hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "gemmtune/core/error.h"
#include "gemmtune/core/toml_file.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/core/words.h"
#include "gemmtune/fleet/shell_words.h"

namespace gemmtune {
namespace {

class HostFileReader {
 public:
  explicit HostFileReader(const std::filesystem::path& path) : file_(path) {}

  std::vector<Host> read() {
    const auto& file = file_.root();
    Host common;
    for (const auto& [key, node] : file)
      if (host_table(node) == nullptr) set(common, key, node);
    for (const auto* entry : in_order(file)) hosts_.push_back(host(common, *entry));
    if (hosts_.empty()) complain(file, "no hosts: expected a table for each, as [node1]");
    return std::move(hosts_);
  }

 private:
  struct Entry {
    std::string name{};
    const toml::table* table{};
  };

  /// A table of its own, as [node1]; not one on a line, as the environment of all hosts.
  static const toml::table* host_table(const toml::node& node) {
    const auto* table = node.as_table();
    return table != nullptr && !table->is_inline() ? table : nullptr;
  }

  /// toml++ sorts by name. The order of the file is the order of its reports.
  std::vector<const Entry*> in_order(const toml::table& file) {
    for (const auto& [key, node] : file)
      if (const auto* table = host_table(node)) entries_.push_back({std::string(key.str()), table});
    std::ranges::sort(entries_, {}, [](const Entry& entry) { return entry.table->source().begin.line; });
    std::vector<const Entry*> ordered;
    for (const auto& entry : entries_) ordered.push_back(&entry);
    return ordered;
  }

  Host host(const Host& common, const Entry& entry) const {
    auto host = common;
    host.name = entry.name;
    for (const auto& [key, node] : *entry.table) set(host, key, node);
    if (host.address.empty()) host.address = host.name;
    if (!is_visible(host.name) || host.name.empty()) complain(*entry.table, "a host's name must be readable text");
    if (host.address.starts_with('-') || !is_visible(host.address))
      complain(*entry.table, fmt::format("'{}' is no address", visible(host.address)));
    insist_on_own_folder(host, *entry.table);
    return host;
  }

  void insist_on_own_folder(const Host& host, const toml::table& table) const {
    for (const auto& other : hosts_) {
      if (other.name == host.name || (other.address == host.address && other.folder == host.folder))
        complain(table, fmt::format("[{}] works at the same address in the same folder as [{}]: give it another folder",
                                    visible(host.name), visible(other.name)));
    }
  }

  void set(Host& host, const toml::key& key, const toml::node& node) const {
    if (set_text(host, key, node)) return;
    if (key == "gpus" || key == "devices") {
      host.devices = devices(node);
    } else if (key == "ssh") {
      host.ssh = node.is_string() ? command_words(text(node, key)) : texts(node, key);
      if (host.ssh.empty()) complain(node, "ssh: expected a command");
    } else if (key == "environment") {
      host.environment = variables(node);
    } else {
      complain(node, fmt::format("{} is unknown, expected address, gpus, devices, arch, folder, program, container, "
                                 "container_engine, container_shm, ssh or environment",
                                 visible(key.str())));
    }
  }

  bool set_text(Host& host, const toml::key& key, const toml::node& node) const {
    const std::map<std::string_view, std::string*> fields{{"address", &host.address},
                                                          {"arch", &host.arch},
                                                          {"folder", &host.folder},
                                                          {"program", &host.program},
                                                          {"container", &host.container},
                                                          {"container_engine", &host.container_engine},
                                                          {"container_shm", &host.container_shm}};
    const auto field = fields.find(key.str());
    if (field == fields.end()) return false;
    *field->second = text(node, key);
    return true;
  }

  std::vector<std::string> devices(const toml::node& node) const {
    const auto* array = node.as_array();
    if (array == nullptr) complain(node, "expected a list, as [0, 1] or [\"cuda:0\", \"cpu\"]");
    std::vector<std::string> all;
    for (const auto& item : *array) {
      const auto number = item.value_exact<std::int64_t>();
      auto device = number ? std::to_string(*number) : item.value_exact<std::string>().value_or("");
      if (device.empty() || !std::ranges::all_of(device, [](char c) { return c == ':' || is_plain_name({&c, 1}); }))
        complain(item, "expected the number of a GPU, or a device as \"cuda:0\" or \"cpu\"");
      if (std::ranges::find(all, device) != all.end()) complain(item, fmt::format("{} stands twice", device));
      all.push_back(std::move(device));
    }
    if (all.empty()) complain(node, "expected at least one device");
    return all;
  }

  std::map<std::string, std::string> variables(const toml::node& node) const {
    const auto* table = node.as_table();
    if (table == nullptr) complain(node, "environment: expected a table of texts");
    std::map<std::string, std::string> all;
    for (const auto& [name, value] : *table) {
      if (!is_variable_name(name.str())) complain(value, fmt::format("'{}' names no variable", visible(name.str())));
      all.emplace(std::string(name.str()), text(value, name));
    }
    return all;
  }

  std::vector<std::string> texts(const toml::node& node, const toml::key& key) const {
    const auto* array = node.as_array();
    if (array == nullptr) complain(node, fmt::format("{}: expected a list of texts", visible(key.str())));
    std::vector<std::string> all;
    for (const auto& item : *array) all.push_back(text(item, key));
    return all;
  }

  std::string text(const toml::node& node, const toml::key& key) const {
    const auto value = node.value_exact<std::string>();
    if (!value || value->find('\0') != std::string::npos || value->find('\n') != std::string::npos)
      complain(node, fmt::format("{}: expected a text of one line", visible(key.str())));
    return *value;
  }

  [[noreturn]] void complain(const toml::node& node, const std::string& why) const { file_.complain(node, why); }

  TomlFile file_;
  std::vector<Entry> entries_;
  std::vector<Host> hosts_;
};

}  // namespace

std::vector<Host> read_hosts(const std::filesystem::path& path) { return HostFileReader(path).read(); }

}  // namespace gemmtune
