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

#include "cmd/config_command.h"
#include "scheduler/config/print.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/profile.h"

namespace berth::cmd {

using api::JsonValue;

void CompareJson(std::string_view path, const JsonValue& expected, const JsonValue& actual,
                 Differences& differences) {
  if (expected.kind != actual.kind || expected.boolean != actual.boolean ||
      expected.text != actual.text || expected.items.size() != actual.items.size()) {
    differences.push_back({std::string(path), api::ToJsonText(expected), api::ToJsonText(actual)});
    return;
  }
  for (size_t i = 0; i < expected.items.size(); ++i) {
    CompareJson(fmt::format("{}[{}]", path, i), expected.items[i], actual.items[i], differences);
  }
  for (const api::JsonMember& member : expected.members) {
    const std::string below = fmt::format("{}.{}", path, member.name);
    if (const JsonValue* found = actual.Find(member.name)) {
      CompareJson(below, member.value, *found, differences);
    } else {
      differences.push_back({below, api::ToJsonText(member.value), "(none)"});
    }
  }
  for (const api::JsonMember& member : actual.members) {
    if (expected.Find(member.name) != nullptr) continue;
    differences.push_back(
        {fmt::format("{}.{}", path, member.name), "(none)", api::ToJsonText(member.value)});
  }
}

namespace {

using Value = JsonFields::Value;
using api::JsonValue;

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

JsonValue Named(std::string_view name) {
  JsonValue entry = JsonValue::Object();
  entry.Add("name", JsonValue::String(name));
  return entry;
}

template <typename Role>
void AddPoint(JsonValue& points, std::string_view point, const Role& plugins) {
  JsonValue list = JsonValue::Array();
  for (const auto* plugin : plugins) list.items.push_back(Named(plugin->name()));
  if (!list.items.empty()) points.Add(point, std::move(list));
}

// Returns the plugins of a profile in execution order, in the format of the cases.
JsonValue Effective(const scheduler::framework::Profile& profile) {
  JsonValue points = JsonValue::Object();
  AddPoint(points, "preEnqueue", profile.pre_enqueue());
  points.Add("queueSort", JsonValue::Array());
  points.members.back().value.items.push_back(Named(profile.queue_sort().name()));
  AddPoint(points, "preFilter", profile.pre_filter());
  AddPoint(points, "filter", profile.filter());
  AddPoint(points, "postFilter", profile.post_filter());
  AddPoint(points, "preScore", profile.pre_score());
  AddPoint(points, "reserve", profile.reserve());
  AddPoint(points, "permit", profile.permit());
  AddPoint(points, "preBind", profile.pre_bind());
  AddPoint(points, "bind", profile.bind());
  AddPoint(points, "postBind", profile.post_bind());
  JsonValue score = JsonValue::Array();
  for (const scheduler::framework::Profile::Scorer& scorer : profile.score()) {
    score.items.push_back(Named(scorer.plugin->name()));
    score.items.back().Add("weight", JsonValue::Number(scorer.weight));
  }
  if (!score.items.empty()) points.Add("score", std::move(score));
  return points;
}

JsonValue StringList(const auto& strings) {
  JsonValue list = JsonValue::Array();
  for (const std::string& text : strings) list.items.push_back(JsonValue::String(text));
  return list;
}

JsonValue UsedArgs(const std::vector<scheduler::framework::ProfileConfig>& profiles) {
  JsonValue result = JsonValue::Object();
  for (const scheduler::framework::ProfileConfig& profile : profiles) {
    std::vector<std::string> names;
    for (const auto& [name, args] : profile.args) names.push_back(name);
    result.Add(profile.scheduler_name, StringList(names));
  }
  return result;
}

JsonValue FitIgnoredResources(const std::vector<scheduler::framework::ProfileConfig>& profiles) {
  JsonValue result = JsonValue::Object();
  for (const scheduler::framework::ProfileConfig& profile : profiles) {
    auto found = profile.args.find("NodeResourcesFit");
    if (found == profile.args.end()) continue;
    const auto* args = std::any_cast<scheduler::framework::NodeResourcesFitArgs>(&found->second);
    if (args != nullptr) result.Add(profile.scheduler_name, StringList(args->ignored_resources));
  }
  return result;
}

Result<std::optional<JsonValue>> ReadJson(JsonFields& json, Value row, std::string_view key) {
  const auto found = json.Find(row, key);
  if (!found) return std::nullopt;
  auto parsed = api::ParseJson(JsonText(*found));
  if (!parsed) return std::unexpected(parsed.error());
  return *std::move(parsed);
}

// Removes extension points that Berth does not have, and those without plugins.
void DropUnbuilt(JsonValue& effective) {
  for (auto& profile : effective.members) {
    auto& points = profile.value.members;
    std::erase_if(points, [](const auto& point) {
      return point.name.starts_with("placement") || point.value.items.empty();
    });
  }
}

struct ExpectedConfig {
  std::string stage;
  std::vector<std::string> errors;
  std::optional<JsonValue> completed, effective, used_args, fit_ignored_resources;
};

Result<ExpectedConfig> ReadExpected(Value row) {
  JsonFields json;
  ExpectedConfig expected;
  expected.stage = json.Bool(row, "ok") ? std::string(kAccepted) : json.String(row, "stage");
  expected.errors = json.Strings(row, "errors");
  const std::pair<std::string_view, std::optional<JsonValue>*> parts[] = {
      {"completed", &expected.completed},
      {"effective", &expected.effective},
      {"usedArgs", &expected.used_args},
      {"fitIgnoredResources", &expected.fit_ignored_resources}};
  for (const auto& [key, into] : parts) {
    auto part = ReadJson(json, row, key);
    if (!part) return std::unexpected(part.error());
    *into = *std::move(part);
  }
  if (expected.effective) DropUnbuilt(*expected.effective);
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

  JsonValue effective = JsonValue::Object();
  for (const auto& profile : actual.profiles) {
    effective.Add(profile->scheduler_name(), Effective(*profile));
  }
  auto compare = [&](std::string_view what, const std::optional<JsonValue>& want,
                     const JsonValue& got) {
    if (want) CompareJson(what, *want, got, differences);
  };
  compare("effective", expected->effective, effective);
  compare("usedArgs", expected->used_args, UsedArgs(actual.profile_configs));
  compare("fitIgnoredResources", expected->fit_ignored_resources,
          FitIgnoredResources(actual.profile_configs));
  return differences;
}

}  // namespace berth::cmd
