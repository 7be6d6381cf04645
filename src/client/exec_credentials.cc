#include "client/exec_credentials.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/timestamp.h"
#include "base/base64.h"
#include "base/text.h"
#include "client/escaping.h"
#include "client/field_cursor.h"

namespace berth::client {
namespace {

using api::JsonObject;

JsonObject ClusterInfo(const ExecCluster& cluster) {
  JsonObject info{{"server", cluster.server}};
  if (!cluster.tls_server_name.empty()) info.emplace("tls-server-name", cluster.tls_server_name);
  if (cluster.insecure) info.emplace("insecure-skip-tls-verify", true);
  if (!cluster.ca_data.empty()) {
    info.emplace("certificate-authority-data", EncodeBase64(cluster.ca_data));
  }
  if (!cluster.config.empty()) {
    if (auto extension = api::ParseJson(cluster.config)) info.emplace("config", *extension);
  }
  return info;
}

// Detects common mistakes by the first line; TLS checks the certificate when it is used.
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
  JsonObject spec;
  if (cluster != nullptr) spec.emplace("cluster", ClusterInfo(*cluster));
  spec.emplace("interactive", false);
  return api::ToJsonText(JsonObject{
      {"kind", "ExecCredential"}, {"apiVersion", plugin.api_version}, {"spec", std::move(spec)}});
}

Result<ExecCredential> ParseExecCredential(std::string_view output, std::string_view api_version) {
  if (Trimmed(output).empty()) return Fail("the plugin printed nothing");
  const auto root = api::ParseJson(output);
  if (!root) return Fail("the plugin printed no JSON: " + root.error().message);
  std::string problem;
  const FieldCursor document(root->is_null() ? nullptr : &*root, {}, problem);
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

namespace {

constexpr size_t kShownComplaint = 300;

std::string Explain(const ExecPlugin& plugin, const ExecFailure& failure) {
  std::string text = fmt::format("credential plugin \"{}\": {}", plugin.command, failure.message);
  if (failure.not_found && !plugin.install_hint.empty()) text += "\n" + plugin.install_hint;
  return text;
}

Result<ExecCredential> Judge(const ExecPlugin& plugin,
                             const std::expected<ExecOutcome, ExecFailure>& outcome) {
  if (!outcome) return Fail(Explain(plugin, outcome.error()));
  if (outcome->exit_code != 0) {
    std::string why = outcome->exit_code < 0
                          ? "a signal ended it"
                          : fmt::format("it ended with exit code {}", outcome->exit_code);
    const std::string_view error_output = Trimmed(outcome->error_output);
    if (!error_output.empty()) why += ": " + Shorten(error_output, kShownComplaint);
    return Fail(Explain(plugin, {.not_found = false, .message = std::move(why)}));
  }
  auto credential = ParseExecCredential(outcome->output, plugin.api_version);
  if (!credential) {
    return Fail(
        Explain(plugin, {.not_found = false, .message = std::move(credential.error().message)}));
  }
  return credential;
}

}  // namespace

struct ExecCredentials::State {
  ExecPlugin plugin;
  ExecRequest request;
  const Clock& clock;
  Runner runner;
  int cancel_fd = ::eventfd(0, EFD_CLOEXEC);

  std::mutex mutex;
  std::condition_variable wake;
  std::optional<ExecCredential> current;
  std::vector<Callback> waiting;
  bool stop = false;

  State(ExecPlugin the_plugin, const Clock& the_clock, Runner the_runner)
      : plugin(std::move(the_plugin)), clock(the_clock), runner(std::move(the_runner)) {}
  ~State() {
    if (cancel_fd >= 0) ::close(cancel_fd);
  }

  bool Fresh() const { return current && (!current->expires || clock.Now() < *current->expires); }

  void Stop() {
    const std::lock_guard lock(mutex);
    stop = true;
    if (cancel_fd >= 0) ::eventfd_write(cancel_fd, 1);
    wake.notify_all();
  }

  void Serve() {
    std::unique_lock lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return stop || !waiting.empty(); });
      if (waiting.empty()) return;
      Result<ExecCredential> result = Fail("credential plugin: it was cancelled");
      if (!stop) {
        lock.unlock();
        result = Judge(plugin, runner(request, cancel_fd));
        lock.lock();
      }
      if (result) current = *result;
      const std::vector<Callback> callbacks = std::exchange(waiting, {});
      lock.unlock();
      for (const Callback& callback : callbacks) {
        if (result) {
          callback(result->credential);
        } else {
          callback(std::unexpected(result.error()));
        }
      }
      lock.lock();
    }
  }
};

ExecCredentials::ExecCredentials(ExecPlugin plugin, ExecCluster cluster, const Clock& clock,
                                 Runner runner)
    : state_(std::make_shared<State>(std::move(plugin), clock, std::move(runner))) {
  const ExecPlugin& given = state_->plugin;
  state_->request.command = given.command;
  state_->request.args = given.args;
  for (const auto& [name, value] : given.env) {
    state_->request.env.push_back(fmt::format("{}={}", name, value));
  }
  state_->request.env.push_back("KUBERNETES_EXEC_INFO=" +
                                ExecInfo(given, given.provide_cluster_info ? &cluster : nullptr));
  thread_ = std::thread([state = state_] { state->Serve(); });
}

ExecCredentials::~ExecCredentials() {
  state_->Stop();
  // The last owner may be a callback that this thread calls.
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void ExecCredentials::Get(Callback callback) {
  std::unique_lock lock(state_->mutex);
  if (!state_->Fresh()) {
    state_->waiting.push_back(std::move(callback));
    state_->wake.notify_one();
    return;
  }
  Credential credential = state_->current->credential;
  lock.unlock();
  callback(std::move(credential));
}

void ExecCredentials::Refused(const Credential& credential) {
  const std::lock_guard lock(state_->mutex);
  if (state_->current && state_->current->credential == credential) state_->current.reset();
}

}  // namespace berth::client
