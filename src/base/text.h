// Text for messages: shortened, or quoted as Go's %q verb does in the messages of kube-scheduler.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace berth {

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Returns `text` without the characters of `space` at its ends.
std::string_view Trim(std::string_view text, std::string_view space = " \t");

// Returns `text` for use in an error message: control characters replaced by '?', and truncated
// after about `limit` bytes.
std::string Shorten(std::string_view text, size_t limit = 60);

// Quotes `text` and escapes what cannot be printed: "a\nb", "\x00", "\u200b". Bytes that are not
// UTF-8 become \xff.
std::string GoQuote(std::string_view text);
// Escapes like GoQuote, but adds no quotes and leaves quotes and backslashes as they are.
std::string GoEscape(std::string_view text);
// Quotes a list: ["a" "b"].
std::string GoQuote(std::span<const std::string> texts);

}  // namespace berth
