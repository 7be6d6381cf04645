#include "apiserver/server.h"

#include <fmt/format.h>

#include "api/scheme/scheme.h"
#include "apiserver/negotiation.h"
#include "apiserver/registry/bootstrap.h"
#include "apiserver/service_account_tokens.h"
#include "base/base64.h"

namespace berth::apiserver {
namespace {

// A store without persistence must not reuse the versions of a previous one, so it starts with the
// microseconds since 1970: no store writes faster than that.
store::Version FirstVersion(Instant now) {
  return static_cast<store::Version>(std::max<int64_t>(now.nanos / 1000, 1));
}

Result<std::unique_ptr<store::Store>> OpenStore(const ApiServerOptions& options, Instant now) {
  std::unique_ptr<store::Journal> journal;
  if (!options.data_dir.empty()) {
    auto opened = store::OpenSqliteJournal(options.data_dir);
    if (!opened) return std::unexpected(opened.error());
    journal = *std::move(opened);
  }
  store::StoreOptions store_options{.collections = api::scheme::CollectionNames(),
                                    .history = options.history,
                                    .history_bytes = options.history_bytes};
  if (journal == nullptr) store_options.first_version = FirstVersion(now);
  return store::Store::Open(std::move(store_options), std::move(journal));
}

// Returns the options with an issuer of tokens for service accounts.
Result<registry::AccessOptions> AccessWithTokens(const ApiServerOptions& options,
                                                 const store::Store& store, const Clock& clock) {
  auto key = options.token_key ? Result<net::JwtKey>(*options.token_key) : net::JwtKey::Generate();
  if (!key) return std::unexpected(key.error());
  registry::AccessOptions access = options.access;
  access.service_accounts = std::make_shared<ServiceAccountTokens>(store, clock, *std::move(key));
  return access;
}

// Returns the address to connect to; a loopback address if the server listens on every address.
std::string_view ReachableAddress(std::string_view address) {
  if (address == "0.0.0.0" || address.empty()) return "127.0.0.1";
  if (address == "::") return "::1";
  return address;
}

std::string QuotedYaml(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

ApiServer::ApiServer(ApiServerOptions options) : options_(std::move(options)) {}

ApiServer::~ApiServer() {
  if (handler_ != nullptr) handler_->StopSlowWrites();
}

Result<std::unique_ptr<ApiServer>> ApiServer::Start(ApiServerOptions options) {
  if (auto safe = CheckExposure(options.address, options.tls != nullptr, options.access); !safe) {
    return std::unexpected(safe.error());
  }
  std::unique_ptr<ApiServer> server(new ApiServer(std::move(options)));
  const ApiServerOptions& own = server->options_;
  auto store = OpenStore(own, server->real_clock_.Now());
  if (!store) return std::unexpected(store.error());
  server->store_ = *std::move(store);
  const Clock& clock = own.clock != nullptr ? *own.clock : server->real_clock_;
  server->api_ = std::make_unique<registry::Api>(*server->store_, clock, own.seed, own.workloads);
  server->api_->set_mount_tokens(own.mount_tokens);
  auto access = AccessWithTokens(own, *server->store_, clock);
  if (!access) return std::unexpected(access.error());
  server->handler_ = std::make_unique<Handler>(*server->api_, registry::Access(*std::move(access)),
                                               clock, server->steady_clock_);
  server->handler_->metrics().Append(own.more_metrics);

  net::ServerOptions http;
  http.address = own.address;
  http.port = own.port;
  http.threads = own.threads;
  http.tls = own.tls;
  // The handler rejects bodies that are slightly too large with a Status.
  http.max_body_bytes = 2 * kMaxBodyBytes;
  http.admission = [handler = server->handler_.get()](const net::ServerRequest& head) {
    return handler->Admit(head);
  };
  auto started = net::HttpServer::Start(
      std::move(http), [handler = server->handler_.get()](std::shared_ptr<net::Exchange> exchange) {
        handler->Handle(std::move(exchange));
      });
  if (!started) return std::unexpected(started.error());
  server->http_ = *std::move(started);
  registry::CreateClusterObjects(*server->api_, {own.address, server->port()});
  return server;
}

std::string ApiServer::url() const {
  const std::string_view address = ReachableAddress(options_.address);
  const bool ipv6 = address.find(':') != address.npos;
  return fmt::format("{}://{}{}{}:{}", options_.tls == nullptr ? "http" : "https", ipv6 ? "[" : "",
                     address, ipv6 ? "]" : "", port());
}

void ApiServer::Delegate(std::string prefix, net::RequestHandler handler) {
  handler_->Delegate(std::move(prefix), std::move(handler));
}

void ApiServer::Stop(std::chrono::milliseconds grace) {
  handler_->StopSlowWrites();
  http_->Stop(grace);
}

std::string KubeconfigText(const std::string& url, const std::string& ca,
                           const std::string& token) {
  std::string text = fmt::format(
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "- name: berth\n"
      "  cluster:\n"
      "    server: {}\n",
      url);
  // Some clients, such as the JavaScript client, require this to connect without TLS.
  if (url.starts_with("http://")) text += "    insecure-skip-tls-verify: true\n";
  if (!ca.empty()) text += fmt::format("    certificate-authority-data: {}\n", EncodeBase64(ca));
  text +=
      "users:\n"
      "- name: berth\n";
  text += token.empty() ? std::string("  user: {}\n")
                        : fmt::format("  user:\n    token: {}\n", QuotedYaml(token));
  text +=
      "contexts:\n"
      "- name: berth\n"
      "  context:\n"
      "    cluster: berth\n"
      "    user: berth\n"
      "current-context: berth\n";
  return text;
}

}  // namespace berth::apiserver
