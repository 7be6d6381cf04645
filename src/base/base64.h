// Base64 of RFC 4648: the standard alphabet with padding, and the URL alphabet without padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth {

std::string EncodeBase64(std::string_view bytes);
// Returns nullopt if `text` is not base64. Ignores CR and LF, as Go's decoder does.
std::optional<std::string> DecodeBase64(std::string_view text);

std::string EncodeBase64Url(std::string_view bytes);
// Returns nullopt if `text` is not the exact encoding of some bytes.
std::optional<std::string> DecodeBase64Url(std::string_view text);

}  // namespace berth
