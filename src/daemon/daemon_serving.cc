// The HTTPS port of the Daemon: its endpoints and access to them.

#include <algorithm>
#include <future>
#include <utility>

#include "client/lease_candidate.h"
#include "client/load_config.h"
#include "daemon/daemon.h"
#include "daemon/endpoint_responses.h"
#include "daemon/version.h"
#include "inspect/http/dashboard_files.h"
#include "inspect/inspector.h"
#include "observability/log.h"
#include "observability/metric_registry.h"
#include "observability/scheduling/resource_metrics.h"
#include "observability/thread_stacks.h"

namespace berth::daemon {
namespace {

constexpr std::string_view kPlainText = "text/plain; charset=utf-8";
// The number of pods that are read between two steps of the engine.
constexpr size_t kPodsPerVisit = 4096;

net::ServerResponse TextResponse(int status, std::string text) {
  return net::ServerResponse::Text(status, std::string(kPlainText), std::move(text));
}

net::ServerResponse MetricsResponse(std::string text) {
  return net::ServerResponse::Text(200, std::string(observability::kMetricsContentType),
                                   std::move(text));
}

Endpoints::Handler HealthHandler(const observability::HealthEndpoint& endpoint) {
  return [&endpoint](const net::ServerRequest& request) {
    const std::string_view target = request.target;
    const size_t end = std::min(target.find('?'), target.size());
    const std::string_view query = end < target.size() ? target.substr(end + 1) : "";
    const auto response = endpoint.Respond(target.substr(0, end), query);
    return response ? TextResponse(response->status, response->text)
                    : TextResponse(404, "404 page not found\n");
  };
}

void ServeDashboard(const std::shared_ptr<net::Exchange>& exchange) {
  const net::ServerRequest& request = exchange->request();
  const std::string path = PathOf(request);
  exchange->Respond(inspect::http::DashboardResponse(
      request, std::string_view(path).substr(std::string_view(kDashboardPrefix).size())));
}

}  // namespace

// Both clients are those of the API server of their kubeconfig. If that is not given, it is the
// in-cluster client, or null outside a cluster.
Result<void> Daemon::MakeReviewClients() {
  const auto make = [this](const std::string& kubeconfig, auto& client) -> Result<void> {
    auto config = kubeconfig.empty() ? client::InClusterConfig()
                                     : client::LoadClientConfig({.kubeconfig = kubeconfig});
    if (!config && kubeconfig.empty()) return {};
    if (!config) return std::unexpected(config.error());
    if (auto used = UseGates(*config); !used) return used;
    // As upstream: a lower limit would limit the HTTPS port.
    config->qps = 200;
    config->burst = 400;
    auto made = client::RestClient::Create(*side_loop_, *std::move(config));
    if (!made) return std::unexpected(made.error());
    client = *std::move(made);
    return {};
  };
  const DaemonFlags& flags = options_.flags;
  if (auto made = make(flags.authentication.kubeconfig, authentication_client_); !made) return made;
  return make(flags.authorization.kubeconfig, authorization_client_);
}

void Daemon::MakeHealth() {
  const observability::HealthCheck election{
      "leaderElection", [this]() -> Status {
        if (!leadership_->lost()) return {};
        return Fail("failed election to renew leadership on lease kube-scheduler");
      }};
  const observability::HealthCheck shutdown{"shutdown", [this]() -> Status {
                                              if (!leadership_->ending()) return {};
                                              return Fail("process is shutting down");
                                            }};
  const observability::HealthCheck sync{"sched-handler-sync", [this]() -> Status {
                                          if (scheduler_->synced()) return {};
                                          return Fail("handlers are not fully synchronized");
                                        }};
  const bool elects = leadership_->elects();
  // DIFFERS: kube-scheduler's say nothing about its goroutines.
  const auto with_loops = [this](std::vector<observability::HealthCheck> checks) {
    if (watchdog_ == nullptr) return checks;
    const auto loops = watchdog_->loops();
    for (size_t i = 0; i < loops.size(); ++i)
      checks.push_back({loops[i].name, [this, i] { return watchdog_->Check(i); }});
    return checks;
  };
  healthz_ = std::make_unique<observability::HealthEndpoint>(
      "healthz", with_loops({elects ? election : observability::PingCheck()}), &slis_);
  livez_ = std::make_unique<observability::HealthEndpoint>(
      "livez", with_loops({observability::PingCheck()}), &slis_);
  const observability::HealthCheck candidate{
      "informer-sync", [this]() -> Status {
        if (candidate_ == nullptr || candidate_->synced()) return {};
        return Fail("1 informers not started yet: [*v1beta1.LeaseCandidate]");
      }};
  auto ready = elects ? std::vector{election, shutdown, sync} : std::vector{shutdown, sync};
  if (candidate_ != nullptr) ready.push_back(candidate);
  readyz_ = std::make_unique<observability::HealthEndpoint>("readyz", std::move(ready), &slis_);
}

Result<void> Daemon::Serve() {
  if (options_.flags.serving.secure_port == 0) return {};
  access_ = std::make_unique<DelegatedAccess>(
      options_.flags, ReviewClients{authentication_client_.get(), authorization_client_.get()},
      *side_loop_, ReadFile);
  access_->Observe(&metrics_->access());
  for (const std::string& warning : access_->warnings()) LOG_WARNING(warning);
  std::promise<Status> prepared;
  access_->Prepare([&](Status status) { prepared.set_value(std::move(status)); });
  if (const Status status = prepared.get_future().get(); !status) {
    return std::unexpected(status.error());
  }
  endpoints_ = MakeEndpoints(Sources());
  auto server = SecureServer::Start(options_.flags.serving, *access_, endpoints_);
  if (!server) return std::unexpected(server.error());
  server_ = *std::move(server);
  server_->Post([] { observability::EnterThread("https"); });
  LOG_INFO("Serving securely", {{"address", options_.flags.serving.bind_address},
                                {"port", static_cast<int>(server_->port())}});
  return {};
}

Result<void> Daemon::MakeApi(const scheduler::engine::EngineOptions& engine,
                             const scheduler::framework::Registry& registry) {
  inspect::InspectorOptions options;
  options.version = ReportedVersion(options_.flags);
  options.server = "scheduler";
  options.engine = engine;
  options.registry = &registry;
  options.visit = [this](const auto& work) { return scheduler_->driver().RunBetweenSteps(work); };
  options.binds = [this] { return scheduler_->driver().snapshot()->binds; };
  options.wall_clock = &clock_;
  options.engine_clock = &steady_clock_;
  options.watches_only = [this] { return options_.flags.shadow || !leadership_->leads(); };
  if (attempts_ != nullptr) {
    options.history = {&attempts_->ledger(), &attempts_->rejections(), &attempts_->activity()};
  }
  auto inspector = inspect::Inspector::Make(std::move(options), changes_);
  if (!inspector) return std::unexpected(inspector.error());
  inspection_ = std::make_unique<inspect::http::ApiHandler>(*std::move(inspector));
  return {};
}

EndpointSources Daemon::Sources() {
  EndpointSources sources;
  sources.healthz = HealthHandler(*healthz_);
  sources.livez = HealthHandler(*livez_);
  sources.readyz = HealthHandler(*readyz_);
  sources.metrics = [this](const net::ServerRequest&) { return MetricsResponse(metrics_->Text()); };
  sources.metrics_slis = [this](const net::ServerRequest&) {
    return MetricsResponse(slis_.Text());
  };
  sources.metrics_resources = [this](const net::ServerRequest&) {
    return MetricsResponse(ResourceMetrics());
  };
  sources.api = [this](const std::shared_ptr<net::Exchange>& exchange) {
    inspection_->Handle(exchange);
  };
  if (options_.flags.dashboard) sources.dashboard = ServeDashboard;
  sources.reset_metrics = [this] { metrics_->Reset(); };
  sources.reset_slis = [this] { slis_.Reset(); };
  sources.configuration = options_.configuration;
  sources.flags = options_.flags.values;
  sources.gates = options_.gates;
  sources.log = &observability::Log();
  sources.clock = &steady_clock_;
  sources.started = started_;
  return sources;
}

// Pods are collected on the engine's thread in batches, and formatted on this thread.
std::string Daemon::ResourceMetrics() {
  if (!leadership_->leads()) return "";
  std::vector<std::shared_ptr<const api::Pod>> pods;
  observability::scheduling::PodSlices slices;
  bool more = true;
  while (more) {
    const bool ran =
        scheduler_->driver().RunBetweenSteps([&](const scheduler::engine::Engine& engine) {
          more = slices.Read(engine.cluster(), kPodsPerVisit, pods);
        });
    if (!ran) break;
  }
  return observability::scheduling::ResourceMetricsText(pods);
}

}  // namespace berth::daemon
