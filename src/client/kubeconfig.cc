#include "client/kubeconfig.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/json/yaml.h"
#include "client/field_cursor.h"

namespace berth::client {
namespace {

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

std::string ExecConfigOf(const FieldCursor& cluster) {
  for (const FieldCursor& extension : cluster["extensions"].Items()) {
    if (extension["name"].Text() != kExecExtension) continue;
    const FieldCursor content = extension["extension"];
    if (content.present()) return api::ToJsonText(*content.value());
  }
  return "";
}

KubeCluster ReadCluster(const FieldCursor& field) {
  return {.name = {},
          .server = field["server"].Text(),
          .tls_server_name = field["tls-server-name"].Text(),
          .insecure = field["insecure-skip-tls-verify"].Flag(),
          .ca_file = field["certificate-authority"].Text(),
          .ca_data = field["certificate-authority-data"].Bytes(),
          .proxy_url = field["proxy-url"].Text(),
          .exec_config = ExecConfigOf(field)};
}

// Rejects interactive plugins: the process has no terminal.
void CheckInteractiveMode(const FieldCursor& exec, const std::string& api_version) {
  const FieldCursor field = exec["interactiveMode"];
  const std::string mode = field.Text();
  if (mode == "Always") {
    field.Refuse("Always is not supported: there is no terminal");
  } else if (mode.empty() && api_version == kExecV1) {
    field.Refuse(fmt::format("must be Never or IfAvailable with {}", kExecV1));
  } else if (!mode.empty() && mode != "Never" && mode != "IfAvailable") {
    field.Refuse("must be Never, IfAvailable or Always");
  }
}

std::optional<ExecPlugin> ReadExec(const FieldCursor& field) {
  if (!field.present()) return std::nullopt;
  ExecPlugin exec{.command = field["command"].Text(),
                  .args = field["args"].Texts(),
                  .env = {},
                  .api_version = field["apiVersion"].Text(),
                  .install_hint = field["installHint"].Text(),
                  .provide_cluster_info = field["provideClusterInfo"].Flag()};
  if (exec.command.empty()) field["command"].Refuse("must name the command to run");
  for (const std::string& arg : exec.args) {
    if (arg.contains('\0')) field["args"].Refuse("an argument must not contain a zero byte");
  }
  for (const FieldCursor& variable : field["env"].Items()) {
    const std::string name = variable["name"].Text();
    std::string value = variable["value"].Secret();
    if (name.empty() || name.contains('=') || name.contains('\0')) {
      variable["name"].Refuse("must be the name of an environment variable");
    }
    if (value.contains('\0')) variable["name"].Refuse("the value contains a zero byte");
    exec.env.emplace_back(name, std::move(value));
  }
  if (exec.api_version != kExecV1 && exec.api_version != kExecV1Beta1) {
    field["apiVersion"].Refuse(fmt::format("must be {} or {}", kExecV1, kExecV1Beta1));
  }
  CheckInteractiveMode(field, exec.api_version);
  return exec;
}

KubeUser ReadUser(const FieldCursor& field) {
  KubeUser user{.name = {},
                .cert_file = field["client-certificate"].Text(),
                .cert_data = field["client-certificate-data"].Bytes(),
                .key_file = field["client-key"].Text(),
                .key_data = field["client-key-data"].Bytes(),
                .token = field["token"].Secret(),
                .token_file = field["tokenFile"].Text(),
                .username = field["username"].Text(),
                .password = field["password"].Secret(),
                .impersonate = field["as"].Text(),
                .impersonate_uid = field["as-uid"].Text(),
                .impersonate_groups = field["as-groups"].Texts(),
                .impersonate_extra = {},
                .auth_provider = field["auth-provider"]["name"].Text(),
                .exec = ReadExec(field["exec"])};
  for (const auto& [key, values] : field["as-user-extra"].Members()) {
    user.impersonate_extra[key] = values.Texts();
  }
  return user;
}

KubeContext ReadContext(const FieldCursor& field) {
  return {.name = {},
          .cluster = field["cluster"].Text(),
          .user = field["user"].Text(),
          .name_space = field["namespace"].Text()};
}

// Reads a list of {name: ..., <what>: {...}}.
template <typename T>
std::vector<T> ReadNamed(const FieldCursor& list, std::string_view what,
                         T (*read)(const FieldCursor&)) {
  std::vector<T> all;
  for (const FieldCursor& item : list.Items()) {
    T one = read(item[what]);
    one.name = item["name"].Text();
    if (std::ranges::any_of(all, [&](const T& other) { return other.name == one.name; })) {
      item["name"].Refuse("another of the list has this name");
    }
    all.push_back(std::move(one));
  }
  return all;
}

void CheckType(const FieldCursor& document) {
  const FieldCursor kind = document["kind"];
  if (const std::string text = kind.Text(); !text.empty() && text != "Config") {
    kind.Refuse("a kubeconfig file is of kind Config");
  }
  const FieldCursor version = document["apiVersion"];
  if (const std::string text = version.Text(); !text.empty() && text != "v1") {
    version.Refuse("a kubeconfig file is of version v1");
  }
}

}  // namespace

Result<Kubeconfig> ParseKubeconfig(std::string_view text, std::string_view file) {
  const auto json = api::FirstDocumentToJson(text);
  if (!json) return Fail(fmt::format("{}: {}", file, json.error().message));
  const auto root = api::ParseJson(*json);
  if (!root) return Fail(fmt::format("{}: {}", file, root.error().message));
  std::string problem;
  const FieldCursor document(root->is_null() ? nullptr : &*root, {}, problem);
  CheckType(document);
  Kubeconfig config{.current_context = document["current-context"].Text(),
                    .clusters = ReadNamed(document["clusters"], "cluster", ReadCluster),
                    .users = ReadNamed(document["users"], "user", ReadUser),
                    .contexts = ReadNamed(document["contexts"], "context", ReadContext)};
  if (!problem.empty()) return Fail(fmt::format("{}: {}", file, problem));
  return config;
}

}  // namespace berth::client
