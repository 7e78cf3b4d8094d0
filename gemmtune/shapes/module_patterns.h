// Which modules of a model a quantised checkpoint does not quantise: the entries of modules_to_not_convert, ignore,
// ignored_layers and exclude, in the spellings that checkpoints use.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace gemmtune {

/// An entry is a regular expression for the beginning of the path ("re:.*mlp.gate$"), a path in which * stands for
/// any text ("model.layers.*.self_attn": also everything below it), or whole words of a path ("lm_head",
/// "layers.0.mlp"). Matching takes time in proportion to the path, whatever the entry is: a checkpoint is foreign.
class ModulePatterns {
 public:
  /// Throws Error{input} for an invalid regular expression, and for one with look-ahead or a back-reference, which have
  /// no such bound.
  void add(const std::string& entry);

  bool match(const std::string& path) const;

 private:
  std::set<std::string, std::less<>> words_;
  std::vector<std::shared_ptr<const re2::RE2>> expressions_;  // of the path's beginning
};

}  // namespace gemmtune
