// Texts in the query of a URL.
#pragma once

#include <string>
#include <string_view>

namespace berth::client {

// `text` with all but letters, digits and "-_.~" as %XX.
std::string QueryEscape(std::string_view text);

}  // namespace berth::client
