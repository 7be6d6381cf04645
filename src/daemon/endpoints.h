// Endpoints answers requests by their paths: what kube-scheduler's HTTPS port offers.
//
// Filled before the server starts; then any thread may call Serve.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "config/configuration.h"
#include "daemon/feature_gates.h"
#include "daemon/log.h"
#include "net/http_server.h"

namespace berth::daemon {

class Endpoints {
 public:
  using Handler = std::function<net::ServerAnswer(const net::ServerRequest&)>;

  // For exactly `path`. Listed ones appear on /statusz.
  void Handle(std::string path, Handler handler, bool listed = true);
  // For all paths that begin with `prefix`, unless there is a handler that fits better.
  void HandlePrefix(std::string prefix, Handler handler);

  // 404 if nobody answers for the path.
  net::ServerAnswer Serve(const net::ServerRequest& request) const;

  std::vector<std::string> listed_paths() const { return listed_; }

 private:
  const Handler* Find(const std::string& path) const;

  std::map<std::string, Handler> exact_;
  std::map<std::string, Handler> prefixes_;
  std::vector<std::string> listed_;
};

// What the endpoints tell. Handlers must be callable on any thread; those that are null are not
// offered.
struct EndpointSources {
  // Each for its path and those below it: /healthz, /healthz/ping.
  Endpoints::Handler healthz = {};
  Endpoints::Handler livez = {};
  Endpoints::Handler readyz = {};
  Endpoints::Handler metrics = {};
  Endpoints::Handler metrics_slis = {};
  Endpoints::Handler metrics_resources = {};
  // What DELETE does to the first two.
  std::function<void()> reset_metrics = {};
  std::function<void()> reset_slis = {};

  config::Configuration configuration = {};
  std::map<std::string, std::string> flags = {};
  FeatureGates gates = {};
  // Must outlive the endpoints.
  Logger* log = nullptr;
  const Clock* clock = nullptr;
  Instant started = {};
};

Endpoints MakeEndpoints(EndpointSources sources);

}  // namespace berth::daemon
