// What tests of the HTTP server share.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "net/http_server.h"

namespace berth {

inline std::unique_ptr<net::HttpServer> Serve(net::RequestHandler handler,
                                              net::ServerOptions options = {}) {
  auto server = net::HttpServer::Start(std::move(options), std::move(handler));
  EXPECT_TRUE(server.has_value()) << server.error().message;
  return *std::move(server);
}

// "POST /x 3 abc": what was asked, and with which body.
inline void Echo(const std::shared_ptr<net::Exchange>& exchange) {
  const net::ServerRequest& request = exchange->request();
  exchange->Answer(net::ServerAnswer::Text(200, "text/plain",
                                           request.method + " " + request.target + " " +
                                               std::to_string(request.body.size()) + " " +
                                               request.body.substr(0, 20)));
}

// The answer without its Date header, which differs each time.
inline std::string WithoutDate(std::string answer) {
  for (size_t at = 0; (at = answer.find("Date: ", at)) != std::string::npos;) {
    answer.erase(at, answer.find("\r\n", at) + 2 - at);
  }
  return answer;
}

// An error that the server answers with by itself, without the date.
inline std::string Refusal(const std::string& status, const std::string& text) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " +
         std::to_string(text.size() + 1) + "\r\nConnection: close\r\n\r\n" + text + "\n";
}

}  // namespace berth
