#include "cmd/conformance_config_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <any>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "cmd/config_command.h"
#include "scheduler/config/print.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/pod_group_plugins.h"
#include "scheduler/framework/profile.h"

namespace berth::cmd {

using api::Json;
using api::JsonArray;
using api::JsonObject;

void CompareJson(std::string_view path, const Json& expected, const Json& actual,
                 Differences& differences) {
  const JsonArray* items = expected.if_array();
  const JsonArray* actual_items = actual.if_array();
  if (items && actual_items && items->size() == actual_items->size()) {
    for (size_t i = 0; i < items->size(); ++i) {
      CompareJson(fmt::format("{}[{}]", path, i), (*items)[i], (*actual_items)[i], differences);
    }
    return;
  }
  const JsonObject* members = expected.if_object();
  const JsonObject* actual_members = actual.if_object();
  if (!members || !actual_members) {
    if (expected == actual) return;
    differences.push_back({std::string(path), api::ToJsonText(expected), api::ToJsonText(actual)});
    return;
  }
  const auto below = [&](std::string_view key) { return fmt::format("{}.{}", path, key); };
  for (const auto& [key, value] : *members) {
    if (const Json* found = actual_members->if_contains(key)) {
      CompareJson(below(key), value, *found, differences);
    } else {
      differences.push_back({below(key), api::ToJsonText(value), "(none)"});
    }
  }
  for (const auto& [key, value] : *actual_members) {
    if (members->contains(key)) continue;
    differences.push_back({below(key), "(none)", api::ToJsonText(value)});
  }
}

namespace {

using Value = JsonFields::Value;

constexpr std::string_view kAccepted = "accepted";

// Returns the words in double quotes.
std::vector<std::string> QuotedWords(std::string_view text) {
  std::vector<std::string> words;
  for (size_t open = text.find('"'); open != std::string_view::npos;) {
    const size_t close = text.find('"', open + 1);
    if (close == std::string_view::npos) break;
    words.emplace_back(text.substr(open + 1, close - open - 1));
    open = text.find('"', close + 1);
  }
  return words;
}

// Decoding errors come from Go libraries: only the field names in them are compared.
bool SameDecodeError(const std::string& expected, const std::string& actual) {
  if (!expected.starts_with("strict decoding error")) return true;
  return std::ranges::all_of(QuotedWords(expected), [&](const std::string& field) {
    return actual.find(field) != std::string::npos;
  });
}

void CompareErrors(const std::string& stage, std::vector<std::string> expected,
                   std::vector<std::string> actual, Differences& differences) {
  std::ranges::sort(expected);
  std::ranges::sort(actual);
  const std::string all_expected = fmt::format("{}", fmt::join(expected, "; "));
  const std::string all_actual = fmt::format("{}", fmt::join(actual, "; "));
  const bool same =
      stage == "decode" ? SameDecodeError(all_expected, all_actual) : expected == actual;
  if (!same) differences.push_back({stage + " errors", all_expected, all_actual});
}

JsonObject Named(std::string_view name) { return {{"name", name}}; }

template <typename Role>
void AddPoint(JsonObject& points, std::string_view point, const Role& plugins) {
  JsonArray list;
  for (const auto* plugin : plugins) list.push_back(Named(plugin->name()));
  if (!list.empty()) points.emplace(point, std::move(list));
}

template <typename Scorers>
void AddScorers(JsonObject& points, std::string_view point, const Scorers& scorers) {
  JsonArray list;
  for (const auto& [plugin, weight] : scorers)
    list.push_back(JsonObject{{"name", plugin->name()}, {"weight", weight}});
  if (!list.empty()) points.emplace(point, std::move(list));
}

// Returns the plugins of a profile in execution order, in the format of the cases.
JsonObject Effective(const scheduler::framework::Profile& profile) {
  JsonObject points;
  AddPoint(points, "preEnqueue", profile.pre_enqueue());
  points.emplace("queueSort", JsonArray{Named(profile.queue_sort().name())});
  AddPoint(points, "preFilter", profile.pre_filter());
  AddPoint(points, "filter", profile.filter());
  AddPoint(points, "postFilter", profile.post_filter());
  AddPoint(points, "preScore", profile.pre_score());
  AddPoint(points, "reserve", profile.reserve());
  AddPoint(points, "permit", profile.permit());
  AddPoint(points, "preBind", profile.pre_bind());
  AddPoint(points, "bind", profile.bind());
  AddPoint(points, "postBind", profile.post_bind());
  AddPoint(points, "placementGenerate", profile.placement_generate());
  AddScorers(points, "score", profile.score());
  AddScorers(points, "placementScore", profile.placement_score());
  return points;
}

JsonArray StringList(const auto& strings) {
  JsonArray list;
  for (const std::string& text : strings) list.emplace_back(text);
  return list;
}

JsonObject UsedArgs(const std::vector<scheduler::framework::ProfileConfig>& profiles) {
  JsonObject result;
  for (const scheduler::framework::ProfileConfig& profile : profiles) {
    std::vector<std::string> names;
    for (const auto& [name, args] : profile.args) names.push_back(name);
    result.emplace(profile.scheduler_name, StringList(names));
  }
  return result;
}

JsonObject FitIgnoredResources(const std::vector<scheduler::framework::ProfileConfig>& profiles) {
  JsonObject result;
  for (const scheduler::framework::ProfileConfig& profile : profiles) {
    auto found = profile.args.find("NodeResourcesFit");
    if (found == profile.args.end()) continue;
    const auto* args = std::any_cast<scheduler::framework::NodeResourcesFitArgs>(&found->second);
    if (args != nullptr)
      result.emplace(profile.scheduler_name, StringList(args->ignored_resources));
  }
  return result;
}

std::optional<Json> ReadJson(JsonFields& json, Value row, std::string_view key) {
  const auto found = json.Find(row, key);
  return found ? std::optional(*found->value()) : std::nullopt;
}

// Removes extension points without plugins.
void DropUnused(Json& effective) {
  JsonObject* profiles = effective.if_object();
  if (!profiles) return;
  for (auto& profile : *profiles) {
    const JsonObject* points = profile.value().if_object();
    if (!points) continue;
    JsonObject used;
    for (const auto& [point, plugins] : *points) {
      if (!api::IsEmpty(&plugins)) used[point] = plugins;
    }
    profile.value() = std::move(used);
  }
}

struct ExpectedConfig {
  std::string stage;
  std::vector<std::string> errors;
  std::optional<Json> completed, effective, used_args, fit_ignored_resources;
};

Result<ExpectedConfig> ReadExpected(Value row) {
  JsonFields json;
  ExpectedConfig expected;
  expected.stage = json.Bool(row, "ok") ? std::string(kAccepted) : json.String(row, "stage");
  expected.errors = json.Strings(row, "errors");
  const std::pair<std::string_view, std::optional<Json>*> parts[] = {
      {"completed", &expected.completed},
      {"effective", &expected.effective},
      {"usedArgs", &expected.used_args},
      {"fitIgnoredResources", &expected.fit_ignored_resources}};
  for (const auto& [key, into] : parts) *into = ReadJson(json, row, key);
  if (expected.effective) DropUnused(*expected.effective);
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  return expected;
}

}  // namespace

Result<Differences> RunConfig(Value row, const scheduler::framework::Registry& registry) {
  JsonFields json;
  json.Require(row, "yaml");
  const std::string text = json.String(row, "yaml");
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  const auto expected = ReadExpected(row);
  if (!expected) return std::unexpected(expected.error());

  const CheckedConfiguration actual = CheckConfiguration(text, registry);
  const std::string actual_stage = actual.ok() ? std::string(kAccepted) : actual.stage;
  Differences differences;
  auto describe = [](const std::string& stage, const std::vector<std::string>& errors) {
    return stage == kAccepted ? stage : fmt::format("{}: {}", stage, fmt::join(errors, "; "));
  };
  if (expected->stage != actual_stage) {
    differences.push_back({"outcome", describe(expected->stage, expected->errors),
                           describe(actual_stage, actual.errors)});
  } else {
    CompareErrors(actual_stage, expected->errors, actual.errors, differences);
  }
  if (expected->completed && actual.completed) {
    CompareJson("completed", *expected->completed, scheduler::config::ToJson(*actual.completed),
                differences);
  }
  if (expected->stage != kAccepted || actual_stage != kAccepted) return differences;

  JsonObject effective;
  for (const auto& profile : actual.profiles) {
    effective.emplace(profile->scheduler_name(), Effective(*profile));
  }
  auto compare = [&](std::string_view what, const std::optional<Json>& want, const Json& got) {
    if (want) CompareJson(what, *want, got, differences);
  };
  compare("effective", expected->effective, effective);
  compare("usedArgs", expected->used_args, UsedArgs(actual.profile_configs));
  compare("fitIgnoredResources", expected->fit_ignored_resources,
          FitIgnoredResources(actual.profile_configs));
  return differences;
}

}  // namespace berth::cmd
