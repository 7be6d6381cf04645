// What the messages of HTTP's client and server share.
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

// ASCII only, as in names of headers.
bool EqualIgnoringCase(std::string_view a, std::string_view b);

// Whether it may be the name of a header, or a method.
bool IsToken(std::string_view text);
// Whether it may be the value of a header: nothing in it ends the line.
bool IsHeaderValue(std::string_view text);

// Whether `token` is among the comma-separated ones of `list`, in any case: "close" of
// "keep-alive, Close".
bool HasToken(std::string_view list, std::string_view token);

// The value of the first header of that name, in any case; empty if there is none.
std::string_view FindHeader(const std::vector<HttpHeader>& headers, std::string_view name);

}  // namespace berth::net
