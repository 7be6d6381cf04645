#include "cmd/conformance_hint_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/json/decode.h"
#include "scheduler/config/configuration.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/framework/cluster_event.h"

namespace berth::cmd {
namespace {

using Value = JsonFields::Value;

scheduler::framework::Actions ReadActions(JsonFields& json, Value row) {
  scheduler::framework::Actions actions = 0;
  for (const std::string& name : json.Strings(row, "actionTypes")) {
    const scheduler::framework::Actions found = scheduler::framework::ParseAction(name);
    if (found == 0) json.AddError("actionTypes", fmt::format("unknown action \"{}\"", name));
    actions |= found;
  }
  return actions;
}

scheduler::framework::Resource ReadResource(JsonFields& json, Value row) {
  const std::string name = json.String(row, "resource");
  for (size_t i = 0; i <= static_cast<size_t>(scheduler::framework::Resource::kAny); ++i) {
    if (scheduler::framework::ToString(static_cast<scheduler::framework::Resource>(i)) == name)
      return static_cast<scheduler::framework::Resource>(i);
  }
  json.AddError("resource", fmt::format("unknown resource \"{}\"", name));
  return scheduler::framework::Resource::kAny;
}

// Returns "Add, UpdateNodeLabel, with hint".
std::string Describe(const scheduler::framework::ClusterEventWithHint& registered) {
  std::string text;
  for (scheduler::framework::Actions action = scheduler::framework::kAdd;
       action < scheduler::framework::kAllActions;
       action = static_cast<scheduler::framework::Actions>(action << 1)) {
    if ((registered.type.actions & action) != 0)
      text.append(scheduler::framework::NameOf(action)).append(", ");
  }
  return text + (registered.conditional ? "with hint" : "without hint");
}

// Returns the object under `key`; nullopt if it is absent or of a kind that Berth does not know.
Result<std::optional<api::Object>> ReadObject(JsonFields& json, Value row, std::string_view key) {
  const auto value = json.Find(row, key);
  if (!value) return std::nullopt;
  auto decoded = api::DecodeJson(JsonText(*value));
  if (!decoded) return std::unexpected(Error{fmt::format("{}: {}", key, decoded.error().message)});
  if (decoded->empty()) return std::nullopt;
  return std::move(decoded->front());
}

Result<scheduler::framework::ClusterEvent> ReadEvent(JsonFields& json, Value row) {
  scheduler::framework::ClusterEvent event;
  const std::string action = json.String(row, "action");
  const scheduler::framework::Actions actions = ReadActions(json, row);
  event.type.resource = ReadResource(json, row);
  event.type.actions =
      action == "Add" ? scheduler::framework::kAdd
      : action == "Delete"
          ? scheduler::framework::kDelete
          : static_cast<scheduler::framework::Actions>(actions & scheduler::framework::kUpdate);
  auto before = ReadObject(json, row, "oldObj");
  if (!before) return std::unexpected(before.error());
  auto after = ReadObject(json, row, "newObj");
  if (!after) return std::unexpected(after.error());
  event.before = *std::move(before);
  event.after = *std::move(after);
  return event;
}

}  // namespace

Result<Differences> HintCases::Run(Value row) {
  JsonFields json;
  const std::string kind = json.String(row, "kind");
  if (kind == "objects") return ReadObjects(row);
  return kind == "registration" ? CheckRegistration(row) : CheckHint(row);
}

Result<Differences> HintCases::ReadObjects(Value row) {
  JsonFields json;
  cluster_ = std::make_unique<scheduler::model::Cluster>();
  for (const Value value : json.List(row, "objects")) {
    const auto decoded = api::DecodeJson(JsonText(value));
    if (!decoded) return std::unexpected(decoded.error());
    for (const api::Object& object : *decoded) cluster_->Put(object);
  }
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  return Differences{};
}

Result<const scheduler::framework::Plugin*> HintCases::FindPlugin(Value row) {
  if (profile_ == nullptr) {
    const auto configs = scheduler::config::ToProfileConfigs(scheduler::config::Default());
    if (!configs) return std::unexpected(configs.error());
    auto built = scheduler::framework::Profile::Build(configs->at(0), registry_);
    if (!built) return std::unexpected(built.error());
    profile_ = *std::move(built);
  }
  JsonFields json;
  const std::string name = json.String(row, "plugin");
  for (const auto& plugin : profile_->plugins()) {
    if (plugin->name() == name) return plugin.get();
  }
  return Fail(fmt::format("field \"plugin\": the default profile has no \"{}\"", name));
}

Result<Differences> HintCases::CheckRegistration(Value row) {
  JsonFields json;
  const auto plugin = FindPlugin(row);
  if (!plugin) return std::unexpected(plugin.error());
  const scheduler::framework::ClusterEventWithHint expected{
      {ReadResource(json, row), ReadActions(json, row)}, json.Bool(row, "hasHint")};
  if (const Status status = json.status(); !status) return std::unexpected(status.error());

  std::vector<std::string> actual;
  for (const scheduler::framework::ClusterEventWithHint& registered :
       (*plugin)->EventsToRegister()) {
    if (registered == expected) return Differences{};
    if (registered.type.resource == expected.type.resource) actual.push_back(Describe(registered));
  }
  return Differences{
      {fmt::format("events of {} for {}", scheduler::framework::ToString(expected.type.resource),
                   (*plugin)->name()),
       Describe(expected), fmt::format("{}", fmt::join(actual, "; "))}};
}

Result<Differences> HintCases::CheckHint(Value row) {
  JsonFields json;
  const auto plugin = FindPlugin(row);
  if (!plugin) return std::unexpected(plugin.error());
  const auto pod = api::DecodeJsonAs<api::Pod>(JsonText(json.Require(row, "pod")));
  if (!pod) return std::unexpected(pod.error());
  const auto event = ReadEvent(json, row);
  if (!event) return std::unexpected(event.error());
  const std::string expected = json.String(row, "result");
  if (const Status status = json.status(); !status) return std::unexpected(status.error());

  const scheduler::model::PodRecord record = cluster_->MakeHypotheticalPod(*pod);
  const Result<bool> hint = (*plugin)->QueueingHint(*cluster_, record, *event);
  cluster_->Release(record);
  const std::string actual = !hint ? "error" : *hint ? "Queue" : "QueueSkip";
  if (actual == expected) return Differences{};
  return Differences{{fmt::format("{} on {} {}", (*plugin)->name(),
                                  scheduler::framework::ToString(event->type.resource),
                                  json.String(row, "action")),
                      expected, hint ? actual : fmt::format("error: {}", hint.error().message)}};
}

}  // namespace berth::cmd
