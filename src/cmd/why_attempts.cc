#include "cmd/why_attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "client/escaping.h"
#include "client/load_config.h"
#include "client/rest_client.h"
#include "cmd/attempt_text.h"
#include "net/event_loop.h"

namespace berth::cmd {
namespace {

using api::JsonArray;
using api::JsonObject;

// What a person reads; the API has the rest.
constexpr size_t kAttemptsAsked = 20;
constexpr size_t kAttemptsShown = 10;

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
    if (const JsonObject* attempt = api::AsObject((*attempts)[i]))
      out += Indented(AttemptText(*attempt));
  }
  if (attempts->size() > kAttemptsShown) out += "  ...\n";
  return out;
}

}  // namespace berth::cmd
