// Which modules of a model a quantised checkpoint does not quantise: the entries of modules_to_not_convert, ignore,
// ignored_layers and exclude, in the spellings that checkpoints use.
#pragma once

#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

/// An entry has one of three forms: a regular expression for the beginning of a path ("re:.*mlp.gate$"); a path in
/// which * stands for any text ("model.layers.*.self_attn", which also covers everything below it); or whole words of a
/// path ("lm_head", "layers.0.mlp").
class ModulePatterns {
 public:
  /// Throws Error{input} for an invalid regular expression.
  void add(const std::string& entry);

  bool match(const std::string& path) const;

 private:
  std::vector<std::string> words_;
  std::vector<std::regex> expressions_;  // for the beginning of a path
};

}  // namespace gemmtune
