#include "client/exec_protocol.h"

#include <fmt/format.h>

#include <utility>

#include "api/json_text.h"
#include "api/timestamp.h"
#include "client/field_cursor.h"
#include "client/header_value.h"
#include "config/base64.h"
#include "config/json_value.h"

namespace berth::client {
namespace {

using config::JsonValue;

JsonValue ClusterInfo(const ExecCluster& cluster) {
  JsonValue info = JsonValue::Object();
  info.Add("server", JsonValue::String(cluster.server));
  if (!cluster.tls_server_name.empty()) {
    info.Add("tls-server-name", JsonValue::String(cluster.tls_server_name));
  }
  if (cluster.insecure) info.Add("insecure-skip-tls-verify", JsonValue::Bool(true));
  if (!cluster.ca_data.empty()) {
    info.Add("certificate-authority-data",
             JsonValue::String(config::EncodeBase64(cluster.ca_data)));
  }
  if (!cluster.config.empty()) {
    if (auto extension = config::ParseJson(cluster.config)) info.Add("config", *extension);
  }
  return info;
}

// The certificate is checked by whoever uses it; a look at the first line helps with mistakes.
bool LooksLikePem(std::string_view text) { return Trimmed(text).starts_with("-----BEGIN "); }

void CheckCredential(const FieldCursor& status, const Credential& credential,
                     std::string& problem) {
  const auto note = [&](std::string_view why) {
    if (problem.empty()) problem = why;
  };
  if (!status.present()) return note("status: not set");
  const bool has_certificate = !credential.certificate.empty();
  const bool has_key = !credential.key.empty();
  if (has_certificate != has_key) {
    return note(has_key ? "status.clientKeyData without status.clientCertificateData"
                        : "status.clientCertificateData without status.clientKeyData");
  }
  if (credential.bearer_token.empty() && !has_certificate) {
    return note("status has neither a token nor a certificate with its key");
  }
  if (!FitsInHeader(credential.bearer_token)) {
    return note("status.token: has control characters, which no header can carry");
  }
  if (has_certificate && !LooksLikePem(credential.certificate)) {
    return note("status.clientCertificateData: this is not PEM");
  }
  if (has_key && !LooksLikePem(credential.key)) note("status.clientKeyData: this is not PEM");
}

}  // namespace

std::string ExecInfo(const ExecPlugin& plugin, const ExecCluster* cluster) {
  JsonValue spec = JsonValue::Object();
  if (cluster != nullptr) spec.Add("cluster", ClusterInfo(*cluster));
  spec.Add("interactive", JsonValue::Bool(false));
  JsonValue info = JsonValue::Object();
  info.Add("kind", JsonValue::String("ExecCredential"));
  info.Add("apiVersion", JsonValue::String(plugin.api_version));
  info.Add("spec", std::move(spec));
  return config::ToJsonText(info);
}

Result<ExecCredential> ParseExecCredential(std::string_view output, std::string_view api_version) {
  if (Trimmed(output).empty()) return Fail("the plugin printed nothing");
  const auto root = config::ParseJson(output);
  if (!root) return Fail("the plugin printed no JSON: " + root.error().message);
  std::string problem;
  const FieldCursor document(root->IsNull() ? nullptr : &*root, {}, problem);
  const FieldCursor kind = document["kind"];
  if (kind.Text() != "ExecCredential") kind.Refuse("must be ExecCredential");
  const FieldCursor version = document["apiVersion"];
  if (version.Text() != api_version) {
    version.Refuse(fmt::format("must be {}, as the kubeconfig says", api_version));
  }
  const FieldCursor status = document["status"];
  ExecCredential result;
  result.credential = {.bearer_token = status["token"].Secret(),
                       .certificate = status["clientCertificateData"].Secret(),
                       .key = status["clientKeyData"].Secret()};
  const FieldCursor expires = status["expirationTimestamp"];
  if (const std::string text = expires.Text(); !text.empty()) {
    const auto instant = api::ParseTimestamp(text);
    if (!instant) expires.Refuse(instant.error().message);
    if (instant) result.expires = *instant;
  }
  CheckCredential(status, result.credential, problem);
  if (!problem.empty()) return Fail("the plugin's answer: " + problem);
  return result;
}

}  // namespace berth::client
