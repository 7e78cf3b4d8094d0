// Apart from the compiler, since builds without one ask for keys too.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "gemmtune/core/text.h"
#include "gemmtune/device/gpu/kernel_compiler.h"

namespace gemmtune {
namespace {

/// Two hashes in one pass, eight bytes at a time: a search asks for the keys of hundreds of sources of tens of
/// kilobytes.
class KeyHash {
 public:
  /// Of texts one after the other, so that none can pass for the end of another.
  void add(std::string_view text) {
    feed(fmt::format("{}\x1e", text.size()));
    feed(text);
  }

  std::string key() const { return fmt::format("{:016x}{:016x}", first_, second_); }

 private:
  void feed(std::string_view text) {
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), sizeof(std::uint64_t)))) {
      std::uint64_t word{};
      std::memcpy(&word, text.data(), std::min(text.size(), sizeof word));
      first_ = mixed(first_ ^ word);
      second_ = mixed(second_ ^ word);
    }
  }

  /// Every bit of the product depends on the bits below it; the shift brings the others down.
  static std::uint64_t mixed(std::uint64_t word) {
    word *= prime;
    return word ^ (word >> 32);
  }

  static constexpr std::uint64_t prime = 0x9fb21c651e98df25ULL;
  std::uint64_t first_{0xcbf29ce484222325ULL};
  std::uint64_t second_{0x9e3779b97f4a7c15ULL};
};

}  // namespace

std::string cache_key(const KernelSource& source, const std::string& compiler_version) {
  KeyHash hash;
  hash.add(compiler_version);
  hash.add(source.arch);
  hash.add(join(source.options, "\x1f"));
  hash.add(source.text);
  return hash.key();
}

}  // namespace gemmtune
