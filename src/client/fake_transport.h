// FakeTransport keeps the requests that a RestClient makes until a test answers them.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "client/rest_transport.h"

namespace berth::client {

// The test's view, which outlives the client.
struct FakeServer {
  struct Pending {
    net::ClientRequest request;
    RestTransport::Callback callback;
    net::ResponseStream stream;
  };

  std::map<RestTransport::RequestId, Pending> pending;
  std::vector<net::ClientRequest> requests;  // All there were.
  std::vector<net::TlsOptions> tls;          // All that UseTls was given.
  std::string tls_error;                     // What UseTls says, unless empty.

  // Of the last request.
  std::string header(std::string_view name) const {
    return std::string(net::FindHeader(requests.back().headers, name));
  }

  // Answers the oldest request that waits.
  void Answer(int status, std::string body = "", std::vector<net::HttpHeader> headers = {}) {
    Pending oldest = Take();
    net::HttpResponse response{
        .status = status, .headers = std::move(headers), .body = std::move(body)};
    if (oldest.callback) return oldest.callback(std::move(response));
    oldest.stream.on_head(response.status, response.headers);
    if (!response.body.empty()) oldest.stream.on_data(response.body);
    oldest.stream.on_end({});
  }
  void Fail(net::HttpError::Kind kind, std::string message) {
    Pending oldest = Take();
    net::HttpError error{kind, std::move(message)};
    if (oldest.callback) return oldest.callback(std::unexpected(std::move(error)));
    oldest.stream.on_end(std::unexpected(std::move(error)));
  }
  Pending Take() {
    EXPECT_FALSE(pending.empty());
    if (pending.empty()) return {};
    return pending.extract(pending.begin()).mapped();
  }
};

class FakeTransport final : public RestTransport {
 public:
  explicit FakeTransport(FakeServer& server) : server_(server) {}

  RequestId Send(net::ClientRequest request, Callback callback) override {
    server_.requests.push_back(request);
    server_.pending[++last_id_] = {std::move(request), std::move(callback), {}};
    return last_id_;
  }
  RequestId Open(net::ClientRequest request, net::ResponseStream stream) override {
    server_.requests.push_back(request);
    server_.pending[++last_id_] = {std::move(request), {}, std::move(stream)};
    return last_id_;
  }
  Result<void> UseTls(net::TlsOptions tls) override {
    if (!server_.tls_error.empty()) return berth::Fail(server_.tls_error);
    server_.tls.push_back(std::move(tls));
    return {};
  }
  void Cancel(RequestId id) override { server_.pending.erase(id); }

 private:
  FakeServer& server_;
  RequestId last_id_ = 0;
};

}  // namespace berth::client
