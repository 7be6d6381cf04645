// Standard base64 with padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::config {

// nullopt if `text` is not base64. Line ends are ignored.
std::optional<std::string> DecodeBase64(std::string_view text);

std::string EncodeBase64(std::string_view bytes);

}  // namespace berth::config
