// ExecPlugin is a command that prints a credential, as a kubeconfig describes it.
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

struct ExecPlugin {
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // Besides our own.
  std::string api_version;                               // One of the two above.
  std::string install_hint;                              // Shown if there is no such command.
  bool provide_cluster_info = false;
};

// What a plugin is told about the cluster if it wants to know.
struct ExecCluster {
  std::string server;
  std::string tls_server_name;
  bool insecure = false;
  std::string ca_data;  // PEM.
  // The JSON of the cluster's extension "client.authentication.k8s.io/exec", if there is one.
  std::string config;
};

// What credential plugins are told and what they print: ExecCredential, of both versions.
// The value of KUBERNETES_EXEC_INFO. `cluster` is left out if it is null.
std::string ExecInfo(const ExecPlugin& plugin, const ExecCluster* cluster);

struct ExecCredential {
  Credential credential;
  std::optional<Instant> expires;  // None: good until it is refused.
};

// Reads what a plugin printed. Errors show no secrets.
Result<ExecCredential> ParseExecCredential(std::string_view output, std::string_view api_version);

// ExecCredentials gets credentials from a plugin: it is run when there is none yet, when the last
// has expired and when the server has refused it.
//
// Any thread. The plugin runs on a thread of its own; those who ask meanwhile share its answer.
class ExecCredentials final : public Credentials {
 public:
  // Runs a command, as RunCommand does. Tests have others.
  using Runner = std::function<std::expected<ExecOutcome, ExecFailure>(const ExecRequest&, int)>;

  // `cluster` is told to plugins that want to know. `clock` must outlive the credentials.
  ExecCredentials(ExecPlugin plugin, ExecCluster cluster, const Clock& clock,
                  Runner runner = RunCommand);
  // Kills the plugin if it is running; those who wait get an error.
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
