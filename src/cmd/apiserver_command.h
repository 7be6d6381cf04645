// RunningApiServer is an API server that was started from the command line's options, and what
// clients need to use it. `berth apiserver` and `berth up` have it in common.
#pragma once

#include <CLI/App.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "apiserver/server.h"
#include "base/result.h"
#include "base/time.h"

namespace berth::cmd {

struct ApiServerFlags {
  std::string address = "127.0.0.1";
  uint16_t port = 6443;
  std::string data_dir;
  bool tls = false;  // With a certificate made on the spot, if none is given.
  std::string tls_cert_file;
  std::string tls_private_key_file;
  std::string client_ca_file;
  std::string token_auth_file;
  bool allow_anonymous = false;
  std::string kubeconfig;  // Written, if not empty.
  int threads = 2;
  size_t history = 50'000;
};

struct RunningApiServer {
  std::unique_ptr<apiserver::ApiServer> server;
  std::string ca;     // Clients must trust it; empty if the server is plain.
  std::string token;  // Lets a client in; may be empty.
};

// `clock` is the API's time, if it is not the real one; it must outlive the server. The error says
// which option or file is wrong, and what to do.
Result<RunningApiServer> StartApiServer(const ApiServerFlags& options,
                                        const Clock* clock = nullptr);

// Writes a kubeconfig file for the owner's eyes only: it may hold a token.
Status WriteKubeconfig(const std::string& path, const RunningApiServer& api);

// `export KUBECONFIG=...` for a shell.
std::string ExportLine(const std::string& path);

// Keeps the signals that end the program (SIGINT, SIGTERM, SIGHUP) for WaitForSignal. To be called
// before any thread is started, so that they come to the caller's thread alone.
void BlockSignals();
// Waits for one of them, for up to `limit` if given. True if one came.
bool WaitForSignal();
bool WaitForSignal(Duration limit);

// The command line's options of an API server.
void AddApiServerFlags(CLI::App& command, ApiServerFlags& options);

// `berth apiserver`: runs the embedded API server alone.
// Serves until SIGINT or SIGTERM comes. Returns the exit code of the program.
int RunApiServer(const ApiServerFlags& options);

}  // namespace berth::cmd
