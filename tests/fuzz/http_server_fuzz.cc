// Arbitrary bytes from a client, in pieces of any size. Requests that reach the handler are within
// the limits, and sessions end with the connection.
//
// The first byte selects the protocol, the second the size of the pieces.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "net/http1_server_session.h"
#include "net/http2_server_session.h"
#include "net/outgoing.h"

namespace {

using berth::net::BodySource;
using berth::net::Outcome;
using berth::net::Piece;
using berth::net::RequestNumber;
using berth::net::ServerOptions;
using berth::net::ServerRequest;
using berth::net::ServerResponse;
using berth::net::ServerSession;
using berth::net::SteadyTime;

constexpr size_t kMaxHeaders = 1000;
constexpr size_t kMaxBody = 500;

// A body of a few bytes, a wait and the end.
class ShortSource final : public BodySource {
 public:
  State Read(size_t, std::vector<Piece>& out) override {
    static const auto kText = std::make_shared<const std::string>(2000, 'x');
    out.push_back({kText, *kText});
    return ++reads_ < 3 ? State::kMore : reads_ < 4 ? State::kWait : State::kEnd;
  }

 private:
  int reads_ = 0;
};

// Responds at once, later, never, or with a stream, depending on the length of the target.
class Host final : public berth::net::SessionHost {
 public:
  void Handle(RequestNumber number, ServerRequest request) override {
    CHECK(!request.method.empty());
    CHECK(request.body.size() <= kMaxBody);
    size_t size = 0;
    for (const auto& header : request.headers) size += header.name.size() + header.value.size();
    CHECK(size <= kMaxHeaders);
    switch (request.target.size() % 4) {
      case 0:
        return Respond(number);
      case 1:
        return session->Deliver(number, {{}, std::make_unique<ShortSource>()}, now);
      case 2:
        later.push_back(number);
        return;
      default:
        return;
    }
  }

  void Respond(RequestNumber number) {
    session->Deliver(number, {ServerResponse::Text(200, "text/plain", "ok"), nullptr}, now);
  }

  ServerSession* session = nullptr;
  SteadyTime now{};
  std::vector<RequestNumber> later;
};

// Lets the session read `input` and write its output until it can do neither.
void Talk(ServerSession& session, std::string& input, bool ended, SteadyTime now) {
  berth::net::Outgoing out;
  for (;;) {
    size_t used = 0;
    if (!input.empty() || ended) used = session.Receive(input, now);
    CHECK(used <= input.size());
    input.erase(0, used);
    session.Produce(out, now);
    const bool silent = out.empty();
    out.Consume(out.size());
    if (used == 0 && silent) return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  ServerOptions options;
  options.max_header_bytes = kMaxHeaders;
  options.max_body_bytes = kMaxBody;
  Host host;
  std::string input;
  std::unique_ptr<ServerSession> session;
  if (data[0] % 2 == 0) {
    session = std::make_unique<berth::net::Http1ServerSession>(options, host, host.now);
  } else {
    session = std::make_unique<berth::net::Http2ServerSession>(options, host, host.now);
    // Every client first sends the preface and its settings; here they are empty.
    constexpr std::string_view kPreface("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);
    if (data[0] % 4 == 1) input = kPreface;
  }
  host.session = session.get();

  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t step = size_t{data[1]} + 1;
  for (size_t at = 0; at < text.size(); at += step) {
    input += text.substr(at, step);
    host.now += std::chrono::milliseconds(100);
    Talk(*session, input, false, host.now);
    for (const RequestNumber number : std::exchange(host.later, {})) host.Respond(number);
    session->Wake(1);
    // The connection buffers no more input than this.
    CHECK(session->finished() || input.size() <= size + kMaxHeaders);
  }
  Talk(*session, input, false, host.now);
  session->Drain();
  host.now += std::chrono::hours(1);
  session->Expire(host.now);
  Talk(*session, input, false, host.now);
  session->ReceiveEnd();
  Talk(*session, input, true, host.now);
  return 0;
}
