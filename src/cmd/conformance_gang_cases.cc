#include "cmd/conformance_gang_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/json/decode.h"
#include "api/json/document.h"
#include "cmd/conformance_gang_cluster.h"
#include "scheduler/config/configuration.h"
#include "scheduler/config/engine_options.h"

namespace berth::cmd {
namespace {

using Value = JsonFields::Value;

// Counts by name: a name that is not expected must not be there.
constexpr std::string_view kComplete[] = {"nodeCounts", "domains", "pendingConditionCounts"};

std::string Shown(Value value) { return value ? JsonText(value) : "nothing"; }

void CompareValues(const std::string& what, Value expected, Value actual, bool complete,
                   Differences& differences) {
  const auto differ = [&] { differences.push_back({what, Shown(expected), Shown(actual)}); };
  if (!expected) {
    if (actual) differ();
    return;
  }
  if (expected.value()->is_object()) {
    if (!actual || !actual.value()->is_object() || (complete && actual.size() != expected.size()))
      return differ();
    for (const auto& [key, value] : expected.fields()) {
      const bool all = std::ranges::find(kComplete, key) != std::end(kComplete);
      CompareValues(fmt::format("{}{}{}", what, what.empty() ? "" : " ", key), value, actual[key],
                    all, differences);
    }
    return;
  }
  if (expected.value()->is_array()) {
    const std::vector<Value> wanted = expected.items();
    const std::vector<Value> found = actual.items();
    if (wanted.size() != found.size()) return differ();
    for (size_t i = 0; i < wanted.size(); ++i)
      CompareValues(fmt::format("{}[{}]", what, i), wanted[i], found[i], false, differences);
    return;
  }
  if (!actual || *expected.value() != *actual.value()) differ();
}

Result<std::vector<api::Object>> DecodeAll(const std::vector<Value>& values) {
  std::vector<api::Object> objects;
  for (const Value value : values) {
    auto decoded = api::DecodeJson(JsonText(value));
    if (!decoded) return std::unexpected(decoded.error());
    std::ranges::move(*decoded, std::back_inserter(objects));
  }
  return objects;
}

scheduler::model::Features FeaturesOf(JsonFields& json, Value row) {
  scheduler::model::Features features;
  const Value gates = json.Require(row, "gates");
  for (const auto& [name, field] : scheduler::model::kNamedFeatures) {
    if (json.Find(gates, name)) features.*field = json.Bool(gates, name);
  }
  return features;
}

// Nodes come last among the objects that exist before the first pod, by name.
void SortForGangs(std::vector<api::Object>& objects) {
  const auto is_node = [](const api::Object& object) {
    return std::holds_alternative<api::Ref<api::Node>>(object);
  };
  std::ranges::stable_sort(objects, [&](const api::Object& a, const api::Object& b) {
    if (is_node(a) != is_node(b)) return is_node(b);
    return is_node(a) && api::MetaOf(a).name < api::MetaOf(b).name;
  });
}

Result<std::unique_ptr<GangCluster>> MakeGangCluster(Value row,
                                                     const scheduler::framework::Registry& registry,
                                                     bool paranoid) {
  JsonFields json;
  const scheduler::model::Features features = FeaturesOf(json, row);
  const auto config = json.Find(row, "config");
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  auto configuration = config ? scheduler::config::Load(JsonText(*config), "config", features)
                              : scheduler::config::Default(features);
  if (!configuration) return std::unexpected(configuration.error());
  // As in the recorded runs.
  configuration->pod_initial_backoff_seconds = 1;
  configuration->pod_max_backoff_seconds = 1;
  auto options = scheduler::config::ToEngineOptions(*configuration);
  if (!options) return std::unexpected(options.error());
  options->paranoid = paranoid;
  options->equals_take_turns = false;
  auto engine = scheduler::engine::Engine::Make(*options, registry);
  if (!engine) return std::unexpected(engine.error());
  return std::make_unique<GangCluster>(*std::move(engine));
}

// Runs the cluster until it rests, and compares it with `expect`.
Status SettleAndCompare(GangCluster& cluster, Value expect, const std::string& step,
                        Differences& differences) {
  if (const Status status = cluster.Settle(); !status) {
    differences.push_back({step + "rest", "rest", status.error().message});
    return {};
  }
  std::set<std::string> pods;
  for (const auto& [name, state] : expect["pods"].fields()) pods.emplace(name);
  const api::Json actual = cluster.State(pods);
  for (Difference& difference : CompareGangState(expect, Value(actual))) {
    difference.what = step + difference.what;
    differences.push_back(std::move(difference));
  }
  return {};
}

Status ApplyStep(GangCluster& cluster, JsonFields& json, Value step) {
  for (const std::string& name : json.Strings(step, "delete")) {
    if (const Status status = cluster.Delete(name); !status) return status;
  }
  for (const std::string_view key : {"update", "create"}) {
    const auto objects = DecodeAll(json.List(step, key));
    if (!objects) return std::unexpected(objects.error());
    for (const api::Object& object : *objects) cluster.Put(object);
  }
  return json.status();
}

}  // namespace

Differences CompareGangState(api::JsonView expected, api::JsonView actual) {
  Differences differences;
  for (const std::string_view part : {"groups", "pods", "victims", "events"}) {
    if (expected[part])
      CompareValues(std::string(part), expected[part], actual[part], false, differences);
  }
  return differences;
}

Result<Differences> RunGangCase(Value row, const scheduler::framework::Registry& registry,
                                bool paranoid) {
  JsonFields json;
  auto objects = DecodeAll(json.List(row, "objects"));
  if (!objects) return std::unexpected(objects.error());
  const auto pods = DecodeAll(json.List(row, "pods"));
  if (!pods) return std::unexpected(pods.error());
  const auto cluster = MakeGangCluster(row, registry, paranoid);
  if (!cluster) return std::unexpected(cluster.error());
  SortForGangs(*objects);
  for (const api::Object& object : *objects) (*cluster)->Put(object);
  for (const api::Object& pod : *pods) (*cluster)->Put(pod);

  Differences differences;
  if (const Status status =
          SettleAndCompare(**cluster, json.Require(row, "expect"), "", differences);
      !status)
    return std::unexpected(status.error());
  const std::vector<Value> steps = json.List(row, "steps");
  for (size_t i = 0; i < steps.size(); ++i) {
    if (const Status status = ApplyStep(**cluster, json, steps[i]); !status)
      return std::unexpected(status.error());
    if (const Status status = SettleAndCompare(**cluster, json.Require(steps[i], "expect"),
                                               fmt::format("step {} ", i), differences);
        !status)
      return std::unexpected(status.error());
  }
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  return differences;
}

}  // namespace berth::cmd
