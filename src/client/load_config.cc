#include "client/load_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/base64.h"
#include "base/steady_clock.h"
#include "client/escaping.h"
#include "client/exec_credentials.h"
#include "client/file_credentials.h"
#include "client/kubeconfig.h"
#include "net/url.h"

namespace berth::client {
namespace {

const SystemClock kSystemClock;
const SteadyClock kSteadyClock;

// A resolved context of a file.
struct Chosen {
  KubeCluster cluster;
  KubeUser user;
  std::string name_space;
};

template <typename T>
std::string NamesOf(const std::vector<T>& all) {
  std::string names;
  for (const T& one : all) {
    if (!names.empty()) names += ", ";
    names += '"' + one.name + '"';
  }
  return names.empty() ? "there are none" : "there are " + names;
}

template <typename T>
const T* Find(const std::vector<T>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &T::name);
  return found == all.end() ? nullptr : &*found;
}

Result<Chosen> Choose(const Kubeconfig& config, const ClientConfigSource& source) {
  const std::string& name = source.context.empty() ? config.current_context : source.context;
  if (name.empty()) {
    // A server alone is a valid configuration.
    if (!source.master.empty()) return Chosen{};
    return Fail("current-context: not set: it must name one of the contexts; " +
                NamesOf(config.contexts));
  }
  const KubeContext* context = Find(config.contexts, name);
  if (context == nullptr) {
    return Fail(fmt::format("{}: \"{}\": there is no such context; {}",
                            source.context.empty() ? "current-context" : "context", name,
                            NamesOf(config.contexts)));
  }
  Chosen chosen;
  chosen.name_space = context->name_space;
  if (const KubeCluster* cluster = Find(config.clusters, context->cluster)) {
    chosen.cluster = *cluster;
  } else if (!context->cluster.empty() || source.master.empty()) {
    return Fail(fmt::format("context \"{}\": cluster: \"{}\": there is no such cluster; {}", name,
                            context->cluster, NamesOf(config.clusters)));
  }
  if (const KubeUser* user = Find(config.users, context->user)) {
    chosen.user = *user;
  } else if (!context->user.empty()) {
    return Fail(fmt::format("context \"{}\": user: \"{}\": there is no such user; {}", name,
                            context->user, NamesOf(config.users)));
  }
  return chosen;
}

// Resolves paths of files, and of a command with a slash, relative to the kubeconfig.
void ResolvePaths(Chosen& chosen, const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  const auto resolve = [&](std::string& path) {
    if (!path.empty()) path = (folder / path).lexically_normal().string();
  };
  resolve(chosen.cluster.ca_file);
  resolve(chosen.user.cert_file);
  resolve(chosen.user.key_file);
  resolve(chosen.user.token_file);
  if (!chosen.user.exec || !chosen.user.exec->command.contains('/')) return;
  std::string& command = chosen.user.exec->command;
  resolve(command);
  if (!command.contains('/')) command = "./" + command;
}

Status CheckCluster(const KubeCluster& cluster) {
  const auto fail = [&](std::string_view field, std::string_view why) {
    return Fail(fmt::format("cluster \"{}\": {}: {}", cluster.name, field, why));
  };
  if (!cluster.proxy_url.empty()) {
    return fail("proxy-url", fmt::format("\"{}\": proxies are not supported", cluster.proxy_url));
  }
  if (!cluster.ca_file.empty() && !cluster.ca_data.empty()) {
    return fail("certificate-authority", "given together with certificate-authority-data");
  }
  if (cluster.insecure && !(cluster.ca_file.empty() && cluster.ca_data.empty())) {
    return fail("insecure-skip-tls-verify",
                "true, although there is a certificate authority to verify with");
  }
  if (!cluster.ca_file.empty()) {
    if (const auto content = ReadFile(cluster.ca_file); !content) {
      return fail("certificate-authority", content.error().message);
    }
  }
  return {};
}

Status CheckUser(const KubeUser& user) {
  const auto fail = [&](std::string_view field, std::string_view why) {
    return Fail(fmt::format("user \"{}\": {}: {}", user.name, field, why));
  };
  if (!user.auth_provider.empty()) {
    return fail("auth-provider",
                fmt::format("\"{}\": not supported, use an exec plugin", user.auth_provider));
  }
  if (!user.cert_file.empty() && !user.cert_data.empty()) {
    return fail("client-certificate", "given together with client-certificate-data");
  }
  if (!user.key_file.empty() && !user.key_data.empty()) {
    return fail("client-key", "given together with client-key-data");
  }
  const bool has_cert = !user.cert_file.empty() || !user.cert_data.empty();
  const bool has_key = !user.key_file.empty() || !user.key_data.empty();
  if (has_cert && !has_key) return fail("client-key", "missing: client-certificate needs it");
  if (has_key && !has_cert) return fail("client-certificate", "missing: client-key needs it");
  const bool basic = !user.username.empty() || !user.password.empty();
  if (basic && !(user.token.empty() && user.token_file.empty())) {
    return fail("token", "given together with username and password: only one is possible");
  }
  if (basic && user.username.contains(':')) {
    return fail("username", fmt::format("\"{}\": must not have a colon", user.username));
  }
  if (!FitsInHeader(user.token)) return fail("token", "it has control characters");
  const bool more = !user.impersonate_uid.empty() || !user.impersonate_groups.empty() ||
                    !user.impersonate_extra.empty();
  if (more && user.impersonate.empty()) {
    return fail("as", "missing: as-uid, as-groups and as-user-extra need it");
  }
  return {};
}

Status AddImpersonation(const KubeUser& user, ClientConfig& config) {
  const auto add = [&](std::string name, const std::string& value) {
    config.headers.push_back({std::move(name), value});
    return FitsInHeader(value);
  };
  bool good = true;
  if (!user.impersonate.empty()) good = add("Impersonate-User", user.impersonate) && good;
  if (!user.impersonate_uid.empty()) good = add("Impersonate-Uid", user.impersonate_uid) && good;
  for (const std::string& group : user.impersonate_groups) {
    good = add("Impersonate-Group", group) && good;
  }
  for (const auto& [key, values] : user.impersonate_extra) {
    for (const std::string& value : values) {
      good = add("Impersonate-Extra-" + EscapeForHeaderName(key), value) && good;
    }
  }
  if (good) return {};
  return Fail(fmt::format("user \"{}\": as: a value has control characters", user.name));
}

// Files are read again after an interval.
const Clock& ClockOfFiles(const Environment& environment) {
  return environment.clock == nullptr ? kSteadyClock : *environment.clock;
}

// Plugins report dates of expiry.
const Clock& ClockOfPlugins(const Environment& environment) {
  return environment.clock == nullptr ? kSystemClock : *environment.clock;
}

// Adds the credentials for a server with https.
Status AddCredentials(const Chosen& chosen, const Environment& environment, ClientConfig& config) {
  const KubeUser& user = chosen.user;
  if (!user.username.empty() || !user.password.empty()) {
    config.headers.push_back(
        {"Authorization", "Basic " + EncodeBase64(user.username + ":" + user.password)});
  }
  config.tls.cert_data = user.cert_data;
  config.tls.key_data = user.key_data;
  CredentialFiles files{.token = user.token_file, .certificate = {}, .key = {}, .fixed = {}};
  if (!user.cert_file.empty() || !user.key_file.empty()) {
    files.certificate = user.cert_file;
    files.key = user.key_file;
    files.fixed.certificate = user.cert_data;
    files.fixed.key = user.key_data;
  }
  files.fixed.bearer_token = user.token;
  if (!files.token.empty() || !files.certificate.empty() || !files.key.empty()) {
    auto credentials = FileCredentials::Create(std::move(files), ClockOfFiles(environment));
    if (!credentials) {
      return Fail(fmt::format("user \"{}\": {}", user.name, credentials.error().message));
    }
    config.credentials = *std::move(credentials);
  } else if (!user.token.empty()) {
    config.credentials = std::make_shared<StaticCredentials>(std::move(files.fixed));
  } else if (user.exec) {
    ExecCluster cluster{.server = config.server,
                        .tls_server_name = config.tls.server_name,
                        .insecure = config.tls.insecure,
                        .ca_data = config.tls.ca_data,
                        .config = chosen.cluster.exec_config};
    if (!config.tls.ca_file.empty()) {
      cluster.ca_data = ReadFile(config.tls.ca_file).value_or("");
    }
    config.credentials = std::make_shared<ExecCredentials>(*user.exec, std::move(cluster),
                                                           ClockOfPlugins(environment));
  }
  return {};
}

Result<ClientConfig> Assemble(const Chosen& chosen, const ClientConfigSource& source,
                              const Environment& environment) {
  ClientConfig config;
  std::string server = source.master.empty() ? chosen.cluster.server : source.master;
  const std::string field = source.master.empty()
                                ? fmt::format("cluster \"{}\": server", chosen.cluster.name)
                                : "--master";
  if (server.empty()) return Fail(field + ": not set");
  if (!server.contains("://")) server = "http://" + server;
  const auto url = net::ParseUrl(server);
  if (!url) return Fail(fmt::format("{}: {}", field, url.error().message));
  if (url->target.contains('?')) return Fail(fmt::format("{}: \"{}\": has a query", field, server));
  config.server = url->ToString();
  while (config.server.ends_with('/')) config.server.pop_back();
  if (!chosen.name_space.empty()) config.default_namespace = chosen.name_space;
  Status status = CheckCluster(chosen.cluster);
  if (status) status = CheckUser(chosen.user);
  if (status) status = AddImpersonation(chosen.user, config);
  if (status && url->https) {
    config.tls.insecure = chosen.cluster.insecure;
    config.tls.ca_file = chosen.cluster.ca_file;
    config.tls.ca_data = chosen.cluster.ca_data;
    if (source.master.empty()) config.tls.server_name = chosen.cluster.tls_server_name;
    status = AddCredentials(chosen, environment, config);
  }
  if (!status) return std::unexpected(status.error());
  return config;
}

}  // namespace

Result<ClientConfig> LoadClientConfig(const ClientConfigSource& source,
                                      const Environment& environment) {
  if (source.kubeconfig.empty() && source.master.empty()) return InClusterConfig(environment);
  if (source.kubeconfig.empty()) return Assemble({}, source, environment);
  const auto text = ReadFile(source.kubeconfig);
  if (!text) return Fail("kubeconfig: " + text.error().message);
  const auto kubeconfig = ParseKubeconfig(*text, source.kubeconfig);
  if (!kubeconfig) return std::unexpected(kubeconfig.error());
  auto chosen = Choose(*kubeconfig, source);
  if (!chosen) return Fail(fmt::format("{}: {}", source.kubeconfig, chosen.error().message));
  ResolvePaths(*chosen, source.kubeconfig);
  auto config = Assemble(*chosen, source, environment);
  if (!config) return Fail(fmt::format("{}: {}", source.kubeconfig, config.error().message));
  return config;
}

namespace {

std::string Variable(const Environment& environment, const char* name) {
  if (environment.variable) return environment.variable(name).value_or("");
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<ClientConfig> InClusterConfig(const Environment& environment) {
  const std::string host = Variable(environment, "KUBERNETES_SERVICE_HOST");
  const std::string port = Variable(environment, "KUBERNETES_SERVICE_PORT");
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
      {.token = environment.service_account + "/token", .certificate = {}, .key = {}, .fixed = {}},
      ClockOfFiles(environment));
  if (!credentials) return Fail("the service account: " + credentials.error().message);
  config.credentials = *std::move(credentials);
  // Without a CA file, the system's authorities apply: they may have signed the server's
  // certificate.
  const std::string authority = environment.service_account + "/ca.crt";
  if (ReadFile(authority)) config.tls.ca_file = authority;
  if (const auto name = ReadFile(environment.service_account + "/namespace")) {
    if (!Trimmed(*name).empty()) config.default_namespace = Trimmed(*name);
  }
  return config;
}

Status PinAuthority(ClientConfig& config) {
  if (config.tls.ca_file.empty()) return {};
  auto content = ReadFile(config.tls.ca_file);
  if (!content) return std::unexpected(content.error());
  config.tls.ca_data = *std::move(content);
  config.tls.ca_file.clear();
  return {};
}

}  // namespace berth::client
