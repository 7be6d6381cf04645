// Base64: binary data as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::apiserver {

// With padding, as in kubeconfig files.
std::string EncodeBase64(std::string_view bytes);
// Of the alphabet for URLs, without padding.
std::string EncodeBase64Url(std::string_view bytes);
// Nothing if `text` is not what EncodeBase64Url gives.
std::optional<std::string> DecodeBase64Url(std::string_view text);

}  // namespace berth::apiserver
