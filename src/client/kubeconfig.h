// Kubeconfig is the parsed content of a kubeconfig file, before contexts are resolved.
//
// Unknown fields are accepted, as by kubectl. Values of the wrong type, duplicate names and
// unsupported settings are errors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/exec_credentials.h"

namespace berth::client {

struct KubeCluster {
  std::string name;
  std::string server;
  std::string tls_server_name;
  bool insecure = false;
  std::string ca_file;
  std::string ca_data;
  std::string proxy_url;
  std::string exec_config;  // See ExecCluster::config.
};

struct KubeUser {
  std::string name;
  std::string cert_file;
  std::string cert_data;
  std::string key_file;
  std::string key_data;
  std::string token;
  std::string token_file;
  std::string username;
  std::string password;
  std::string impersonate;
  std::string impersonate_uid;
  std::vector<std::string> impersonate_groups;
  std::map<std::string, std::vector<std::string>> impersonate_extra;
  std::string auth_provider;  // The name of one.
  std::optional<ExecPlugin> exec;
};

struct KubeContext {
  std::string name;
  std::string cluster;
  std::string user;
  std::string name_space;
};

struct Kubeconfig {
  std::string current_context;
  std::vector<KubeCluster> clusters;
  std::vector<KubeUser> users;
  std::vector<KubeContext> contexts;
};

// Parses `text`, YAML or JSON. Errors begin with `file` and never contain secrets:
//   a.conf: clusters[0].cluster.server: 6443: must be a string
Result<Kubeconfig> ParseKubeconfig(std::string_view text, std::string_view file);

}  // namespace berth::client
