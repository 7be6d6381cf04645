#include "cmd/dashboard_server.h"

#include <fmt/format.h>

#include <cstdio>
#include <random>
#include <utility>

#include "base/terminal.h"
#include "build_info/build_info.h"
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
  options.version = build_info::ThisBuild().version;
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
  const std::string link_key = RandomSecret();
  auto server = inspect::http::LoopbackServer::Start(
      {.port = port, .link_key = link_key, .session = RandomSecret(), .clock = &dashboard->clock_},
      *dashboard->api_);
  if (!server) return Fail("the dashboard cannot be served: " + server.error().message);
  dashboard->server_ = *std::move(server);
  auto file = DashboardFile::Create(
      {.port = dashboard->server_->port(), .link_key = link_key, .server = shown.server});
  if (file) {
    dashboard->file_.emplace(*std::move(file));
  } else {
    PrintError("berth {}: note: `berth dashboard --open` will not find this dashboard: {}\n",
               shown.server, file.error().message);
  }
  return dashboard;
}

void DashboardServer::Stop() {
  file_.reset();
  server_->Stop();
}

}  // namespace berth::cmd
