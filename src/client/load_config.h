// Loads the configuration of a client of an API server: from a kubeconfig file, from the command
// line, or from the service account of a pod.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "client/client_config.h"

namespace berth::client {

struct ClientConfigSource {
  std::string kubeconfig = {};  // A file. In-cluster if it and `master` are empty.
  std::string master = {};      // The server's URL, which takes precedence over the file's.
  std::string context = {};     // In the file; empty means its current-context.
};

// The environment of the process; tests replace it.
struct Environment {
  // Returns the value of an environment variable; null means getenv.
  std::function<std::optional<std::string>(const std::string& name)> variable = {};
  std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
  const Clock* clock = nullptr;  // For credentials that expire; null means the process's.
};

// Loads a configuration and reads its files; certificates and keys are only checked to exist.
// Errors name the file and field.
//
// As in kubectl, credentials are used only with https, a server without a scheme uses http, and
// `master` drops the file's tls-server-name.
//
// DIFFERS: proxy-url and auth-provider are rejected, and HTTPS_PROXY is ignored.
Result<ClientConfig> LoadClientConfig(const ClientConfigSource& source,
                                      const Environment& environment = {});

// Loads the configuration of a pod: the server of KUBERNETES_SERVICE_HOST and _PORT, and the token
// and authority of the service account.
Result<ClientConfig> InClusterConfig(const Environment& environment = {});

// Reads the CA file of `config` now, so that later changes of it are ignored: the feature gate
// ClientsAllowCARotation is off. As in client-go, the system's authorities replace an empty file.
Status PinAuthority(ClientConfig& config);

}  // namespace berth::client
