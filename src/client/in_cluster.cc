// InClusterConfig, declared in load_config.h.

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "client/file_content.h"
#include "client/file_credentials.h"
#include "client/header_value.h"
#include "client/load_config.h"
#include "net/url.h"

namespace berth::client {
namespace {

const SystemClock kSystemClock;

std::string Variable(const Surroundings& surroundings, const char* name) {
  if (surroundings.variable) return surroundings.variable(name).value_or("");
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<ClientConfig> InClusterConfig(const Surroundings& surroundings) {
  const std::string host = Variable(surroundings, "KUBERNETES_SERVICE_HOST");
  const std::string port = Variable(surroundings, "KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return Fail(
        "no --kubeconfig is given, and this is not a pod: KUBERNETES_SERVICE_HOST and "
        "KUBERNETES_SERVICE_PORT must be defined");
  }
  ClientConfig config;
  config.server = host.contains(':') ? fmt::format("https://[{}]:{}", host, port)
                                     : fmt::format("https://{}:{}", host, port);
  if (const auto url = net::ParseUrl(config.server); !url) {
    return Fail("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: " + url.error().message);
  }
  auto credentials = FileCredentials::Create(
      {.token = surroundings.service_account + "/token", .certificate = {}, .key = {}, .fixed = {}},
      surroundings.clock == nullptr ? kSystemClock : *surroundings.clock);
  if (!credentials) return Fail("the service account: " + credentials.error().message);
  config.credentials = *std::move(credentials);
  // Without an authority of its own the cluster's certificate may be one that the system trusts.
  const std::string authority = surroundings.service_account + "/ca.crt";
  if (ReadFile(authority)) config.tls.ca_file = authority;
  if (const auto name = ReadFile(surroundings.service_account + "/namespace")) {
    if (!Trimmed(*name).empty()) config.default_namespace = Trimmed(*name);
  }
  return config;
}

}  // namespace berth::client
