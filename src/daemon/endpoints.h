// Endpoints is the table of paths that kube-scheduler's HTTPS port serves, with the pages /flagz
// and /statusz, and Berth's own.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "daemon/slow_requests.h"
#include "features/feature_gates.h"
#include "net/http_server.h"
#include "observability/log.h"
#include "scheduler/config/configuration.h"

namespace berth::daemon {

// Returns /flagz, the flags with their values: as text, or structured if the request accepts that.
net::ServerResponse FlagzResponse(const net::ServerRequest& request,
                                  const std::map<std::string, std::string>& flags);

struct StatusPage {
  Instant started;
  Instant now;
  std::string runtime;             // Shown in place of Go's version.
  std::string binary_version;      // "1.36.0"
  std::string emulation_version;   // "1.36"
  std::vector<std::string> paths;  // All paths served; the page shows their first segments.
};

net::ServerResponse StatuszResponse(const net::ServerRequest& request, const StatusPage& page);

// Endpoints routes requests to handlers by path.
//
// Handlers are added before the server starts; after that any thread may call Serve.
class Endpoints {
 public:
  using Handler = std::function<net::ServerResponse(const net::ServerRequest&)>;
  // Responds itself, at once or later, on any thread.
  using ExchangeHandler = std::function<void(const std::shared_ptr<net::Exchange>&)>;

  // Handles exactly `path`. Listed paths appear on /statusz.
  void Handle(std::string path, Handler handler, bool listed = true);
  // Handles exactly `path`, on a thread of its own.
  void HandleSlowly(std::string path, Handler handler);
  // Handles all paths that begin with `prefix`, unless a more specific handler exists.
  void HandlePrefix(std::string prefix, Handler handler);

  // Handles all paths that begin with `prefix`, before all other handlers.
  void HandleExchanges(std::string prefix, ExchangeHandler handler);
  // Returns null if there is none.
  const ExchangeHandler* FindExchangeHandler(const net::ServerRequest& request) const;

  // Returns 404 if there is no handler for the path.
  net::ServerResponse Serve(const net::ServerRequest& request) const;
  // Calls `done` with the response: before it returns, unless the path is handled slowly.
  // `request` must live until then.
  void Serve(const net::ServerRequest& request,
             const std::function<void(net::ServerResponse)>& done) const;

  std::vector<std::string> listed_paths() const { return listed_; }

 private:
  const Handler* Find(const std::string& path) const;

  std::map<std::string, Handler> exact_;
  std::map<std::string, Handler> prefixes_;
  std::map<std::string, ExchangeHandler> exchange_prefixes_;
  std::set<std::string> slow_;
  std::shared_ptr<SlowRequests> slow_requests_;  // Null if there are no slow paths.
  std::vector<std::string> listed_;
};

// The data and handlers of the endpoints. Handlers must be callable on any thread; the paths of
// null handlers are not served.
struct EndpointSources {
  // Each handles its path and the paths below it: /healthz, /healthz/ping.
  Endpoints::Handler healthz = {};
  Endpoints::Handler livez = {};
  Endpoints::Handler readyz = {};
  Endpoints::Handler metrics = {};
  Endpoints::Handler metrics_slis = {};
  Endpoints::Handler metrics_resources = {};
  // The API /berth/v1, and the files of the dashboard.
  Endpoints::ExchangeHandler api = {};
  Endpoints::ExchangeHandler dashboard = {};
  // Called for DELETE of /metrics and /metrics/slis.
  std::function<void()> reset_metrics = {};
  std::function<void()> reset_slis = {};

  scheduler::config::Configuration configuration = {};
  std::map<std::string, std::string> flags = {};
  features::FeatureGates gates = {};
  // Must outlive the endpoints.
  observability::Logger* log = nullptr;
  const Clock* clock = nullptr;
  Instant started = {};
};

inline constexpr const char* kApiPrefix = "/berth/v1/";
inline constexpr const char* kDashboardPrefix = "/berth/dashboard/";

Endpoints MakeEndpoints(EndpointSources sources);

}  // namespace berth::daemon
