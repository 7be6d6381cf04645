// ExecCredentials gets credentials from a command, as a kubeconfig's exec section describes it:
// ExecPlugin is the command, and ExecCredential what it prints.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/client_config.h"
#include "client/exec_process.h"

namespace berth::client {

inline constexpr std::string_view kExecV1 = "client.authentication.k8s.io/v1";
inline constexpr std::string_view kExecV1Beta1 = "client.authentication.k8s.io/v1beta1";

// A command that prints a credential.
struct ExecPlugin {
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // Added to our own environment.
  std::string api_version;                               // One of the two above.
  std::string install_hint;                              // Shown if the command does not exist.
  bool provide_cluster_info = false;
};

// The cluster description for plugins that request it.
struct ExecCluster {
  std::string server;
  std::string tls_server_name;
  bool insecure = false;
  std::string ca_data;  // PEM.
  // The JSON of the cluster's extension "client.authentication.k8s.io/exec", if there is one.
  std::string config;
};

// Returns the value of KUBERNETES_EXEC_INFO. `cluster` is left out if it is null.
std::string ExecInfo(const ExecPlugin& plugin, const ExecCluster* cluster);

struct ExecCredential {
  Credential credential;
  std::optional<Instant> expires;  // None means valid until the server rejects it.
};

// Parses the output of a plugin. Errors contain no secrets.
Result<ExecCredential> ParseExecCredential(std::string_view output, std::string_view api_version);

// ExecCredentials gets credentials from a plugin: it runs it when there is no credential yet, when
// the last one has expired, and when the server has rejected it.
//
// Any thread. The plugin runs on a thread of its own; concurrent calls of Get share its result.
class ExecCredentials final : public Credentials {
 public:
  // Runs a command, like RunCommand. Tests replace it.
  using Runner = std::function<std::expected<ExecOutcome, ExecFailure>(const ExecRequest&, int)>;

  // `cluster` is passed to plugins that request it. `clock` must outlive the credentials.
  ExecCredentials(ExecPlugin plugin, ExecCluster cluster, const Clock& clock,
                  Runner runner = RunCommand);
  // Kills the plugin if it is running; pending calls of Get fail.
  ~ExecCredentials() override;
  ExecCredentials(const ExecCredentials&) = delete;
  ExecCredentials& operator=(const ExecCredentials&) = delete;

  void Get(Callback callback) override;
  void Refused(const Credential& credential) override;

 private:
  struct State;

  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace berth::client
