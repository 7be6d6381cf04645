// What `berth apiserver` and `berth up` share: flags, startup, the kubeconfig file and stop
// signals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "apiserver/admission/workloads.h"
#include "apiserver/server.h"
#include "apiserver/store/store.h"
#include "base/result.h"
#include "base/time.h"

namespace berth::flags {
class FlagGroup;
}

namespace berth::cmd {

struct ApiServerFlags {
  std::string address = "127.0.0.1";
  uint16_t port = 6443;
  std::string data_dir;
  bool tls = false;  // With a generated certificate, unless one is given.
  std::string tls_cert_file;
  std::string tls_private_key_file;
  std::string client_ca_file;
  std::string token_auth_file;
  bool allow_anonymous = false;
  std::string kubeconfig;  // File to write; empty for none.
  int threads = 2;
  size_t history = 50'000;
  size_t history_bytes = apiserver::store::kDefaultHistoryBytes;
  bool mount_tokens = false;                           // As in ApiServerOptions; not a flag.
  apiserver::admission::WorkloadGates workloads = {};  // Likewise.
};

// A started API server, and what clients need to connect to it.
struct RunningApiServer {
  std::unique_ptr<apiserver::ApiServer> server;
  std::string ca;     // CA bundle (PEM) for clients; empty for plain HTTP.
  std::string token;  // Bearer token for clients; may be empty.
};

// `clock` replaces the real clock if not null; it must outlive the server. `more_metrics` is that
// of ApiServerOptions. The error names the flag or file that is wrong.
Result<RunningApiServer> StartApiServer(const ApiServerFlags& options, const Clock* clock = nullptr,
                                        std::function<std::string()> more_metrics = {});

// Writes a kubeconfig file that only the owner can read: it may contain a token.
Status WriteKubeconfig(const std::string& path, const RunningApiServer& api);

// Returns `export KUBECONFIG=...` for a shell.
std::string ExportLine(const std::string& path);

// Blocks the signals that stop the program (SIGINT, SIGTERM, SIGQUIT, SIGHUP), for WaitForSignal,
// and those that it has no use for. Must be called before any thread starts, so that all threads
// inherit the mask.
void BlockSignals();
// Waits for one of them, at most `limit`. Returns whether one arrived; the next one then ends the
// program at once.
bool WaitForSignal(Duration limit);

// Adds the flags of an API server.
void AddApiServerFlags(flags::FlagGroup group, ApiServerFlags& options);

}  // namespace berth::cmd
