// ApiServer is the embedded Kubernetes API server: a store, the Api on it, and the HTTP server.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/admission/workloads.h"
#include "apiserver/authentication.h"
#include "apiserver/handler.h"
#include "apiserver/registry/api.h"
#include "apiserver/store/store.h"
#include "base/result.h"
#include "base/steady_clock.h"
#include "base/time.h"
#include "net/http_server.h"
#include "net/jwt_key.h"

namespace berth::apiserver {

struct ApiServerOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: any free port.
  int threads = 2;
  std::string data_dir = {};  // Empty: nothing is persistent.
  size_t history = 50'000;    // Events retained per collection.
  size_t history_bytes = store::kDefaultHistoryBytes;
  std::shared_ptr<net::ServerTls> tls = {};  // Null: no TLS.
  registry::AccessOptions access = {};
  // Signs the tokens of service accounts; unset for a new key.
  std::optional<net::JwtKey> token_key = {};
  // Mounts the token of its service account in each new pod, whether or not the account exists: for
  // clusters with a controller that creates accounts.
  bool mount_tokens = false;
  uint64_t seed = 0;  // For uids and generated names.
  admission::WorkloadGates workloads = {};
  // The clock of the Api; null for the system clock. Must outlive the server.
  const Clock* clock = nullptr;
  // Metrics of another component, appended to /metrics (request_metrics.h). May be null.
  std::function<std::string()> more_metrics = {};
};

class ApiServer {
 public:
  // Opens the store and listens. Fails because of the options, the data or the address; the error
  // says what to do.
  static Result<std::unique_ptr<ApiServer>> Start(ApiServerOptions options);
  ~ApiServer();

  store::Store& store() { return *store_; }
  registry::Api& api() { return *api_; }
  uint16_t port() const { return http_->port(); }
  // Lets `handler` respond to the authenticated requests of paths that begin with `prefix`, from
  // now on: another component's API. It must live until Stop has returned.
  void Delegate(std::string prefix, net::RequestHandler handler);
  // Returns the URL for clients on this machine: "https://127.0.0.1:6443".
  std::string url() const;

  // Stops the server; waits up to `grace` for responses in progress.
  void Stop(std::chrono::milliseconds grace);

 private:
  explicit ApiServer(ApiServerOptions options);

  ApiServerOptions options_;
  SystemClock real_clock_;
  SteadyClock steady_clock_;
  // Each depends on the ones before.
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<registry::Api> api_;
  std::unique_ptr<Handler> handler_;
  std::unique_ptr<net::HttpServer> http_;
};

// Returns a kubeconfig for one server. `ca` is PEM, `token` a bearer token; both may be empty.
std::string KubeconfigText(const std::string& url, const std::string& ca, const std::string& token);

}  // namespace berth::apiserver
