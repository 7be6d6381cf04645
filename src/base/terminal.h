// What the programs print for people. Names, messages and conditions are written by strangers:
// characters that would drive a terminal, or make it show text in another order, are printed as
// escapes ("\x1b", "\u202e"), which JSON reads as what they stand for.
//
// Nothing else writes to standard output or standard error (scripts/check_style.py).
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace berth {

// Returns the text with these characters replaced; newlines and tabs remain. Bytes that are not
// UTF-8 are replaced one by one.
std::string Visible(std::string_view text);

// Writes Visible(text).
void PrintText(std::FILE* file, std::string_view text);

// To standard output.
template <typename... Args>
void Print(fmt::format_string<Args...> format, Args&&... args) {
  PrintText(stdout, fmt::format(format, std::forward<Args>(args)...));
}

// To standard error.
template <typename... Args>
void PrintError(fmt::format_string<Args...> format, Args&&... args) {
  PrintText(stderr, fmt::format(format, std::forward<Args>(args)...));
}

// Replaces the line that the cursor of a terminal is in, and leaves the cursor there.
void ReplaceLine(std::FILE* terminal, std::string_view text);

}  // namespace berth
