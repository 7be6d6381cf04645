// Headers of HTTP messages, shared by client and server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::net {

struct HttpHeader {
  std::string name;
  std::string value;

  bool operator==(const HttpHeader&) const = default;
};

// Compares ASCII texts, such as header names, ignoring case.
bool EqualIgnoringCase(std::string_view a, std::string_view b);

// Reports whether `text` is valid as a header name or a method.
bool IsToken(std::string_view text);
// Reports whether `text` is valid as a header value: it contains nothing that ends the line.
bool IsHeaderValue(std::string_view text);

// Reports whether the comma-separated `list` contains `token`, ignoring case: "close" in
// "keep-alive, Close".
bool HasToken(std::string_view list, std::string_view token);

// Returns the value of the first header of that name, ignoring case; empty if there is none.
std::string_view FindHeader(const std::vector<HttpHeader>& headers, std::string_view name);

}  // namespace berth::net
