#include "cmd/why_attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "client/escaping.h"
#include "client/port_forward.h"
#include "client/rest_client.h"
#include "cmd/attempt_text.h"
#include "cmd/scheduler_pods.h"
#include "net/http_client.h"

namespace berth::cmd {
namespace {

using api::JsonArray;
using api::JsonObject;

// What a person reads; the API has the rest.
constexpr size_t kAttemptsAsked = 20;
constexpr size_t kAttemptsShown = 10;

// The default of --secure-port.
constexpr uint16_t kSecurePort = 10259;

Result<JsonObject> GetDocument(client::RestClient& client, const std::string& path) {
  const auto body = client::GetAndWait(client, path);
  if (!body) return std::unexpected(body.error());
  auto document = api::ParseJson(*body);
  JsonObject* object = document ? api::AsObject(*document) : nullptr;
  if (api::StringAt(object, "apiVersion") != "berth.dev/v1")
    return Fail("GET " + path + ": the response is no document of berth.dev/v1");
  return std::move(*object);
}

std::string_view TextAt(const JsonObject& object, std::string_view key) {
  return api::StringAt(&object, key);
}

std::string Indented(std::string_view lines) {
  std::string out;
  for (const auto line : std::views::split(lines, '\n')) {
    if (!line.empty()) out += fmt::format("  {}\n", std::string_view(line));
  }
  return out;
}

// Asks one scheduler.
Result<JsonObject> Ask(client::RestClient& client, const api::ObjectKey& pod) {
  const std::string name = client::QueryEscape(pod.ToString());
  auto attempts =
      GetDocument(client, fmt::format("/berth/v1/attempts?pod={}&limit={}", name, kAttemptsAsked));
  if (!attempts) return std::unexpected(attempts.error());
  auto rows = GetDocument(
      client, fmt::format("/berth/v1/pods?namespace={}&name={}",
                          client::QueryEscape(pod.namespace_), client::QueryEscape(pod.name)));
  if (!rows) return std::unexpected(rows.error());
  JsonObject history;
  JsonArray& list = history["attempts"].emplace_array();
  if (JsonArray* items = api::ArrayAt(&*attempts, "items")) list = std::move(*items);
  const JsonArray* items = api::ArrayAt(&*rows, "items");
  if (items != nullptr && items->size() == 1) {
    const JsonObject* row = api::AsObject((*items)[0]);
    for (const std::string_view key : {"queue", "nextAttempt"}) {
      if (const auto text = api::StringAt(row, key); !text.empty()) history.emplace(key, text);
    }
  }
  return history;
}

// Trusts the authorities of `access`, or any certificate.
void UseAuthorities(const SchedulerAccess& access, client::ClientConfig& config) {
  if (access.ca_file.empty() && !access.insecure) return;
  config.tls.ca_file = access.ca_file;
  config.tls.ca_data.clear();
  config.tls.insecure = access.insecure;
}

Result<JsonObject> AskAddress(const SchedulerAccess& access, LiveCluster& cluster,
                              const api::ObjectKey& pod) {
  auto config = cluster.ConfigFor(access.address);
  if (!config) return std::unexpected(config.error());
  UseAuthorities(access, *config);
  if (!access.server_name.empty()) config->tls.server_name = access.server_name;
  const auto client = client::RestClient::Create(cluster.loop(), *std::move(config));
  if (!client) return std::unexpected(client.error());
  return Ask(**client, pod);
}

// CertificateOnly withholds the token of a credential.
class CertificateOnly final : public client::Credentials {
 public:
  // `all` may be null. `has_certificate`: there is one that is no part of the credentials.
  CertificateOnly(std::shared_ptr<client::Credentials> all, bool has_certificate)
      : all_(std::move(all)), has_certificate_(has_certificate) {}

  void Get(Callback callback) override {
    if (all_ == nullptr) return callback(WithoutToken({}, has_certificate_));
    all_->Get([has = has_certificate_, callback = std::move(callback)](auto credential) {
      if (credential) credential = WithoutToken(*std::move(credential), has);
      callback(std::move(credential));
    });
  }
  void Refused(const client::Credential&) override {}

 private:
  static Result<client::Credential> WithoutToken(client::Credential credential,
                                                 bool has_certificate) {
    credential.bearer_token.clear();
    if (!credential.certificate.empty() || has_certificate) return credential;
    return Fail(
        "the kubeconfig has no client certificate, and a token is sent only to a scheduler whose "
        "certificate is verified (--scheduler-ca-file)");
  }

  const std::shared_ptr<client::Credentials> all_;
  const bool has_certificate_;
};

// Returns how to speak to the secure port of a pod at the end of a port-forward, where it is on
// localhost. Its certificate is generated at the start unless the operator sets one.
client::ClientConfig PodConfig(const SchedulerAccess& access, client::ClientConfig config) {
  config.server = fmt::format("https://localhost:{}", kSecurePort);
  config.tls.server_name = access.server_name;
  UseAuthorities(access, config);
  if (!access.ca_file.empty() || access.insecure) return config;
  const bool has_certificate = !config.tls.cert_data.empty() || !config.tls.cert_file.empty();
  config.tls.ca_file.clear();
  config.tls.ca_data.clear();
  config.tls.insecure = true;
  config.credentials =
      std::make_shared<CertificateOnly>(std::move(config.credentials), has_certificate);
  std::erase_if(config.headers, [](const net::HttpHeader& header) {
    return net::EqualIgnoringCase(header.name, "Authorization");
  });
  return config;
}

Result<JsonObject> AskPod(const SchedulerAccess& access, LiveCluster& cluster,
                          const api::ObjectKey& scheduler, const api::ObjectKey& pod) {
  const client::PortForward forward(cluster.loop(), cluster.client().config(), scheduler,
                                    kSecurePort);
  client::ClientConfig config = PodConfig(access, cluster.client().config());
  net::HttpClientOptions options;
  options.tls = config.tls;
  options.http2 = true;
  options.connect_timeout = Duration::Seconds(10);  // Somebody waits for the answer.
  options.dial = forward.dialer();
  auto http = net::HttpClient::Create(cluster.loop(), options);
  if (!http) return std::unexpected(http.error());
  const auto client =
      client::RestClient::CreateOn(cluster.loop(), *std::move(http), std::move(config));
  if (!client) return std::unexpected(client.error());
  auto history = Ask(**client, pod);
  if (history) return history;
  const std::string problem = forward.problem();
  return Fail(fmt::format("pod {}: {}", scheduler.ToString(),
                          problem.empty() ? history.error().message : problem));
}

// Asks the schedulers until one has tried the pod, or leads and has it in its queue.
Result<JsonObject> AskPods(const SchedulerAccess& access, LiveCluster& cluster,
                           std::span<const api::Ref<api::Pod>> pods, const api::ObjectKey& pod) {
  std::vector<std::string> holders;
  if (pods.size() > 1) {
    const auto leases = client::GetAndWait(
        cluster.client(), fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases",
                                      client::QueryEscape(access.namespace_)));
    // Without them, all are asked.
    if (leases) holders = LeaseHolders(*leases);
  }
  std::optional<Result<JsonObject>> best;
  for (const SchedulerPod& scheduler : FindSchedulerPods(pods, holders)) {
    auto history = AskPod(access, cluster, scheduler.key, pod);
    const bool tried = history && !api::EmptyAt(&*history, "attempts");
    const bool queued = history && history->contains("queue");
    if (tried || (queued && scheduler.leads)) return history;
    if (!best || (!*best && history) || (*best && !(*best)->contains("queue") && queued)) {
      best = std::move(history);
    }
  }
  if (best) return *std::move(best);
  return Fail(
      fmt::format("no pod of a berth-scheduler is to be seen in namespace {}", access.namespace_));
}

// Returns the end of the attempts that end like the one at `first`.
size_t EndOfRepetition(const JsonArray& attempts, size_t first) {
  const auto result = [&](size_t i) {
    const JsonObject* attempt = api::AsObject(attempts[i]);
    return std::pair(api::StringAt(attempt, "outcome"), api::StringAt(attempt, "message"));
  };
  size_t end = first + 1;
  while (end < attempts.size() && result(end) == result(first)) ++end;
  return end;
}

}  // namespace

Result<JsonObject> AskScheduler(const SchedulerAccess& access, LiveCluster& cluster,
                                std::span<const api::Ref<api::Pod>> scheduler_pods,
                                const api::ObjectKey& pod) {
  if (!access.address.empty()) return AskAddress(access, cluster, pod);
  if (auto history = Ask(cluster.client(), pod)) return history;
  return AskPods(access, cluster, scheduler_pods, pod);
}

std::string HistoryText(const JsonObject& history, const TimeFormat& times) {
  std::string out = "\nThe scheduler";
  const std::string_view queue = TextAt(history, "queue");
  const std::string_view next = TextAt(history, "nextAttempt");
  const JsonArray* attempts = api::ArrayAt(&history, "attempts");
  if (!queue.empty()) {
    out += fmt::format(" has it in the queue {}{}{}", queue,
                       next.empty() ? "" : ", until it is tried again ",
                       next.empty() ? "" : TimeText(next, times));
  }
  if (attempts == nullptr || attempts->empty()) {
    return out + fmt::format("{} remembers no attempt.\n", queue.empty() ? "" : ", and");
  }
  out +=
      fmt::format("{} remembers these attempts, the newest first:\n", queue.empty() ? "" : ", and");
  size_t shown = 0;
  for (size_t i = 0; i < attempts->size(); ++shown) {
    if (shown >= kAttemptsShown) return out + "  ...\n";
    const size_t end = EndOfRepetition(*attempts, i);
    if (const JsonObject* attempt = api::AsObject((*attempts)[i])) {
      JsonObject read = *attempt;
      read["time"] = TimeText(TextAt(*attempt, "time"), times);
      out += Indented(AttemptText(read));
    }
    const JsonObject* earliest = api::AsObject((*attempts)[end - 1]);
    if (end - i > 1 && earliest != nullptr) {
      out += fmt::format("    the same {} times since {}\n", end - i,
                         TimeText(TextAt(*earliest, "time"), times));
    }
    i = end;
  }
  return out;
}

}  // namespace berth::cmd
