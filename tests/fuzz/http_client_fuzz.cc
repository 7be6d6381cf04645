// Arbitrary bytes from a server, in pieces of any size. Each request ends exactly once, has no
// callback afterwards, and ends at the latest with the connection.
//
// The first byte selects the protocol, the second the size of the pieces.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "net/http1_client_session.h"
#include "net/http2_client_session.h"
#include "net/outgoing.h"

namespace {

using berth::Duration;
using berth::net::ClientSession;
using berth::net::HttpHeader;
using berth::net::ResponseSink;
using berth::net::WireRequest;

constexpr size_t kMaxBody = 500;

class Sink final : public ResponseSink {
 public:
  bool Head(int status, std::vector<HttpHeader> headers) override {
    CHECK(!ended && !has_head);
    CHECK(status >= 0);
    size_t size = 0;
    for (const HttpHeader& header : headers) size += header.name.size() + header.value.size();
    CHECK(size <= berth::net::kMaxResponseHeaderBytes);
    has_head = true;
    return status != 299;
  }
  bool Data(std::string_view bytes) override {
    CHECK(!ended && has_head);
    body += bytes.size();
    return body <= kMaxBody;
  }

  bool has_head = false;
  bool ended = false;
  size_t body = 0;
};

class Requests {
 public:
  explicit Requests(ClientSession& session) : session_(session) {}

  void Begin() {
    static const auto kRequest = [] {
      auto request = std::make_shared<WireRequest>();
      request->method = "POST";
      request->url = {.https = false, .host = "h", .port = 80, .target = "/x"};
      request->body = "body";
      request->silence_limit = Duration::Seconds(30);
      return request;
    }();
    if (session_.capacity() == 0 || sinks_.size() >= 20) return;
    const uint64_t id = sinks_.size() + 1;
    session_.Begin(id, kRequest, sinks_[id], {});
  }

  void Collect() {
    for (const auto& ended : session_.TakeEnded()) {
      Sink& sink = sinks_.at(ended.id);
      CHECK(!sink.ended);
      CHECK(!ended.result || sink.has_head);
      sink.ended = true;
    }
  }

  void CheckAllEnded() const {
    for (const auto& [id, sink] : sinks_) CHECK(sink.ended);
  }

 private:
  ClientSession& session_;
  std::map<uint64_t, Sink> sinks_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  berth::net::SteadyTime now{};
  std::string input;
  std::unique_ptr<ClientSession> session;
  if (data[0] % 2 == 0) {
    session = std::make_unique<berth::net::Http1ClientSession>();
  } else {
    session = std::make_unique<berth::net::Http2ClientSession>(Duration::Seconds(1),
                                                               Duration::Seconds(1), now);
    // Every server first sends its settings; here they are empty.
    if (data[0] % 4 == 1) input = std::string("\0\0\0\4\0\0\0\0\0", 9);
  }
  Requests requests(*session);
  requests.Begin();

  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t step = size_t{data[1]} + 1;
  berth::net::Outgoing out;
  for (size_t at = 0; at < text.size(); at += step) {
    input += text.substr(at, step);
    now += std::chrono::milliseconds(100);
    for (size_t used = 1; used > 0;) {
      used = session->Receive(input, now);
      CHECK(used <= input.size());
      input.erase(0, used);
      session->Produce(out);
      out.Consume(out.size());
    }
    requests.Collect();
    requests.Begin();
    if (at == 0) requests.Begin();
  }
  session->Expire(now + std::chrono::hours(1));
  session->Expire(now + std::chrono::hours(2));
  session->ReceiveEnd({.text = {}, .clean = data[1] % 2 == 0});
  requests.Collect();
  requests.CheckAllEnded();
  CHECK(session->capacity() == 0);
  CHECK(session->finished());
  return 0;
}
