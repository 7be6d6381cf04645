#include "net/http_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cctype>
#include <future>
#include <utility>

#include "base/check.h"
#include "net/descriptor_limit.h"
#include "net/server_worker.h"

namespace berth::net {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// The pause when accepting fails, most likely for lack of file descriptors.
constexpr std::chrono::milliseconds kAcceptPause{100};

std::string Describe(const error_code& error) {
  if (error == asio::error::address_in_use) return "the port is taken";
  if (error == asio::error::access_denied) return "not allowed to listen on this port";
  if (error == boost::system::errc::address_not_available) {
    return "this machine does not have that address";
  }
  std::string text = error.message();
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

Result<tcp::endpoint> ParseEndpoint(const ServerOptions& options) {
  error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) {
    return Fail(fmt::format("\"{}\" is not an address to listen on: an IPv4 or IPv6 address is",
                            options.address));
  }
  return tcp::endpoint(address, options.port);
}

using SharePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

Status Listen(tcp::acceptor& acceptor, const tcp::endpoint& endpoint, bool share_port) {
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && share_port) acceptor.set_option(SharePort(true), error);
  if (!error && endpoint.address().is_v6()) {
    // "::" is all addresses, of both families.
    acceptor.set_option(asio::ip::v6_only(false), error);
  }
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (!error) return {};
  return Fail(fmt::format("listening on {}, port {}: {}", endpoint.address().to_string(),
                          endpoint.port(), Describe(error)));
}

// The rest of the descriptors is for the process's own files and connections.
size_t MaxConnections(const ServerOptions& options) {
  return std::clamp<size_t>(options.max_connections, 1, DescriptorLimit() / 2);
}

std::shared_ptr<const ServerSettings> MakeSettings(ServerOptions options, RequestHandler handler) {
  auto connections = std::make_shared<ConnectionTable>(MaxConnections(options));
  auto budget = std::make_shared<BodyBudget>(options.max_buffered_bytes);
  return std::make_shared<const ServerSettings>(ServerSettings{
      std::move(options), std::move(handler), std::move(connections), std::move(budget)});
}

class Server final : public HttpServer {
 public:
  Server(ServerOptions options, RequestHandler handler)
      : settings_(MakeSettings(std::move(options), std::move(handler))) {
    const int threads = std::max(1, settings_->options.threads);
    for (int i = 0; i < threads; ++i) {
      workers_.push_back(std::make_shared<ServerWorker>(settings_));
    }
    acceptor_ = std::make_unique<tcp::acceptor>(workers_[0]->context());
    pause_ = std::make_unique<asio::steady_timer>(workers_[0]->context());
  }

  ~Server() override { Stop(std::chrono::milliseconds(0)); }

  Status Start(const tcp::endpoint& endpoint) {
    if (auto status = Listen(*acceptor_, endpoint, settings_->options.share_port); !status)
      return status;
    error_code error;
    port_ = acceptor_->local_endpoint(error).port();
    asio::post(workers_[0]->context(), [this] { Accept(); });
    for (const auto& worker : workers_) worker->Start();
    running_ = true;
    return {};
  }

  uint16_t port() const override { return port_; }
  size_t connections() const override { return settings_->connections->open(); }
  size_t buffered_bytes() const override { return settings_->body_budget->used(); }

  void Post(std::function<void()> work) override {
    asio::post(workers_[0]->context(), std::move(work));
  }

  void Stop(std::chrono::milliseconds grace) override {
    if (!std::exchange(running_, false)) return;
    for (const auto& worker : workers_) {
      CHECK(!worker->context().get_executor().running_in_this_thread());
    }
    // First, so that no worker gets a connection after it was stopped.
    std::promise<void> closed;
    asio::post(workers_[0]->context(), [&] {
      error_code ignored;
      acceptor_->close(ignored);
      pause_->cancel();
      closed.set_value();
    });
    closed.get_future().wait();
    if (grace.count() > 0) {
      for (const auto& worker : workers_) worker->Drain();
      settings_->connections->WaitForNone(grace);
    }
    for (const auto& worker : workers_) worker->CloseAll();
    for (const auto& worker : workers_) worker->Join();
  }

 private:
  void Accept() {
    ServerWorker& worker =
        **std::ranges::min_element(workers_, {}, [](const auto& w) { return w->load(); });
    acceptor_->async_accept(worker.context(),
                            [this, &worker](const error_code& error, tcp::socket socket) {
                              Accepted(worker, error, std::move(socket));
                            });
  }

  void Accepted(ServerWorker& worker, const error_code& error, tcp::socket socket) {
    if (!acceptor_->is_open()) return;
    if (!error) {
      worker.Adopt(std::move(socket));
      return Accept();
    }
    if (error == asio::error::connection_aborted) return Accept();
    // The descriptor is for the waiting client, or for the process itself.
    settings_->connections->CloseOne();
    pause_->expires_after(kAcceptPause);
    pause_->async_wait([this](const error_code&) {
      if (acceptor_->is_open()) Accept();
    });
  }

  const std::shared_ptr<const ServerSettings> settings_;
  // Exchanges may own workers beyond the server's lifetime; the acceptor is destroyed before its
  // worker.
  std::vector<std::shared_ptr<ServerWorker>> workers_;
  std::unique_ptr<tcp::acceptor> acceptor_;
  std::unique_ptr<asio::steady_timer> pause_;
  uint16_t port_ = 0;
  bool running_ = false;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Start(ServerOptions options,
                                                      RequestHandler handler) {
  const auto endpoint = ParseEndpoint(options);
  if (!endpoint) return std::unexpected(endpoint.error());
  auto server = std::make_unique<Server>(std::move(options), std::move(handler));
  if (auto status = server->Start(*endpoint); !status) return std::unexpected(status.error());
  return server;
}

}  // namespace berth::net
