// Texts from outside that become the values of HTTP headers.
#pragma once

#include <string>
#include <string_view>

namespace berth::client {

// True if a header may carry `text`: no line ends or other control characters but tabs.
bool FitsInHeader(std::string_view text);

// `key` as it ends the name of an Impersonate-Extra- header: what names may not have, and '%', is
// percent-encoded.
std::string EscapeForHeaderName(std::string_view key);

// Without white space at both ends.
std::string_view Trimmed(std::string_view text);

// Texts in the query of a URL.
// `text` with all but letters, digits and "-_.~" as %XX.
std::string QueryEscape(std::string_view text);

}  // namespace berth::client
