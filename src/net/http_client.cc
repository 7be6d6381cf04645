#include "net/http_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "net/client_session.h"
#include "net/connection_pool.h"

namespace berth::net {

namespace asio = boost::asio;

namespace {

std::string NameOf(const ClientRequest& request) { return request.method + " " + request.url; }

}  // namespace

Result<std::unique_ptr<HttpClient>> HttpClient::Create(EventLoop& loop, HttpClientOptions options) {
  auto tls = TlsSource::Create(options.tls);
  if (!tls) return std::unexpected(tls.error());
  auto pool = std::make_shared<ConnectionPool>(loop.context(), *std::move(tls), options);
  return std::unique_ptr<HttpClient>(new HttpClient(std::move(pool), options));
}

HttpClient::HttpClient(std::shared_ptr<ConnectionPool> pool, const HttpClientOptions& options)
    : pool_(std::move(pool)), max_body_bytes_(options.max_body_bytes), gzip_(options.gzip) {}

HttpClient::~HttpClient() {
  asio::post(pool_->context(), [pool = pool_] { pool->Close(); });
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

HttpClient::RequestId HttpClient::Send(ClientRequest request, Callback callback) {
  // Whoever asks for an encoding unpacks it.
  const bool gzip = gzip_ && FindHeader(request.headers, "Accept-Encoding").empty();
  if (gzip) request.headers.push_back({"Accept-Encoding", "gzip"});
  auto answer = MakeBufferedResponse(
      {.name = NameOf(request), .max_body_bytes = max_body_bytes_, .gzip = gzip},
      std::move(callback));
  return Start(std::move(request), std::move(answer));
}

HttpClient::RequestId HttpClient::Open(ClientRequest request, ResponseStream stream) {
  auto answer = MakeStreamedResponse(NameOf(request), std::move(stream));
  return Start(std::move(request), std::move(answer));
}

HttpClient::RequestId HttpClient::Start(ClientRequest request,
                                        std::unique_ptr<ClientResponse> answer) {
  const RequestId id = ++last_id_;
  const Duration timeout = request.timeout;
  auto checked = MakeWireRequest(std::move(request));
  if (!checked) {
    asio::post(pool_->context(), [error = std::move(checked).error(), answer = std::move(answer)] {
      answer->End(std::unexpected(HttpError{HttpError::Kind::kUnreachable, error.message}));
    });
    return id;
  }
  asio::post(pool_->context(), [pool = pool_, id, timeout, wire = *std::move(checked),
                                answer = std::move(answer)]() mutable {
    ClientExchange exchange;
    exchange.id = id;
    exchange.request = std::make_shared<const WireRequest>(std::move(wire));
    exchange.timeout = timeout;
    exchange.answer = std::move(answer);
    pool->Begin(std::move(exchange));
  });
  return id;
}

Result<void> HttpClient::UseTls(TlsOptions tls) {
  auto source = TlsSource::Create(std::move(tls));
  if (!source) return std::unexpected(source.error());
  asio::post(pool_->context(), [pool = pool_, used = *std::move(source)]() mutable {
    pool->UseTls(std::move(used));
  });
  return {};
}

void HttpClient::Cancel(RequestId id) {
  asio::post(pool_->context(), [pool = pool_, id] { pool->Cancel(id); });
}

}  // namespace berth::net
