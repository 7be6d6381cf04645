#include "cmd/attempt_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "api/json/document.h"
#include "base/go_duration.h"
#include "base/time.h"

namespace berth::cmd {
namespace {

using api::JsonArray;
using api::JsonObject;

// Of the groups of nodes, most nodes first, of the candidates and of the victims: what a person
// reads; the document has the rest.
constexpr size_t kItemsShown = 8;

// Signed or not: a document of this process has the numbers that were put into it.
int64_t NumberAt(const JsonObject& object, std::string_view key) {
  const api::Json* number = object.if_contains(key);
  boost::system::error_code not_exact;
  return number != nullptr && number->is_number() ? number->to_number<int64_t>(not_exact) : 0;
}

std::string ResultText(const JsonObject& attempt) {
  const std::string_view outcome = api::StringAt(&attempt, "outcome");
  const std::string_view node = api::StringAt(&attempt, "node");
  if (outcome == "assumed") return fmt::format("to be bound to {}", node);
  if (outcome == "waiting")
    return fmt::format("to be bound to {}, waiting for a Permit plugin", node);
  if (outcome == "error") return node.empty() ? "failed" : fmt::format("not bound to {}", node);
  return node.empty() ? std::string(outcome) : fmt::format("{} to {}", outcome, node);
}

std::string WakeText(const JsonObject& attempt) {
  std::string text;
  if (const JsonObject* woken = api::ObjectAt(&attempt, "wokenBy")) {
    text += fmt::format("woken by {}", api::StringAt(woken, "event"));
    const std::string_view object = api::StringAt(woken, "object");
    if (!object.empty()) text += fmt::format(" of {}", object);
    text += ", ";
  }
  const api::Json* seconds = attempt.if_contains("waitedFor");
  Duration waited;
  if (seconds != nullptr && seconds->is_number())
    waited = Duration::FromSeconds(seconds->to_number<double>());
  text +=
      fmt::format("waited {}", FormatGoDuration(Duration::Millis(waited / Duration::Millis(1))));
  std::vector<std::string_view> plugins;
  if (const JsonArray* waited_on = api::ArrayAt(&attempt, "waitedOn")) {
    for (const api::Json& plugin : *waited_on) {
      if (plugin.is_string()) plugins.push_back(plugin.get_string());
    }
  }
  if (!plugins.empty()) text += fmt::format(" for {}", fmt::join(plugins, ", "));
  return text;
}

// Formats the objects of a list, and how many there are besides.
template <typename Format>
std::vector<std::string> Items(const JsonObject& attempt, std::string_view key, Format format) {
  std::vector<std::string> items;
  const JsonArray* list = api::ArrayAt(&attempt, key);
  if (list == nullptr) return items;
  for (size_t i = 0; i < std::min(list->size(), kItemsShown); ++i) {
    if (const JsonObject* item = api::AsObject((*list)[i])) items.push_back(format(*item));
  }
  if (list->size() > kItemsShown)
    items.push_back(fmt::format("and {} more", list->size() - kItemsShown));
  return items;
}

std::string GroupText(const JsonObject& group) {
  const int64_t nodes = NumberAt(group, "nodes");
  return fmt::format("{} node{}: {}: {}", nodes, nodes == 1 ? "" : "s",
                     api::StringAt(&group, "plugin"), api::StringAt(&group, "reason"));
}

std::string CandidateText(const JsonObject& candidate) {
  return fmt::format("{} {}", api::StringAt(&candidate, "node"), NumberAt(candidate, "score"));
}

std::string VictimText(const JsonObject& pod) {
  return fmt::format("{}/{}", api::StringAt(&pod, "namespace"), api::StringAt(&pod, "name"));
}

}  // namespace

std::string AttemptText(const JsonObject& attempt) {
  std::string text =
      fmt::format("attempt {}, {}: {}; {}\n", NumberAt(attempt, "attempt"),
                  api::StringAt(&attempt, "time"), ResultText(attempt), WakeText(attempt));
  const std::string_view message = api::StringAt(&attempt, "message");
  if (!message.empty()) text += fmt::format("  {}\n", message);
  for (const std::string& group : Items(attempt, "groups", GroupText))
    text += fmt::format("  {}\n", group);
  const auto candidates = Items(attempt, "candidates", CandidateText);
  if (!candidates.empty()) text += fmt::format("  candidates: {}\n", fmt::join(candidates, ", "));
  const auto victims = Items(attempt, "victims", VictimText);
  if (!victims.empty()) text += fmt::format("  victims: {}\n", fmt::join(victims, ", "));
  return text;
}

}  // namespace berth::cmd
