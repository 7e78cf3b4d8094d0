// Small tables that collide often: few keys, few times, every spelling of a value, columns in any order.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gemmtune/core/csv.h"

namespace gemmtune {

class RandomTables {
 public:
  explicit RandomTables(std::uint64_t seed) : random_(seed) {}

  std::string table() {
    const auto names = header();
    auto text = csv_line(names) + line_end();
    for (auto rows = below(8); rows > 0; --rows) text += row(names) + line_end();
    return text;
  }

 private:
  using Texts = std::vector<std::string>;

  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }
  static bool has(const Texts& texts, std::string_view text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  }
  std::string one_of(const Texts& texts) { return texts[below(texts.size())]; }
  std::string line_end() { return one_of({"\n", "\n", "\r\n", "\n\n"}); }

  Texts header() {
    Texts names{"M", "N", "K", "bias", "us", "kernelName"};
    if (below(4) == 0) names[0] = "m";
    for (const auto* optional :
         {"gfx", "cu_num", "bpreshuffle", "libtype", "splitK", "err_ratio", "tflops", "note", "date"})
      if (below(2) == 0) names.emplace_back(optional);
    if (below(8) == 0 && !has(names, "err_ratio")) names.emplace_back("errRatio");
    if (below(3) == 0) std::shuffle(names.begin(), names.end(), random_);
    const bool is_noted = std::erase(names, "note") > 0;  // left of the results it would be a key
    if (is_noted) names.emplace_back("note");
    if (below(8) == 0) names.emplace_back("Note");
    return names;
  }

  std::string row(const Texts& names) {
    Texts cells;
    for (const auto& name : names) cells.push_back(cell(name));
    if (below(12) == 0) cells.push_back("extra");
    if (below(12) == 0) cells.resize(below(cells.size()) + 1);
    return with_blanks(csv_line(cells));
  }

  std::string with_blanks(std::string text) {
    if (below(4) != 0) return text;
    if (const auto at = text.find(','); at != std::string::npos) text.insert(at + 1, one_of({" ", "\t", "  "}));
    return text;
  }

  std::string cell(const std::string& name) {
    if (name == "M" || name == "m") return one_of({"1", "2", "2.0", "16"});
    if (name == "N") return one_of({"8", "16"});
    if (name == "K") return one_of({"8", "8", "8", "x"});
    if (name == "gfx") return one_of({"gfx942", "gfx950", ""});
    if (name == "cu_num") return one_of({"80", "256", "304", "132", ""});
    if (name == "bias" || name == "bpreshuffle") return one_of({"True", "False", "TRUE", "0", ""});
    if (name == "us") return one_of({"1", "1.0", "2", "0", "inf", "nan", "-1", ""});
    if (name == "date") return one_of({"2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", ""});
    if (name == "err_ratio" || name == "errRatio") return one_of({"0", "0.0", "0.05", "0.06", "7%", "nan", "b", ""});
    return one_of({"a", "b", "0", "x, y", "say \"so\"", ""});
  }

  std::mt19937_64 random_;
};

}  // namespace gemmtune
