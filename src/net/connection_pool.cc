#include "net/connection_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <charconv>
#include <chrono>
#include <utility>

#include "base/check.h"
#include "base/chrono.h"
#include "net/gzip.h"
#include "net/steady_time.h"

namespace berth::net {

namespace {

// Buffers of longer bodies grow as bytes arrive: a Content-Length alone must not cost memory.
constexpr size_t kMaxReserve = 1 << 20;

std::unexpected<HttpError> Named(const std::string& name, HttpError error) {
  error.message = fmt::format("{}: {}", name, error.message);
  return std::unexpected(std::move(error));
}

class BufferedResponse final : public ClientResponse {
 public:
  BufferedResponse(BufferedResponseOptions options, HttpClient::Callback callback)
      : options_(std::move(options)), callback_(std::move(callback)) {}

  bool Head(int status, std::vector<HttpHeader> headers) override {
    response_.status = status;
    response_.headers = std::move(headers);
    const std::string_view length = response_.header("Content-Length");
    size_t size = 0;
    std::from_chars(length.data(), length.data() + length.size(), size);
    too_long_ = size > options_.max_body_bytes;
    if (!too_long_) response_.body.reserve(std::min(size, kMaxReserve));
    return !too_long_;
  }

  bool Data(std::string_view bytes) override {
    too_long_ = bytes.size() > options_.max_body_bytes - response_.body.size();
    if (!too_long_) response_.body.append(bytes);
    return !too_long_;
  }

  void End(HttpResult<void> result) override {
    if (result && options_.gzip) result = Unpack();
    if (too_long_) {
      result = std::unexpected(
          HttpError{HttpError::Kind::kBroken,
                    fmt::format("the answer is longer than {} bytes", options_.max_body_bytes)});
    }
    if (!result) return callback_(Named(options_.name, std::move(result).error()));
    callback_(std::move(response_));
  }

 private:
  HttpResult<void> Unpack() {
    if (!EqualIgnoringCase(response_.header("Content-Encoding"), "gzip")) return {};
    // The response to a HEAD request has no body.
    if (response_.body.empty()) return {};
    auto body = Gunzip(response_.body, options_.max_body_bytes);
    if (!body) return std::unexpected(HttpError{HttpError::Kind::kBroken, body.error().message});
    response_.body = *std::move(body);
    std::erase_if(response_.headers, [](const HttpHeader& header) {
      return EqualIgnoringCase(header.name, "Content-Encoding") ||
             EqualIgnoringCase(header.name, "Content-Length");
    });
    return {};
  }

  const BufferedResponseOptions options_;
  const HttpClient::Callback callback_;
  HttpResponse response_;
  bool too_long_ = false;
};

// StreamedResponse sets `delivering` while it calls the user from within a session.
class StreamedResponse final : public ClientResponse {
 public:
  StreamedResponse(std::string name, ResponseStream stream, bool& delivering)
      : name_(std::move(name)), stream_(std::move(stream)), delivering_(delivering) {}

  bool Head(int status, std::vector<HttpHeader> headers) override {
    if (!stream_.on_head) return true;
    delivering_ = true;
    stream_.on_head(status, headers);
    delivering_ = false;
    return true;
  }

  bool Data(std::string_view bytes) override {
    if (!stream_.on_data || bytes.empty()) return true;
    delivering_ = true;
    stream_.on_data(bytes);
    delivering_ = false;
    return true;
  }

  void End(HttpResult<void> result) override {
    if (!result) result = Named(name_, std::move(result).error());
    if (stream_.on_end) stream_.on_end(std::move(result));
  }

 private:
  const std::string name_;
  const ResponseStream stream_;
  bool& delivering_;
};

}  // namespace

std::unique_ptr<ClientResponse> MakeBufferedResponse(BufferedResponseOptions options,
                                                     HttpClient::Callback callback) {
  return std::make_unique<BufferedResponse>(std::move(options), std::move(callback));
}

std::unique_ptr<ClientResponse> ConnectionPool::MakeStreamedResponse(std::string name,
                                                                     ResponseStream stream) {
  return std::make_unique<StreamedResponse>(std::move(name), std::move(stream), delivering_);
}

namespace {

constexpr Duration kLongestTimeout = Duration::Seconds(int64_t{365} * 24 * 3600);
// A request that the server rejects unprocessed this often fails.
constexpr int kMaxTries = 5;

HttpError Cancelled() { return {HttpError::Kind::kCancelled, "cancelled"}; }

}  // namespace

ConnectionPool::ConnectionPool(boost::asio::io_context& context, TlsSource tls,
                               HttpClientOptions options)
    : context_(context), tls_(std::move(tls)), options_(std::move(options)) {}

void ConnectionPool::Begin(ClientExchange exchange) {
  if (closed_) return exchange.response->End(std::unexpected(Cancelled()));
  exchange.origin = exchange.request->url.origin();
  const RequestId id = exchange.id;
  ClientExchange& begun = under_way_.emplace(id, std::move(exchange)).first->second;
  if (begun.timeout > Duration()) LimitTime(begun);
  Host& host = hosts_[begun.origin];
  host.waiting.insert(id);
  ServeWaiting(host);
}

void ConnectionPool::LimitTime(ClientExchange& exchange) {
  const Duration limit = std::min(exchange.timeout, kLongestTimeout);
  exchange.timer.emplace(context_, ToChrono(limit));
  exchange.timer->async_wait(
      [weak = weak_from_this(), id = exchange.id, limit](const boost::system::error_code& error) {
        const auto self = weak.lock();
        if (!self || error) return;
        self->Abandon(id, {HttpError::Kind::kTimeout, "no answer within " + ToText(limit)});
      });
}

void ConnectionPool::Cancel(RequestId id) { Abandon(id, Cancelled()); }

void ConnectionPool::UseTls(TlsSource tls) {
  tls_ = std::move(tls);
  for (auto& [origin, host] : hosts_) {
    CloseOpening(host);
    for (const auto& connection : host.connections) connection->Retire();
    ServeWaiting(host);
  }
}

void ConnectionPool::Close() {
  closed_ = true;
  while (!under_way_.empty()) Cancel(under_way_.begin()->first);
  for (auto& [origin, host] : hosts_) {
    for (const auto& connection : host.connections) connection->Close();
    host.connections.clear();
  }
}

void ConnectionPool::ServeWaiting(Host& host) {
  while (!host.waiting.empty() && !closed_) {
    const auto next = under_way_.find(*host.waiting.begin());
    CHECK(next != under_way_.end());
    ClientExchange& exchange = next->second;
    if (exchange.may_send && !exchange.may_send()) {
      Refuse(exchange.id);
      continue;
    }
    auto connection = FindConnection(host);
    if (!connection) return OpenMore(host);
    host.waiting.erase(host.waiting.begin());
    exchange.connection = std::move(connection);
    exchange.connection->Begin(exchange.id, exchange.request, *exchange.response);
  }
}

void ConnectionPool::Refuse(RequestId id) {
  // Posted, because Send may not have returned yet.
  boost::asio::post(context_, [refused = Take(id).response] {
    refused->End(std::unexpected(
        HttpError{HttpError::Kind::kCancelled, "not sent, because it is no longer allowed"}));
  });
}

std::shared_ptr<ClientConnection> ConnectionPool::FindConnection(Host& host) {
  // The most recently used connection is the least likely to be closed soon.
  for (size_t i = host.connections.size(); i-- > 0;) {
    const auto connection = host.connections[i];
    if (connection->capacity() == 0) continue;
    if (connection->idle()) connection->Probe();
    if (connection->capacity() > 0) return connection;
  }
  return nullptr;
}

void ConnectionPool::OpenMore(Host& host) {
  const Url& url = under_way_.at(*host.waiting.begin()).request->url;
  const bool http2 = url.https ? options_.http2 : options_.h2c;
  // One connection may serve all, unless the server is known to use HTTP/1.1.
  const size_t wanted = http2 && !host.http1 ? 1 : host.waiting.size();
  auto opening = static_cast<size_t>(
      std::ranges::count_if(host.connections, [](const auto& c) { return !c->opened(); }));
  for (; opening < wanted && host.connections.size() < options_.max_connections_per_host;
       ++opening) {
    ConnectionSettings settings{.origin = url,
                                .tls = url.https ? tls_.Current() : nullptr,
                                .server_name = tls_.options().server_name,
                                .http2 = http2,
                                .connect_timeout = options_.connect_timeout,
                                .idle_limit = options_.idle_limit,
                                .ping_after = options_.ping_after,
                                .ping_timeout = options_.ping_timeout,
                                .dial = options_.dial};
    host.connections.push_back(
        std::make_shared<ClientConnection>(context_, std::move(settings), weak_from_this()));
    host.connections.back()->Start();
  }
}

void ConnectionPool::OnCapacity(ClientConnection& connection) {
  Host& host = hosts_[connection.origin().origin()];
  host.http1 = !connection.multiplexes();
  ServeWaiting(host);
}

void ConnectionPool::OnEnded(ClientConnection& connection, std::vector<EndedRequest> ended) {
  Host& host = hosts_[connection.origin().origin()];
  std::vector<std::pair<ClientExchange, HttpResult<void>>> done;
  for (EndedRequest& request : ended) {
    const auto found = under_way_.find(request.id);
    if (found == under_way_.end()) continue;
    ClientExchange& exchange = found->second;
    if (request.again && ++exchange.tries < kMaxTries) {
      exchange.connection.reset();
      host.waiting.insert(request.id);
    } else {
      done.emplace_back(Take(request.id), std::move(request.result));
    }
  }
  const auto place =
      std::ranges::find(host.connections, &connection, &std::shared_ptr<ClientConnection>::get);
  if (place != host.connections.end()) std::rotate(place, place + 1, host.connections.end());
  ServeWaiting(host);
  for (auto& [exchange, result] : done) exchange.response->End(std::move(result));
}

void ConnectionPool::OnLost(ClientConnection& connection, const HttpError& why) {
  Host& host = hosts_[connection.origin().origin()];
  std::erase_if(host.connections, [&](const auto& c) { return c.get() == &connection; });
  std::vector<RequestId> failed;
  if (!connection.opened() && !host.waiting.empty()) {
    // The connection was opened for one queued request, or with HTTP/2 for all.
    const bool one = host.http1 || !(connection.origin().https ? options_.http2 : options_.h2c);
    const auto end = one ? std::next(host.waiting.begin()) : host.waiting.end();
    failed.assign(host.waiting.begin(), end);
  }
  std::vector<ClientExchange> exchanges;
  for (const RequestId id : failed) exchanges.push_back(Take(id));
  ServeWaiting(host);
  for (ClientExchange& exchange : exchanges) exchange.response->End(std::unexpected(why));
}

void ConnectionPool::CloseOpening(Host& host) {
  std::erase_if(host.connections, [](const auto& connection) {
    if (connection->opened()) return false;
    connection->Close();
    return true;
  });
}

void ConnectionPool::Abandon(RequestId id, HttpError error) {
  if (!under_way_.contains(id)) return;
  ClientExchange exchange = Take(id);
  Host& host = hosts_[exchange.origin];
  if (exchange.connection) {
    exchange.connection->Abandon(id);
  } else if (host.waiting.empty()) {
    // No request needs the connections that are being opened.
    CloseOpening(host);
  }
  exchange.response->End(std::unexpected(std::move(error)));
}

ClientExchange ConnectionPool::Take(RequestId id) {
  auto node = under_way_.extract(id);
  ClientExchange exchange = std::move(node.mapped());
  exchange.timer.reset();
  hosts_[exchange.origin].waiting.erase(id);
  return exchange;
}

}  // namespace berth::net
