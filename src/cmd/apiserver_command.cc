#include "cmd/apiserver_command.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "cmd/command_line.h"

namespace berth {
namespace {

constexpr std::chrono::milliseconds kStopGrace{2000};

Status Announce(const ServedApiOptions& options, const ServedApi& served) {
  const std::string url = served.server->url();
  fmt::print("listening on {}\n", url);
  if (options.kubeconfig.empty()) {
    fmt::print("try: kubectl --server={} get namespaces\n", url);
    if (!served.ca.empty()) {
      fmt::print("with --kubeconfig FILE, a file that kubectl can use is written\n");
    }
  } else {
    if (const auto written = WriteKubeconfig(options.kubeconfig, served); !written) return written;
    fmt::print("{}\n", ExportLine(options.kubeconfig));
  }
  std::fflush(stdout);
  return {};
}

int Refuse(const Error& error) {
  fmt::print(stderr, "berth apiserver: {}\n", error.message);
  return kExitFailed;
}

}  // namespace

int RunApiServer(const ServedApiOptions& options) {
  HoldSignals();
  const auto served = StartApi(options);
  if (!served) return Refuse(served.error());
  if (const auto told = Announce(options, *served); !told) return Refuse(told.error());
  AwaitEnd();
  served->server->Stop(kStopGrace);
  return kExitOk;
}

}  // namespace berth
