// Text for messages: shortened, and quoted as Go's %q does it, where a message is kube-scheduler's.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace berth {

// `text` fit for an error message: without control characters, and cut after about `limit` bytes.
std::string Shorten(std::string_view text, size_t limit = 60);

// What cannot be printed is escaped: "a\nb", "\x00", "\u200b". Bytes that are not UTF-8 become
// \xff.
std::string GoQuote(std::string_view text);
// The same without the quotes around it, and with quotes and backslashes as they are.
std::string GoEscape(std::string_view text);
// A list: ["a" "b"].
std::string GoQuote(std::span<const std::string> texts);

}  // namespace berth
