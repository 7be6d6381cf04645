#include "cmd/dashboard_server.h"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "inspect/inspector.h"
#include "runtime/driver_snapshot.h"

namespace berth::cmd {
namespace {

// 128 bits as hexadecimal digits.
std::string RandomSecret() {
  std::random_device random;
  std::string secret;
  for (int i = 0; i < 4; ++i) secret += fmt::format("{:08x}", random());
  return secret;
}

}  // namespace

Result<std::unique_ptr<DashboardServer>> DashboardServer::Start(const ShownScheduler& shown,
                                                                uint16_t port) {
  inspect::InspectorOptions options;
  options.version = BERTH_VERSION;
  options.server = shown.server;
  options.engine = shown.engine;
  options.registry = shown.registry;
  options.visit = [driver = shown.driver](const auto& work) {
    return driver->RunBetweenSteps(work);
  };
  options.binds = [driver = shown.driver] { return driver->snapshot()->binds; };
  options.wall_clock = shown.wall_clock;
  options.engine_clock = shown.engine_clock;
  options.watches_only = [watches = shown.watches_only] { return watches; };
  if (const auto* attempts = shown.attempts) {
    options.history = {&attempts->ledger(), &attempts->rejections(), &attempts->activity()};
  }
  auto inspector = inspect::Inspector::Make(std::move(options), *shown.changes);
  if (!inspector) return std::unexpected(inspector.error());
  std::unique_ptr<DashboardServer> dashboard(new DashboardServer);
  dashboard->api_ = std::make_unique<inspect::http::ApiHandler>(*std::move(inspector));
  auto server = inspect::http::LoopbackServer::Start(
      {.port = port, .token = RandomSecret(), .session = RandomSecret()}, *dashboard->api_);
  if (!server) return Fail("the dashboard cannot be served: " + server.error().message);
  dashboard->server_ = *std::move(server);
  return dashboard;
}

}  // namespace berth::cmd
