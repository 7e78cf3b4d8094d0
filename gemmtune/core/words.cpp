#include "gemmtune/core/words.h"

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

constexpr std::string_view blanks = " \t\r\n";

class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_(text) {}

  std::vector<std::string> read() {
    for (at_ = 0; at_ < text_.size(); ++at_) take(text_[at_]);
    if (quote_ != '\0') fail(ErrorCode::usage, "the quote {} does not end in: {}", quote_, text_);
    end_word();
    return std::move(words_);
  }

 private:
  void take(char c) {
    const bool escapes = c == '\\' && quote_ != '\'' && at_ + 1 < text_.size();
    if (escapes) return append(text_[++at_]);
    if (quote_ != '\0') return c == quote_ ? void(quote_ = '\0') : append(c);
    if (c == '\'' || c == '"') return open_quote(c);
    if (blanks.find(c) != std::string_view::npos) return end_word();
    append(c);
  }

  void append(char c) {
    word_ += c;
    in_word_ = true;
  }

  void open_quote(char c) {
    quote_ = c;
    in_word_ = true;  // "" is a word
  }

  void end_word() {
    if (in_word_) words_.push_back(word_);
    word_.clear();
    in_word_ = false;
  }

  std::string_view text_;
  std::size_t at_{};
  char quote_{'\0'};
  bool in_word_{};
  std::string word_;
  std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> command_words(std::string_view text) { return WordReader(text).read(); }

}  // namespace gemmtune
