// Text in quotes as Go's %q writes it, for messages that are the same as kube-scheduler's.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace berth::daemon {

// What cannot be printed is escaped: "a\nb", "\x00", "\u200b". Bytes that are not UTF-8 become
// \xff.
std::string GoQuote(std::string_view text);
// The same without the quotes around it, and with quotes and backslashes as they are.
std::string GoEscape(std::string_view text);
// A list: ["a" "b"].
std::string GoQuote(std::span<const std::string> texts);

}  // namespace berth::daemon
