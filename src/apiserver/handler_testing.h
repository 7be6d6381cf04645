// Requests to a Handler without a network.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/handler.h"
#include "net/http_server.h"

namespace berth::apiserver {

// An exchange that records the response.
class RecordingExchange final : public net::Exchange {
 public:
  explicit RecordingExchange(net::ServerRequest request) : request_(std::move(request)) {}

  const net::ServerRequest& request() const override { return request_; }
  void Respond(net::ServerResponse response) override {
    ++responses;
    status = response.status;
    headers = std::move(response.headers);
    for (const net::Piece& piece : response.body) body += piece.bytes;
  }
  void Stream(net::ServerResponse response, std::unique_ptr<net::BodySource> opened) override {
    ++responses;
    status = response.status;
    headers = std::move(response.headers);
    source = std::move(opened);
  }
  void Wake() override {}
  void WakeAfter(std::chrono::milliseconds) override {}

  // Returns what a watch has to send now.
  std::string ReadSource() const {
    std::vector<net::Piece> pieces;
    source->Read(1 << 20, pieces);
    std::string text;
    for (const net::Piece& piece : pieces) text += piece.bytes;
    return text;
  }

  int responses = 0;
  int status = 0;
  std::vector<net::HttpHeader> headers;
  std::string body;
  std::unique_ptr<net::BodySource> source;

 private:
  net::ServerRequest request_;
};

// Sends a request to `handler`. The stream of the response, which refers to the exchange, is closed
// when the caller drops what is returned.
inline std::shared_ptr<RecordingExchange> Send(Handler& handler, net::ServerRequest request) {
  auto exchange = std::make_shared<RecordingExchange>(std::move(request));
  handler.Handle(exchange);
  RecordingExchange* const recorded = exchange.get();
  return {recorded,
          [exchange = std::move(exchange)](RecordingExchange*) { exchange->source.reset(); }};
}

}  // namespace berth::apiserver
