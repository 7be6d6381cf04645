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

}  // namespace berth
