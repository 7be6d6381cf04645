#include "net/extender_caller.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"

namespace berth::net {

namespace {

constexpr Duration kDefaultTimeout = Duration::Seconds(5);
constexpr int kOk = 200;

TlsOptions TlsOf(const ExtenderConfig& extender) {
  TlsOptions options;
  if (const auto& tls = extender.tls) {
    options = {.insecure = tls->insecure,
               .server_name = tls->server_name,
               .ca_file = tls->ca_file,
               .ca_data = tls->ca_data.bytes,
               .cert_file = tls->cert_file,
               .cert_data = tls->cert_data.bytes,
               .key_file = tls->key_file,
               .key_data = tls->key_data.bytes};
  }
  // As upstream: whoever asks for HTTPS and names no authority trusts any server.
  if (extender.enable_https && !options.has_ca()) options.insecure = true;
  return options;
}

}  // namespace

ExtenderCaller::ExtenderCaller(ExtenderConfig extender, std::unique_ptr<HttpClient> client)
    : extender_(std::make_shared<const ExtenderConfig>(std::move(extender))),
      client_(std::move(client)) {}

Result<std::unique_ptr<ExtenderCaller>> ExtenderCaller::Create(EventLoop& loop,
                                                               ExtenderConfig extender) {
  HttpClientOptions options;
  options.tls = TlsOf(extender);
  auto client = HttpClient::Create(loop, std::move(options));
  if (!client) {
    return Fail(
        fmt::format("extender \"{}\": tlsConfig: {}", extender.url_prefix, client.error().message));
  }
  return std::unique_ptr<ExtenderCaller>(
      new ExtenderCaller(std::move(extender), *std::move(client)));
}

HttpClient::RequestId ExtenderCaller::Call(ExtenderStep step, std::string body, Callback callback) {
  CHECK(TakesPartIn(*extender_, step));
  const Duration timeout =
      extender_->http_timeout == Duration() ? kDefaultTimeout : extender_->http_timeout;
  return client_->Post(
      UrlOf(*extender_, step), {{"Content-Type", "application/json"}}, std::move(body), timeout,
      [extender = extender_, step, call = std::move(callback)](HttpResult<HttpResponse> response) {
        if (!response) return call(Fail(std::move(response).error().message));
        if (response->status != kOk) {
          return call(Fail(StatusError(*extender, step, response->status)));
        }
        call(std::move(response->body));
      });
}

}  // namespace berth::net
