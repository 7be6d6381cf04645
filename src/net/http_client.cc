#include "net/http_client.h"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "net/client_session.h"
#include "net/connection_pool.h"

namespace berth::net {
namespace {

namespace asio = boost::asio;

std::string NameOf(const ClientRequest& request) { return request.method + " " + request.url; }

class PooledHttpClient final : public HttpClient {
 public:
  PooledHttpClient(EventLoop& loop, TlsSource tls, const HttpClientOptions& options)
      : loop_(loop),
        pool_(std::make_shared<ConnectionPool>(loop.context(), std::move(tls), options)),
        max_body_bytes_(options.max_body_bytes),
        gzip_(options.gzip) {}

  ~PooledHttpClient() override {
    asio::post(pool_->context(), [pool = pool_] { pool->Close(); });
  }

  RequestId Send(ClientRequest request, Callback callback) override {
    // A caller that requests an encoding also decodes it.
    const bool gzip = gzip_ && FindHeader(request.headers, "Accept-Encoding").empty();
    if (gzip) request.headers.push_back({"Accept-Encoding", "gzip"});
    auto response = MakeBufferedResponse(
        {.name = NameOf(request), .max_body_bytes = max_body_bytes_, .gzip = gzip},
        std::move(callback));
    return Start(std::move(request), std::move(response));
  }

  RequestId Open(ClientRequest request, ResponseStream stream) override {
    auto response = pool_->MakeStreamedResponse(NameOf(request), std::move(stream));
    return Start(std::move(request), std::move(response));
  }

  Result<void> UseTls(TlsOptions tls) override {
    auto source = TlsSource::Create(std::move(tls));
    if (!source) return std::unexpected(source.error());
    Dispatch([used = *std::move(source)](ConnectionPool& pool) mutable {
      pool.UseTls(std::move(used));
    });
    return {};
  }

  // Always posted: the end of the request calls the user back.
  void Cancel(RequestId id) override {
    asio::post(pool_->context(), [pool = pool_, id] { pool->Cancel(id); });
  }

 private:
  RequestId Start(ClientRequest request, std::unique_ptr<ClientResponse> response) {
    const RequestId id = ++last_id_;
    const Duration timeout = request.timeout;
    std::function<bool()> may_send = std::move(request.may_send);
    auto checked = MakeWireRequest(std::move(request));
    if (!checked) {
      asio::post(
          pool_->context(), [error = std::move(checked).error(), response = std::move(response)] {
            response->End(std::unexpected(HttpError{HttpError::Kind::kUnreachable, error.message}));
          });
      return id;
    }
    ClientExchange exchange;
    exchange.id = id;
    exchange.request = std::make_shared<const WireRequest>(*std::move(checked));
    exchange.timeout = timeout;
    exchange.may_send = std::move(may_send);
    exchange.response = std::move(response);
    Dispatch([exchange = std::move(exchange)](ConnectionPool& pool) mutable {
      pool.Begin(std::move(exchange));
    });
    return id;
  }

  // Runs `work` on the loop, in the order of calls: at once if this is its thread and the pool may
  // be called, posted otherwise.
  template <typename Work>
  void Dispatch(Work work) {
    if (loop_.RunsHere() && !pool_->delivering() && deferred_->load() == 0) return work(*pool_);
    ++*deferred_;
    asio::post(pool_->context(),
               [pool = pool_, deferred = deferred_, work = std::move(work)]() mutable {
                 --*deferred;
                 work(*pool);
               });
  }

  EventLoop& loop_;
  const std::shared_ptr<ConnectionPool> pool_;
  // How many calls of Dispatch are posted.
  const std::shared_ptr<std::atomic<int>> deferred_ = std::make_shared<std::atomic<int>>(0);
  const size_t max_body_bytes_;
  const bool gzip_;
  std::atomic<RequestId> last_id_ = 0;
};

}  // namespace

Result<std::unique_ptr<HttpClient>> HttpClient::Create(EventLoop& loop,
                                                       const HttpClientOptions& options) {
  auto tls = TlsSource::Create(options.tls);
  if (!tls) return std::unexpected(tls.error());
  return std::make_unique<PooledHttpClient>(loop, *std::move(tls), options);
}

HttpClient::RequestId HttpClient::Post(const std::string& url, std::vector<HttpHeader> headers,
                                       std::string body, Duration timeout, Callback callback) {
  return Send({.method = "POST",
               .url = url,
               .headers = std::move(headers),
               .body = std::move(body),
               .timeout = timeout},
              std::move(callback));
}

}  // namespace berth::net
