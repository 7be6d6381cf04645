// ExecPlugin is a command that prints a credential, as a kubeconfig describes it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

}  // namespace berth::client
