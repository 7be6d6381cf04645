// SecureServer is the HTTPS port of the daemon: endpoints behind delegated authentication and
// authorization.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "daemon/delegated_access.h"
#include "daemon/endpoints.h"
#include "daemon/flags.h"
#include "net/http_server.h"
#include "net/server_tls.h"

namespace berth::daemon {

class SecureServer {
 public:
  // `access` and `endpoints` must outlive the server. Certificates and authorities are read again
  // once a minute. The error says what is wrong with the flags, or that the port is in use.
  static Result<std::unique_ptr<SecureServer>> Start(const ServingFlags& flags,
                                                     DelegatedAccess& access,
                                                     const Endpoints& endpoints);
  ~SecureServer();  // Stops at once.
  SecureServer(const SecureServer&) = delete;
  SecureServer& operator=(const SecureServer&) = delete;

  uint16_t port() const { return server_->port(); }
  // Runs `work` on the thread that serves requests. Any thread.
  void Post(std::function<void()> work) { server_->Post(std::move(work)); }

  // Reads the serving certificates and the authorities of clients again. Failures are logged, and
  // the previous ones stay in use.
  void Refresh();

  // Accepts no new requests, and gives those in progress `grace` to end.
  void Stop(std::chrono::milliseconds grace);

 private:
  SecureServer(std::shared_ptr<net::ServerTls> tls, DelegatedAccess& access);
  void RefreshNowAndThen();
  void StopRefreshing();

  const std::shared_ptr<net::ServerTls> tls_;
  DelegatedAccess& access_;
  std::unique_ptr<net::HttpServer> server_;

  std::mutex mutex_;
  std::condition_variable stopping_;
  bool stop_ = false;
  std::thread refresher_;
};

}  // namespace berth::daemon
