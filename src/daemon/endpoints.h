// The pages /flagz and /statusz: as text for people, and structured for those who ask for it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "daemon/feature_gates.h"
#include "net/http_server.h"
#include "observability/log.h"
#include "scheduler/config/configuration.h"

namespace berth::daemon {

// Flags with their values.
net::ServerResponse FlagzResponse(const net::ServerRequest& request,
                                  const std::map<std::string, std::string>& flags);

struct StatusPage {
  Instant started;
  Instant now;
  std::string runtime;             // In the place of Go's version.
  std::string binary_version;      // "1.36.0"
  std::string emulation_version;   // "1.36"
  std::vector<std::string> paths;  // All paths served; the page shows what they begin with.
};

net::ServerResponse StatuszResponse(const net::ServerRequest& request, const StatusPage& page);

// Endpoints answers requests by their paths: what kube-scheduler's HTTPS port offers.
//
// Filled before the server starts; then any thread may call Serve.
class Endpoints {
 public:
  using Handler = std::function<net::ServerResponse(const net::ServerRequest&)>;

  // For exactly `path`. Listed ones appear on /statusz.
  void Handle(std::string path, Handler handler, bool listed = true);
  // For all paths that begin with `prefix`, unless there is a handler that fits better.
  void HandlePrefix(std::string prefix, Handler handler);

  // 404 if nobody answers for the path.
  net::ServerResponse Serve(const net::ServerRequest& request) const;

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

  scheduler::config::Configuration configuration = {};
  std::map<std::string, std::string> flags = {};
  FeatureGates gates = {};
  // Must outlive the endpoints.
  observability::Logger* log = nullptr;
  const Clock* clock = nullptr;
  Instant started = {};
};

Endpoints MakeEndpoints(EndpointSources sources);

}  // namespace berth::daemon
