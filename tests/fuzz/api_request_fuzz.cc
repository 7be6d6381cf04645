// Arbitrary requests to the API server. Each gets exactly one response, with valid JSON if its type
// is JSON, and every failure is a Status.
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/json/json_text.h"
#include "api/scheme/scheme.h"
#include "apiserver/handler.h"
#include "apiserver/registry/api.h"
#include "apiserver/store/store.h"
#include "base/check.h"
#include "base/time.h"

namespace {

namespace net = berth::net;

// Reads a stream until it ends or waits.
class FuzzExchange final : public net::Exchange {
 public:
  explicit FuzzExchange(net::ServerRequest request) : request_(std::move(request)) {}

  const net::ServerRequest& request() const override { return request_; }
  void Respond(net::ServerResponse response) override {
    ++responses_;
    CheckBody(response);
    if (response.status < 400) return;
    CHECK(!response.body.empty());
    CHECK(response.body.front().bytes.starts_with("{\"kind\":\"Status\""));
  }
  void Stream(net::ServerResponse, std::unique_ptr<net::BodySource> source) override {
    ++responses_;
    std::vector<net::Piece> pieces;
    while (source->Read(1000, pieces) == net::BodySource::State::kMore) {
    }
  }
  void Wake() override {}
  void WakeAfter(std::chrono::milliseconds) override {}

  int responses() const { return responses_; }

 private:
  static void CheckBody(const net::ServerResponse& response) {
    if (net::FindHeader(response.headers, "Content-Type") != "application/json") return;
    std::string body;
    for (const net::Piece& piece : response.body) body += piece.bytes;
    boost::json::error_code error;
    boost::json::parse_options options;
    options.max_depth = 2 * berth::api::kMaxNesting;  // The sent object in a list.
    (void)boost::json::parse(body, error, {}, options);
    CHECK(!error);
  }

  net::ServerRequest request_;
  int responses_ = 0;
};

// A server with a few objects.
struct Server {
  Server() {
    using berth::api::scheme::Kind;
    const auto create = [&](const char* target, const char* body) {
      net::ServerRequest request;
      request.method = "POST";
      request.target = target;
      request.body = body;
      handler.Handle(std::make_shared<FuzzExchange>(std::move(request)));
    };
    create("/api/v1/namespaces/default/pods",
           R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    create("/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"m"}})");
    create("/api/v1/nodes", R"({"metadata":{"name":"n"}})");
  }

  berth::SimClock clock{berth::Instant::FromUnixSeconds(1'700'000'000)};
  std::unique_ptr<berth::apiserver::store::Store> store = *berth::apiserver::store::Store::Open(
      {.collections = berth::api::scheme::CollectionNames(), .history = 100}, nullptr);
  berth::apiserver::registry::Api api{*store, clock, 1};
  berth::apiserver::Handler handler{api, berth::apiserver::registry::Access({}), clock, clock};
};

// Removes the first line from `text` and returns it.
std::string TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string line(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

// Lines: method, target, Content-Type, Accept; the rest is the body.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The objects of earlier inputs reach more code, but must not fill the memory.
  constexpr int kInputsPerServer = 500;
  static std::unique_ptr<Server> server;
  static int inputs = 0;
  if (server == nullptr || ++inputs % kInputsPerServer == 0) server = std::make_unique<Server>();

  std::string_view text(reinterpret_cast<const char*>(data), size);
  net::ServerRequest request;
  request.method = TakeLine(text);
  request.target = TakeLine(text);
  request.headers = {{"Content-Type", TakeLine(text)}, {"Accept", TakeLine(text)}};
  request.body = text;
  const auto exchange = std::make_shared<FuzzExchange>(std::move(request));
  server->handler.Handle(exchange);
  CHECK(exchange->responses() == 1);
  return 0;
}
