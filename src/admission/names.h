// The forms that names may take.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::apiserver {

struct Kind;

// Each returns what is wrong with `text`, or nothing.
std::optional<std::string> CheckDnsLabel(std::string_view text);      // RFC 1123, 63 characters.
std::optional<std::string> CheckDns1035Label(std::string_view text);  // Starts with a letter.
std::optional<std::string> CheckDnsSubdomain(std::string_view text);  // 253 characters.
std::optional<std::string> CheckPathSegment(std::string_view text);

// The form that the objects of `kind` are named in.
std::optional<std::string> CheckName(const Kind& kind, std::string_view name);

}  // namespace berth::apiserver
