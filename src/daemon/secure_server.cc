#include "daemon/secure_server.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "daemon/serving_tls.h"
#include "observability/log.h"
#include "observability/thread_stacks.h"

namespace berth::daemon {
namespace {

constexpr std::chrono::minutes kRefreshPeriod{1};

// The endpoints need no more than these, and anybody may connect. Tokens have up to 8 KB; the only
// body is a log level. Probes and scrapes need a handful of connections.
constexpr size_t kMaxHeaderBytes = 16 << 10;
constexpr size_t kMaxBodyBytes = 4 << 10;
constexpr size_t kMaxBufferedBytes = 1 << 20;
constexpr size_t kMaxConnections = 256;
constexpr std::chrono::seconds kRequestTimeout{10};
constexpr std::chrono::seconds kIdleTimeout{90};  // As kube-scheduler.
constexpr std::chrono::seconds kSendTimeout{30};

void Respond(net::Exchange& exchange, net::ServerResponse response) {
  response.headers.push_back({"Cache-Control", "no-cache, private"});
  exchange.Respond(std::move(response));
}

void Serve(const std::shared_ptr<net::Exchange>& exchange, const Endpoints& endpoints) {
  const auto* handler = endpoints.FindExchangeHandler(exchange->request());
  if (handler != nullptr) return (*handler)(exchange);
  endpoints.Serve(exchange->request(), [exchange](net::ServerResponse response) {
    Respond(*exchange, std::move(response));
  });
}

net::RequestHandler MakeHandler(DelegatedAccess& access, const Endpoints& endpoints) {
  return [&access, &endpoints](const std::shared_ptr<net::Exchange>& exchange) {
    access.Check(exchange->request(),
                 [exchange, &endpoints](std::optional<net::ServerResponse> refusal) {
                   if (refusal) return Respond(*exchange, *std::move(refusal));
                   // An exchange that is dropped without a response responds with 500.
                   try {
                     Serve(exchange, endpoints);
                   } catch (const std::exception& error) {
                     LOG_ERROR(error.what(), "A request could not be answered",
                               {{"path", exchange->request().target}});
                   }
                 });
    exchange->OnAbandoned([&access, weak = std::weak_ptr(exchange)] {
      if (const auto pending = weak.lock()) access.Abandon(pending->request());
    });
  };
}

Result<std::unique_ptr<net::HttpServer>> Listen(net::ServerOptions options,
                                                const net::RequestHandler& handler) {
  // The unspecified address means all addresses of both families; not all machines have both.
  if (options.address == "0.0.0.0") {
    net::ServerOptions both = options;
    both.address = "::";
    if (auto server = net::HttpServer::Start(std::move(both), handler)) return server;
  }
  return net::HttpServer::Start(std::move(options), handler);
}

}  // namespace

SecureServer::SecureServer(std::shared_ptr<net::ServerTls> tls, DelegatedAccess& access)
    : tls_(std::move(tls)), access_(access) {}

Result<std::unique_ptr<SecureServer>> SecureServer::Start(const ServingFlags& flags,
                                                          DelegatedAccess& access,
                                                          const Endpoints& endpoints) {
  const auto tls_options = ServingTls(flags, [](const std::string& what) { LOG_PLAIN(0, what); });
  if (!tls_options) return std::unexpected(tls_options.error());
  const auto tls = net::ServerTls::Create(*tls_options);
  if (!tls) return std::unexpected(tls.error());
  std::unique_ptr<SecureServer> secure(new SecureServer(*tls, access));
  net::ServerOptions options;
  options.address = flags.bind_address;
  options.port = static_cast<uint16_t>(flags.secure_port);
  options.tls = *tls;
  options.share_port = flags.permit_port_sharing;
  options.max_http2_streams = static_cast<uint32_t>(flags.http2_max_streams);
  options.max_header_bytes = kMaxHeaderBytes;
  options.max_body_bytes = kMaxBodyBytes;
  options.max_buffered_bytes = kMaxBufferedBytes;
  options.max_connections = kMaxConnections;
  options.header_timeout = kRequestTimeout;
  options.body_timeout = kRequestTimeout;
  options.idle_timeout = kIdleTimeout;
  options.send_timeout = kSendTimeout;
  auto server = Listen(std::move(options), MakeHandler(access, endpoints));
  if (!server) return Fail("failed to create listener: " + server.error().message);
  secure->server_ = *std::move(server);
  secure->refresher_ = std::thread([at = secure.get()] { at->RefreshNowAndThen(); });
  const bool is_v6 = flags.bind_address.contains(':');
  LOG_PLAIN(0, fmt::format("Serving securely on {}{}{}:{}", is_v6 ? "[" : "", flags.bind_address,
                           is_v6 ? "]" : "", secure->port()));
  return secure;
}

SecureServer::~SecureServer() {
  StopRefreshing();
  if (server_ != nullptr) server_->Stop(std::chrono::milliseconds(0));
}

void SecureServer::Refresh() {
  if (const Status status = tls_->Reload(); !status) {
    LOG_ERROR(status.error(), "Failed to reload serving certificate");
  }
  access_.Refresh([](const Status& status) {
    if (!status) LOG_ERROR(status.error(), "Failed to reload client CA");
  });
}

void SecureServer::RefreshNowAndThen() {
  observability::EnterThread("certificates");
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, kRefreshPeriod, [this] { return stop_; })) {
    lock.unlock();
    Refresh();
    lock.lock();
  }
}

void SecureServer::StopRefreshing() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopping_.notify_all();
  if (refresher_.joinable()) refresher_.join();
}

void SecureServer::Stop(std::chrono::milliseconds grace) {
  StopRefreshing();
  server_->Stop(grace);
}

}  // namespace berth::daemon
