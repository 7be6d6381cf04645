// Url is a URL as Go's net/url parses it: an absolute URI or an absolute path.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace berth::cel {

struct Url {
  std::string scheme;  // In lower case.
  std::string opaque;  // Of mailto:x and the like, which have neither host nor path.
  std::string user;    // As written.
  std::string host;    // With the port.
  std::string path;    // Decoded.
  std::string escaped_path;
  std::string query;  // As written, without "?".
  std::string fragment;

  // Fails with Go's message: parse "x": invalid URI for request.
  static Result<Url> Parse(std::string_view text);

  // Without port and brackets.
  std::string_view hostname() const;
  std::string_view port() const;
  // Returns the decoded parameters in order; those that cannot be decoded are left out.
  std::vector<std::pair<std::string, std::string>> QueryParameters() const;
  std::string ToString() const;
};

}  // namespace berth::cel
