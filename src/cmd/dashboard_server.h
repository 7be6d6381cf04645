// DashboardServer serves the API /berth/v1 of a scheduler in this process, and the dashboard, on
// loopback.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "cmd/served_dashboards.h"
#include "inspect/change_log.h"
#include "inspect/http/api_handler.h"
#include "inspect/http/loopback_server.h"
#include "observability/scheduling/attempt_recorder.h"
#include "runtime/engine_driver.h"
#include "scheduler/engine/engine.h"
#include "scheduler/framework/registry.h"

namespace berth::cmd {

// The scheduler that is shown. All must outlive the server.
struct ShownScheduler {
  std::string server;  // As in the document Cluster: "up", "dashboard".
  scheduler::engine::EngineOptions engine;
  const scheduler::framework::Registry* registry = nullptr;
  runtime::EngineDriver* driver = nullptr;
  inspect::ChangeLog* changes = nullptr;  // The driver's tap.
  const Clock* wall_clock = nullptr;
  const Clock* engine_clock = nullptr;
  bool watches_only = false;
  const observability::scheduling::AttemptRecorder* attempts = nullptr;  // Null if it keeps none.
};

class DashboardServer {
 public:
  // Listens on `port` of the loopback address; 0 means any free port.
  static Result<std::unique_ptr<DashboardServer>> Start(const ShownScheduler& shown, uint16_t port);

  // A new link to open.
  std::string url() const { return server_->url(); }
  inspect::http::ApiHandler& api() { return *api_; }
  // Serves nothing from now on. The API handler remains for others that serve it.
  void Stop();

 private:
  DashboardServer() = default;

  std::unique_ptr<inspect::http::ApiHandler> api_;
  const SystemClock clock_;
  std::unique_ptr<inspect::http::LoopbackServer> server_;
  std::optional<DashboardFile> file_;
};

}  // namespace berth::cmd
