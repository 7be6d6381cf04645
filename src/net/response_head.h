// The head of an answer, as both protocols send it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http_server.h"

namespace berth::net {

// How the peer learns where the body ends.
struct Http1Framing {
  std::optional<size_t> content_length;
  bool chunked = false;
  bool close = false;  // The connection is closed after the answer.
};

// Whether an answer of that status may have a body.
bool MayHaveBody(int status);

size_t BodySize(const ServerAnswer& answer);

// Whether `header` goes out as the handler gave it: headers about framing and the connection are
// the server's, and what cannot be sent safely is left out.
bool IsSendable(const HttpHeader& header);

// The time now, as the Date header has it; made once a second.
std::string_view HttpDate();

// Appends status line, headers and the empty line.
void AppendHttp1Head(const ServerAnswer& answer, const Http1Framing& framing, std::string& out);

}  // namespace berth::net
