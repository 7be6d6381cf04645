// Finds out which API server to talk to, and as whom: from a kubeconfig file, from the command
// line, or from what Kubernetes puts into every pod.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "client/client_config.h"

namespace berth::client {

struct ClientConfigSource {
  std::string kubeconfig = {};  // A file. If it and `master` are empty: in-cluster.
  std::string master = {};      // The server's URL, which goes before the file's.
  std::string context = {};     // Of the file; empty: its current-context.
};

// What is read besides: tests have their own.
struct Environment {
  // The value of an environment variable; the default asks the environment.
  std::function<std::optional<std::string>(const std::string& name)> variable = {};
  std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
  const Clock* clock = nullptr;  // For credentials that expire; null: the system's.
};

// Reads the files that it names; certificates and keys are only checked to be there. Errors say
// which file and field is wrong.
//
// As kubectl does: credentials are for servers with https only, and a server without a scheme is
// one with http. `master` drops the file's tls-server-name.
//
// DIFFERS: proxy-url and auth-provider are refused, and HTTPS_PROXY is not looked at.
Result<ClientConfig> LoadClientConfig(const ClientConfigSource& source,
                                      const Environment& environment = {});

// The part for pods: the server of KUBERNETES_SERVICE_HOST and _PORT, the service account's token
// and authority.
Result<ClientConfig> InClusterConfig(const Environment& environment = {});

}  // namespace berth::client
