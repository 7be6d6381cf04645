// Escaping of external texts in HTTP headers and URLs.
#pragma once

#include <string>
#include <string_view>

namespace berth::client {

// Reports whether `text` is valid in a header: no line ends or other control characters but tabs.
bool FitsInHeader(std::string_view text);

// Returns `key` as the end of an Impersonate-Extra- header name: '%' and characters that names
// cannot contain are percent-encoded.
std::string EscapeForHeaderName(std::string_view key);

// Returns `text` without white space at both ends.
std::string_view Trimmed(std::string_view text);

// Returns `text` for the query of a URL: all but letters, digits and "-_.~" as %XX.
std::string QueryEscape(std::string_view text);

}  // namespace berth::client
