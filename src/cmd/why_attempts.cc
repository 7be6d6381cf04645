#include "cmd/why_attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "client/escaping.h"
#include "client/load_config.h"
#include "client/rest_client.h"
#include "net/event_loop.h"

namespace berth::cmd {
namespace {

using api::JsonArray;
using api::JsonObject;

// What a person reads; the API has the rest.
constexpr size_t kAttemptsAsked = 20;
constexpr size_t kAttemptsShown = 10;
constexpr size_t kGroupsShown = 3;

Result<JsonObject> GetDocument(client::RestClient& client, const std::string& path) {
  const auto body = client::GetAndWait(client, path);
  if (!body) return std::unexpected(body.error());
  auto document = api::ParseJson(*body);
  JsonObject* object = document ? api::AsObject(*document) : nullptr;
  if (object == nullptr) return Fail("GET " + path + ": the response is no JSON object");
  return std::move(*object);
}

std::string_view TextAt(const JsonObject& object, std::string_view key) {
  return api::StringAt(&object, key);
}

double NumberAt(const JsonObject& object, std::string_view key) {
  const api::Json* value = object.if_contains(key);
  return value != nullptr && value->is_number() ? value->to_number<double>() : 0;
}

// "5 nodes NodeResourcesFit: Insufficient cpu; ..."
std::string GroupsText(const JsonObject& attempt) {
  const JsonArray* groups = api::ArrayAt(&attempt, "groups");
  if (groups == nullptr) return "";
  std::string out;
  for (size_t i = 0; i < std::min(groups->size(), kGroupsShown); ++i) {
    const JsonObject* group = api::AsObject((*groups)[i]);
    if (group == nullptr) continue;
    const int64_t nodes = api::IntAt(group, "nodes").value_or(0);
    out += fmt::format("{}{} node{} {}: {}", out.empty() ? "" : "; ", nodes, nodes == 1 ? "" : "s",
                       TextAt(*group, "plugin"), TextAt(*group, "reason"));
  }
  if (groups->size() > kGroupsShown) {
    out += fmt::format("; and {} more", groups->size() - kGroupsShown);
  }
  return out;
}

std::string VictimsText(const JsonObject& attempt) {
  const JsonArray* victims = api::ArrayAt(&attempt, "victims");
  if (victims == nullptr || victims->empty()) return "";
  std::string names;
  for (const api::Json& victim : *victims) {
    const JsonObject* pod = api::AsObject(victim);
    if (pod == nullptr) continue;
    names += fmt::format("{}{}/{}", names.empty() ? "" : ", ", TextAt(*pod, "namespace"),
                         TextAt(*pod, "name"));
  }
  return names;
}

std::string AttemptText(const JsonObject& attempt) {
  std::string out = fmt::format("  {}  {}", TextAt(attempt, "time"), TextAt(attempt, "outcome"));
  if (const auto node = TextAt(attempt, "node"); !node.empty()) out += fmt::format(" {}", node);
  if (const std::string groups = GroupsText(attempt); !groups.empty()) {
    out += fmt::format(": {}", groups);
  } else if (const auto message = TextAt(attempt, "message"); !message.empty()) {
    out += fmt::format(": {}", message);
  }
  out += '\n';
  if (const std::string victims = VictimsText(attempt); !victims.empty()) {
    out += fmt::format("    preempts {}\n", victims);
  }
  if (const JsonObject* woken = api::ObjectAt(&attempt, "wokenBy")) {
    const std::string_view object = TextAt(*woken, "object");
    out += fmt::format("    woken by {}{}{}, after {:.1f} s\n", TextAt(*woken, "event"),
                       object.empty() ? "" : " of ", object, NumberAt(attempt, "waitedFor"));
  }
  return out;
}

}  // namespace

Result<JsonObject> AskScheduler(const SchedulerAddress& scheduler, const std::string& kubeconfig,
                                const std::string& context, const api::ObjectKey& pod) {
  auto config = client::LoadClientConfig(
      {.kubeconfig = kubeconfig, .master = scheduler.address, .context = context});
  if (!config) return std::unexpected(config.error());
  if (!scheduler.ca_file.empty()) {
    config->tls.ca_file = scheduler.ca_file;
    config->tls.ca_data.clear();
    config->tls.insecure = false;
  }
  if (!scheduler.server_name.empty()) config->tls.server_name = scheduler.server_name;
  net::EventLoop loop;
  auto client = client::RestClient::Create(loop, *std::move(config));
  if (!client) return std::unexpected(client.error());
  loop.Start();
  const std::string name = client::QueryEscape(pod.ToString());
  auto attempts = GetDocument(
      **client, fmt::format("/berth/v1/attempts?pod={}&limit={}", name, kAttemptsAsked));
  if (!attempts) return std::unexpected(attempts.error());
  auto rows = GetDocument(
      **client, fmt::format("/berth/v1/pods?namespace={}&name={}",
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

std::string HistoryText(const JsonObject& history) {
  std::string out = "\nThe scheduler";
  const std::string_view queue = TextAt(history, "queue");
  const std::string_view next = TextAt(history, "nextAttempt");
  const JsonArray* attempts = api::ArrayAt(&history, "attempts");
  if (!queue.empty()) {
    out += fmt::format(" has it in the queue {}{}{}", queue, next.empty() ? "" : ", until ", next);
  }
  if (attempts == nullptr || attempts->empty()) {
    return out + fmt::format("{} remembers no attempt.\n", queue.empty() ? "" : ", and");
  }
  out +=
      fmt::format("{} remembers these attempts, the newest first:\n", queue.empty() ? "" : ", and");
  for (size_t i = 0; i < std::min(attempts->size(), kAttemptsShown); ++i) {
    if (const JsonObject* attempt = api::AsObject((*attempts)[i])) out += AttemptText(*attempt);
  }
  if (attempts->size() > kAttemptsShown) out += "  ...\n";
  return out;
}

}  // namespace berth::cmd
