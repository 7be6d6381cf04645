// Http1Parser reads one HTTP/1.1 request after the other.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_server.h"

namespace berth::net {

class Http1Parser {
 public:
  // Why a request cannot be taken.
  struct Problem {
    int status = 400;
    std::string text;
  };

  Http1Parser(size_t max_header_bytes, size_t max_body_bytes);
  ~Http1Parser();

  // Takes the next bytes of the request and returns how many it used. Those left are to come again,
  // with more behind them. Not after a problem, and not when done, until TakeRequest.
  size_t Put(std::string_view bytes);

  bool started() const;    // Some bytes have been used.
  bool head_done() const;  // What follows is the body.
  bool done() const;
  const std::optional<Problem>& problem() const;

  // Known when the head is done.
  bool keep_alive() const;
  bool http10() const;
  const ServerRequest& request() const;

  // The complete request. The next bytes are another's.
  ServerRequest TakeRequest();

 private:
  class Message;

  const size_t max_header_bytes_;
  const size_t max_body_bytes_;
  std::unique_ptr<Message> message_;
};

}  // namespace berth::net
