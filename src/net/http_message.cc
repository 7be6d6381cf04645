#include "net/http_message.h"

#include <algorithm>

#include "base/text.h"

namespace berth::net {

namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::ranges::equal(a, b, {}, Lower, Lower);
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    constexpr std::string_view kPunctuation = "!#$%&'*+-.^_`|~";
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kPunctuation.contains(c);
  });
}

bool IsHeaderValue(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  });
}

bool HasToken(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (EqualIgnoringCase(Trim(list.substr(0, comma)), token)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

std::string_view FindHeader(const std::vector<HttpHeader>& headers, std::string_view name) {
  const auto found = std::ranges::find_if(
      headers, [&](const HttpHeader& header) { return EqualIgnoringCase(header.name, name); });
  return found == headers.end() ? std::string_view() : found->value;
}

}  // namespace berth::net
