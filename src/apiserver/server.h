// ApiServer is a Kubernetes API server: a store, the API on it and HTTP in front of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "apiserver/authentication.h"
#include "apiserver/handler.h"
#include "apiserver/registry/api.h"
#include "apiserver/store/store.h"
#include "base/result.h"
#include "base/time.h"
#include "net/http_server.h"

namespace berth::apiserver {

struct ApiServerOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: any free one.
  int threads = 2;
  std::string data_dir = {};                 // Empty: everything is forgotten with the server.
  size_t history = 50'000;                   // Events kept per collection.
  std::shared_ptr<net::ServerTls> tls = {};  // Null: plain.
  registry::AccessOptions access = {};
  uint64_t seed = 0;  // Of uids and generated names.
  // The API's time, if it is not the real one; must outlive the server.
  const Clock* clock = nullptr;
};

class ApiServer {
 public:
  // Opens the store and listens. The error says what is wrong with the options, the data or the
  // address, and what to do.
  static Result<std::unique_ptr<ApiServer>> Start(ApiServerOptions options);
  ~ApiServer();

  store::Store& store() { return *store_; }
  registry::Api& api() { return *api_; }
  uint16_t port() const { return http_->port(); }
  // "https://127.0.0.1:6443": where clients on this machine reach it.
  std::string url() const;

  // Lets answers under way end for up to `grace`.
  void Stop(std::chrono::milliseconds grace);

 private:
  explicit ApiServer(ApiServerOptions options);

  ApiServerOptions options_;
  SystemClock real_clock_;
  // In the order in which they need each other.
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<registry::Api> api_;
  std::unique_ptr<Handler> handler_;
  std::unique_ptr<net::HttpServer> http_;
};

// The text of a kubeconfig file for one server. `ca` is PEM, `token` a bearer token; both may be
// empty.
std::string KubeconfigText(const std::string& url, const std::string& ca, const std::string& token);

}  // namespace berth::apiserver
