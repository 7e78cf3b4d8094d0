// What commands write to stdout and stderr: the only place that does. tests/house/rules_test.py holds the rest of cli/
// to it.
// Stdout is checked: what cannot be written ends the command with exit code 5 and the system's reason. A reader that
// has seen enough (`| head -1`) is no failure: the process ends quietly, by SIGPIPE.
// Text for people may hold foreign names, and is shown by the rules of visible() (core/visible.h).
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gemmtune {

/// The only escape sequences that text for people may contain.
inline constexpr std::string_view colour_of_the_best = "\x1b[1;32m";
inline constexpr std::string_view no_colour = "\x1b[0m";

/// visible() of a cell, without the colours above.
std::string visible_cell(std::string_view cell);

/// Text for people, on stdout. Throws Error{io}.
void write_text(std::string_view text);

/// Bytes for another program (CSV, JSON), on stdout: as they are, and on a terminal as text. Throws Error{io}.
void write_data(std::string_view bytes);

/// Where stdout is a terminal, the text that follows begins at the top of an empty screen.
void clear_screen();

/// A message on stderr. It never fails: there would be nowhere to say so.
void write_note(std::string_view text) noexcept;

/// The same in place of the lines that were written last, for tables on a terminal that change.
void redraw_note(std::string_view text, std::size_t lines_before) noexcept;

template <typename... Args>
void print_text(fmt::format_string<Args...> text, Args&&... args) {
  write_text(fmt::format(text, std::forward<Args>(args)...));
}

template <typename... Args>
void print_note(fmt::format_string<Args...> text, Args&&... args) {
  write_note(fmt::format(text, std::forward<Args>(args)...));
}

/// Throws Error{usage} if the output file is one of the inputs, under this name or another one: inputs are never
/// changed. An empty name is stdout. Call it before the work.
void refuse_to_overwrite(const std::filesystem::path& output, const std::vector<std::filesystem::path>& inputs);

/// Hands what was written to stdout over to the system. A command has not succeeded before this. Throws Error{io}.
void flush_output();

/// Opens what the caller closed of stdin, stdout and stderr, so that no file gets their numbers and is then written to
/// by mistake. Writing to a stdout that was closed stays an error. Call it first of all.
void reserve_standard_streams();

}  // namespace gemmtune
