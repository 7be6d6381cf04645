#include "net/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "net/http_connection.h"

namespace berth::net {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr Duration kLongestTimeout = Duration::Seconds(int64_t{365} * 24 * 3600);

// "5s", "1.5s", "20ms".
std::string ToText(Duration duration) {
  if (duration < Duration::Seconds(1)) {
    return fmt::format("{}ms", static_cast<double>(duration.nanos) / 1e6);
  }
  return fmt::format("{}s", duration.seconds());
}

}  // namespace

// What the client has under way, and the connections; all on the loop's thread. Handlers hold it
// weakly: it goes with the client, after a last Close.
class HttpClient::Pool : public std::enable_shared_from_this<Pool> {
 public:
  // One request, from Post to its callback.
  struct Exchange {
    RequestId id = 0;
    std::string name;  // "POST http://h/x"
    HttpRequest request;
    Duration timeout;
    Callback callback;
    std::optional<asio::steady_timer> timer;
    std::string origin;
    std::shared_ptr<HttpConnection> connection;  // Null while it waits for one.
  };

  Pool(asio::io_context& context, std::shared_ptr<asio::ssl::context> tls,
       HttpClientOptions options)
      : context_(context), tls_(std::move(tls)), options_(std::move(options)) {}

  asio::io_context& context() { return context_; }

  void Begin(Exchange exchange) {
    const RequestId id = exchange.id;
    if (closed_) {
      return exchange.callback(
          std::unexpected(HttpError{HttpError::Kind::kCancelled, exchange.name + ": cancelled"}));
    }
    exchange.origin = exchange.request.url.origin();
    Exchange& begun = under_way_.emplace(id, std::move(exchange)).first->second;
    if (begun.timeout > Duration()) LimitTime(begun);
    Host& host = hosts_[begun.origin];
    host.waiting.push_back(id);
    ServeWaiting(host);
  }

  void Cancel(RequestId id) { Abandon(id, HttpError::Kind::kCancelled, "cancelled"); }

  void Close() {
    closed_ = true;
    for (auto& [origin, host] : hosts_) {
      host.waiting.clear();
      for (const auto& connection : host.idle) connection->Close();
      host.idle.clear();
    }
    while (!under_way_.empty()) Cancel(under_way_.begin()->first);
  }

 private:
  struct Host {
    size_t connections = 0;  // Idle ones included.
    std::vector<std::shared_ptr<HttpConnection>> idle;
    std::deque<RequestId> waiting;  // Those that are over by now are passed over.
  };

  void LimitTime(Exchange& exchange) {
    const Duration limit = std::min(exchange.timeout, kLongestTimeout);
    exchange.timer.emplace(context_, std::chrono::nanoseconds(limit.nanos));
    exchange.timer->async_wait(
        [weak = weak_from_this(), id = exchange.id, limit](const error_code& error) {
          const auto self = weak.lock();
          if (self && !error) {
            self->Abandon(id, HttpError::Kind::kTimeout, "no answer within " + ToText(limit));
          }
        });
  }

  // Gives connections to as many of those waiting as may have one.
  void ServeWaiting(Host& host) {
    while (!host.waiting.empty()) {
      const auto next = under_way_.find(host.waiting.front());
      if (next == under_way_.end()) {
        host.waiting.pop_front();
        continue;
      }
      auto connection = TakeConnection(host, next->second);
      if (!connection) return;
      host.waiting.pop_front();
      Send(next->second, std::move(connection));
    }
  }

  // An idle connection or a new one; null if there are as many as there may be.
  std::shared_ptr<HttpConnection> TakeConnection(Host& host, const Exchange& exchange) {
    while (!host.idle.empty()) {
      // The one used last is the least likely to be closed soon.
      auto connection = std::move(host.idle.back());
      host.idle.pop_back();
      if (connection->StillGood()) return connection;
      Drop(host, *connection);
    }
    if (host.connections >= options_.max_connections_per_host) return nullptr;
    ++host.connections;
    return MakeHttpConnection(context_, *tls_, exchange.request.url, options_.tls.server_name,
                              options_.max_body_bytes);
  }

  void Send(Exchange& exchange, std::shared_ptr<HttpConnection> connection) {
    exchange.connection = std::move(connection);
    exchange.connection->Post(
        std::move(exchange.request),
        [weak = weak_from_this(), id = exchange.id](Result<HttpResponse> result, bool reusable) {
          if (const auto self = weak.lock()) self->Done(id, std::move(result), reusable);
        });
  }

  void Done(RequestId id, Result<HttpResponse> result, bool reusable) {
    Exchange exchange = Take(id);
    Host& host = hosts_[exchange.origin];
    if (reusable && !closed_ &&
        (!host.waiting.empty() || host.idle.size() < options_.max_idle_per_host)) {
      Keep(exchange.origin, host, std::move(exchange.connection));
    } else {
      Drop(host, *exchange.connection);
    }
    ServeWaiting(host);
    if (result) return exchange.callback(*std::move(result));
    exchange.callback(std::unexpected(HttpError{
        HttpError::Kind::kBroken, fmt::format("{}: {}", exchange.name, result.error().message)}));
  }

  void Abandon(RequestId id, HttpError::Kind kind, const std::string& why) {
    if (!under_way_.contains(id)) return;
    Exchange exchange = Take(id);
    Host& host = hosts_[exchange.origin];
    if (exchange.connection) Drop(host, *exchange.connection);
    ServeWaiting(host);
    exchange.callback(std::unexpected(HttpError{kind, fmt::format("{}: {}", exchange.name, why)}));
  }

  Exchange Take(RequestId id) {
    auto node = under_way_.extract(id);
    node.mapped().timer.reset();
    return std::move(node.mapped());
  }

  void Keep(const std::string& origin, Host& host, std::shared_ptr<HttpConnection> connection) {
    HttpConnection* const which = connection.get();
    host.idle.push_back(std::move(connection));
    which->Rest(options_.idle_limit, [weak = weak_from_this(), origin, which] {
      if (const auto self = weak.lock()) self->Lost(origin, which);
    });
  }

  void Lost(const std::string& origin, const HttpConnection* which) {
    Host& host = hosts_[origin];
    const auto found = std::ranges::find(host.idle, which, [](const auto& c) { return c.get(); });
    if (found == host.idle.end()) return;
    const auto connection = std::move(*found);
    host.idle.erase(found);
    Drop(host, *connection);
  }

  static void Drop(Host& host, HttpConnection& connection) {
    connection.Close();
    --host.connections;
  }

  asio::io_context& context_;
  const std::shared_ptr<asio::ssl::context> tls_;
  const HttpClientOptions options_;
  bool closed_ = false;
  std::map<RequestId, Exchange> under_way_;
  std::map<std::string, Host> hosts_;  // By origin.
};

Result<std::unique_ptr<HttpClient>> HttpClient::Create(EventLoop& loop, HttpClientOptions options) {
  auto tls = MakeTlsContext(options.tls);
  if (!tls) return std::unexpected(tls.error());
  auto pool = std::make_shared<Pool>(loop.context(), *std::move(tls), std::move(options));
  return std::unique_ptr<HttpClient>(new HttpClient(std::move(pool)));
}

HttpClient::HttpClient(std::shared_ptr<Pool> pool) : pool_(std::move(pool)) {}

HttpClient::~HttpClient() {
  asio::io_context& context = pool_->context();
  asio::post(context, [pool = std::move(pool_)] { pool->Close(); });
}

HttpClient::RequestId HttpClient::Post(const std::string& url, std::vector<HttpHeader> headers,
                                       std::string body, Duration timeout, Callback callback) {
  const RequestId id = ++last_id_;
  auto parsed = ParseUrl(url);
  if (!parsed) {
    asio::post(pool_->context(), [error = std::move(parsed).error(), call = std::move(callback)] {
      call(std::unexpected(HttpError{HttpError::Kind::kUnreachable, error.message}));
    });
    return id;
  }
  Pool::Exchange exchange{.id = id,
                          .name = "POST " + url,
                          .request = {*std::move(parsed), std::move(headers), std::move(body)},
                          .timeout = timeout,
                          .callback = std::move(callback),
                          .timer = {},
                          .origin = {},
                          .connection = {}};
  asio::post(pool_->context(), [pool = pool_, begun = std::move(exchange)]() mutable {
    pool->Begin(std::move(begun));
  });
  return id;
}

void HttpClient::Cancel(RequestId id) {
  asio::post(pool_->context(), [pool = pool_, id] { pool->Cancel(id); });
}

}  // namespace berth::net
