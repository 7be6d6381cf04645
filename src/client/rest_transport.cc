#include "client/rest_transport.h"

#include <utility>

namespace berth::client {
namespace {

// Lists at version 0 come whole, however many objects there are.
constexpr size_t kMaxBodyBytes = size_t{2} << 30;

class HttpTransport final : public RestTransport {
 public:
  explicit HttpTransport(std::unique_ptr<net::HttpClient> client) : client_(std::move(client)) {}

  RequestId Send(net::ClientRequest request, Callback callback) override {
    return client_->Send(std::move(request), std::move(callback));
  }
  RequestId Open(net::ClientRequest request, net::ResponseStream stream) override {
    return client_->Open(std::move(request), std::move(stream));
  }
  Result<void> UseTls(net::TlsOptions tls) override { return client_->UseTls(std::move(tls)); }
  void Cancel(RequestId id) override { client_->Cancel(id); }

 private:
  const std::unique_ptr<net::HttpClient> client_;
};

}  // namespace

Result<std::unique_ptr<RestTransport>> MakeHttpTransport(net::EventLoop& loop,
                                                         const ClientConfig& config) {
  net::HttpClientOptions options;
  options.tls = config.tls;
  options.http2 = true;
  options.gzip = config.gzip;
  options.max_body_bytes = kMaxBodyBytes;
  auto client = net::HttpClient::Create(loop, std::move(options));
  if (!client) return std::unexpected(client.error());
  return std::make_unique<HttpTransport>(*std::move(client));
}

}  // namespace berth::client
