#include "cmd/config_cases.h"

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

#include "cmd/json_difference.h"
#include "config/configuration.h"
#include "config/decode.h"
#include "config/print.h"
#include "config/profiles.h"
#include "config/validate.h"
#include "framework/profile.h"
#include "plugins/args.h"

namespace berth {
namespace {

using Value = JsonFields::Value;
using config::JsonValue;

constexpr std::string_view kAccepted = "accepted";

// What became of a configuration file.
struct Outcome {
  std::string stage = std::string(kAccepted);  // Or the stage that failed: decode, validate, build.
  std::vector<std::string> errors;
  std::optional<config::Configuration> completed;
  std::vector<ProfileConfig> profile_configs;
  std::vector<std::unique_ptr<Profile>> profiles;
};

Outcome& FailAt(Outcome& outcome, std::string stage, std::vector<std::string> errors) {
  outcome.stage = std::move(stage);
  outcome.errors = std::move(errors);
  return outcome;
}

Outcome LoadAndBuild(std::string_view text, const Registry& registry) {
  Outcome outcome;
  auto decoded = config::Decode(text);
  if (!decoded) return std::move(FailAt(outcome, "decode", std::move(decoded.error())));
  outcome.completed = *std::move(decoded);
  auto mistakes = config::Validate(*outcome.completed);
  if (!mistakes.empty()) return std::move(FailAt(outcome, "validate", std::move(mistakes)));
  auto configs = config::ToProfileConfigs(*outcome.completed);
  if (!configs) return std::move(FailAt(outcome, "build", {configs.error().message}));
  outcome.profile_configs = *std::move(configs);
  for (const ProfileConfig& profile : outcome.profile_configs) {
    auto built = Profile::Build(profile, registry);
    if (!built) {
      return std::move(
          FailAt(outcome, "build",
                 {fmt::format("initializing profiles: creating profile for scheduler name {}: {}",
                              profile.scheduler_name, built.error().message)}));
    }
    outcome.profiles.push_back(*std::move(built));
  }
  return outcome;
}

// The words in double quotes.
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

// Texts of decoding errors come from Go's libraries: only the fields that they name must be there.
bool SameDecodeError(const std::string& expected, const std::string& came) {
  if (!expected.starts_with("strict decoding error")) return true;
  return std::ranges::all_of(QuotedWords(expected), [&](const std::string& field) {
    return came.find(field) != std::string::npos;
  });
}

void CompareErrors(const std::string& stage, std::vector<std::string> expected,
                   std::vector<std::string> came, Differences& differences) {
  std::ranges::sort(expected);
  std::ranges::sort(came);
  const std::string all_expected = fmt::format("{}", fmt::join(expected, "; "));
  const std::string all_came = fmt::format("{}", fmt::join(came, "; "));
  const bool same = stage == "decode" ? SameDecodeError(all_expected, all_came) : expected == came;
  if (!same) differences.push_back({stage + " errors", all_expected, all_came});
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

// The plugins of a profile in the order they run, as the cases write them.
JsonValue Effective(const Profile& profile) {
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
  for (const Profile::Scorer& scorer : profile.score()) {
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

JsonValue UsedArgs(const std::vector<ProfileConfig>& profiles) {
  JsonValue result = JsonValue::Object();
  for (const ProfileConfig& profile : profiles) {
    std::vector<std::string> names;
    for (const auto& [name, args] : profile.args) names.push_back(name);
    result.Add(profile.scheduler_name, StringList(names));
  }
  return result;
}

JsonValue FitIgnoredResources(const std::vector<ProfileConfig>& profiles) {
  JsonValue result = JsonValue::Object();
  for (const ProfileConfig& profile : profiles) {
    auto found = profile.args.find("NodeResourcesFit");
    if (found == profile.args.end()) continue;
    const auto* args = std::any_cast<NodeResourcesFitArgs>(&found->second);
    if (args != nullptr) result.Add(profile.scheduler_name, StringList(args->ignored_resources));
  }
  return result;
}

Result<std::optional<JsonValue>> ReadJson(JsonFields& json, Value row, std::string_view key) {
  const auto found = json.Find(row, key);
  if (!found) return std::nullopt;
  auto parsed = config::ParseJson(JsonText(*found));
  if (!parsed) return std::unexpected(parsed.error());
  return *std::move(parsed);
}

// Removes from each profile the points that Berth does not have, and those without plugins.
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

Result<Differences> RunConfig(Value row, const Registry& registry) {
  JsonFields json;
  json.Require(row, "yaml");
  const std::string text = json.String(row, "yaml");
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  const auto expected = ReadExpected(row);
  if (!expected) return std::unexpected(expected.error());

  const Outcome came = LoadAndBuild(text, registry);
  Differences differences;
  auto describe = [](const std::string& stage, const std::vector<std::string>& errors) {
    return stage == kAccepted ? stage : fmt::format("{}: {}", stage, fmt::join(errors, "; "));
  };
  if (expected->stage != came.stage) {
    differences.push_back({"outcome", describe(expected->stage, expected->errors),
                           describe(came.stage, came.errors)});
  } else {
    CompareErrors(came.stage, expected->errors, came.errors, differences);
  }
  if (expected->completed && came.completed) {
    CompareJson("completed", *expected->completed, config::ToJson(*came.completed), differences);
  }
  if (expected->stage != kAccepted || came.stage != kAccepted) return differences;

  JsonValue effective = JsonValue::Object();
  for (const auto& profile : came.profiles) {
    effective.Add(profile->scheduler_name(), Effective(*profile));
  }
  auto compare = [&](std::string_view what, const std::optional<JsonValue>& want,
                     const JsonValue& got) {
    if (want) CompareJson(what, *want, got, differences);
  };
  compare("effective", expected->effective, effective);
  compare("usedArgs", expected->used_args, UsedArgs(came.profile_configs));
  compare("fitIgnoredResources", expected->fit_ignored_resources,
          FitIgnoredResources(came.profile_configs));
  return differences;
}

}  // namespace berth
