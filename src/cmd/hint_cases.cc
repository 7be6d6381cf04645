#include "cmd/hint_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/decode.h"
#include "config/configuration.h"
#include "config/profiles.h"
#include "framework/action_names.h"

namespace berth {
namespace {

using Value = JsonFields::Value;

Actions ReadActions(JsonFields& json, Value row) {
  Actions actions = 0;
  for (const std::string& name : json.Strings(row, "actionTypes")) {
    const Actions found = ActionNamed(name);
    if (found == 0) json.Complain("actionTypes", fmt::format("no action \"{}\"", name));
    actions |= found;
  }
  return actions;
}

Resource ReadResource(JsonFields& json, Value row) {
  const std::string name = json.String(row, "resource");
  for (size_t i = 0; i <= static_cast<size_t>(Resource::kAny); ++i) {
    if (ToString(static_cast<Resource>(i)) == name) return static_cast<Resource>(i);
  }
  json.Complain("resource", fmt::format("no resource \"{}\"", name));
  return Resource::kAny;
}

// "Add, UpdateNodeLabel, on condition"
std::string Describe(const Interest& interest) {
  std::string text;
  for (Actions action = kAdd; action < kAllActions; action = static_cast<Actions>(action << 1)) {
    if ((interest.type.actions & action) != 0) text.append(NameOf(action)).append(", ");
  }
  return text + (interest.conditional ? "on condition" : "always");
}

// The object under `key`. Nothing if there is none, or one of a kind that Berth does not know.
Result<std::optional<api::Object>> ReadObject(JsonFields& json, Value row, std::string_view key) {
  const auto value = json.Find(row, key);
  if (!value) return std::nullopt;
  auto decoded = api::DecodeJson(JsonText(*value));
  if (!decoded) return std::unexpected(Error{fmt::format("{}: {}", key, decoded.error().message)});
  if (decoded->empty()) return std::nullopt;
  return std::move(decoded->front());
}

Result<ClusterEvent> ReadEvent(JsonFields& json, Value row) {
  ClusterEvent event;
  const std::string action = json.String(row, "action");
  const Actions actions = ReadActions(json, row);
  event.type.resource = ReadResource(json, row);
  event.type.actions = action == "Add"      ? kAdd
                       : action == "Delete" ? kDelete
                                            : static_cast<Actions>(actions & kUpdate);
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
  if (kind == "objects") return TakeObjects(row);
  return kind == "registration" ? CheckRegistration(row) : CheckHint(row);
}

Result<Differences> HintCases::TakeObjects(Value row) {
  JsonFields json;
  cluster_ = std::make_unique<Cluster>();
  for (const Value value : json.List(row, "objects")) {
    const auto decoded = api::DecodeJson(JsonText(value));
    if (!decoded) return std::unexpected(decoded.error());
    for (const api::Object& object : *decoded) cluster_->Put(object);
  }
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  return Differences{};
}

Result<const Plugin*> HintCases::FindPlugin(Value row) {
  if (profile_ == nullptr) {
    const auto configs = config::ToProfileConfigs(config::Default());
    if (!configs) return std::unexpected(configs.error());
    auto built = Profile::Build(configs->at(0), registry_);
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
  const Interest expected{{ReadResource(json, row), ReadActions(json, row)},
                          json.Bool(row, "hasHint")};
  if (const Status status = json.status(); !status) return std::unexpected(status.error());

  std::vector<std::string> came;
  for (const Interest& interest : (*plugin)->Interests()) {
    if (interest == expected) return Differences{};
    if (interest.type.resource == expected.type.resource) came.push_back(Describe(interest));
  }
  return Differences{
      {fmt::format("events of {} for {}", ToString(expected.type.resource), (*plugin)->name()),
       Describe(expected), fmt::format("{}", fmt::join(came, "; "))}};
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

  const PodRecord visitor = cluster_->MakeVisitor(*pod);
  const Result<bool> answer = (*plugin)->MayHelp(*cluster_, visitor, *event);
  cluster_->Release(visitor);
  const std::string came = !answer ? "error" : *answer ? "Queue" : "QueueSkip";
  if (came == expected) return Differences{};
  return Differences{{fmt::format("{} on {} {}", (*plugin)->name(), ToString(event->type.resource),
                                  json.String(row, "action")),
                      expected, answer ? came : fmt::format("error: {}", answer.error().message)}};
}

}  // namespace berth
