#include "cmd/cluster_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "api/decode.h"
#include "cmd/decision_check.h"
#include "config/configuration.h"
#include "config/profiles.h"
#include "engine/engine.h"
#include "plugins/registry.h"

namespace berth {
namespace {

using Value = JsonFields::Value;

// After every time stamp of the cases: pods without a start time count as started now.
constexpr Instant kNow = Instant::FromUnixSeconds(4'000'000'000);

Result<std::vector<api::Object>> DecodeCluster(Value row) {
  JsonFields json;
  std::vector<api::Object> objects;
  for (const Value value : json.List(row, "objects")) {
    auto decoded = api::DecodeJson(JsonText(value));
    if (!decoded) return std::unexpected(decoded.error());
    std::ranges::move(*decoded, std::back_inserter(objects));
  }
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  return objects;
}

// Nodes are delivered by name and pods last, whatever their order in the file.
void SortForDelivery(std::vector<api::Object>& objects) {
  auto rank = [](const api::Object& object) {
    if (std::holds_alternative<api::Ref<api::Pod>>(object)) return 2;
    return std::holds_alternative<api::Ref<api::Node>>(object) ? 1 : 0;
  };
  std::ranges::stable_sort(objects, [&](const api::Object& a, const api::Object& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return rank(a) == 1 && api::MetaOf(a).name < api::MetaOf(b).name;
  });
}

Result<std::vector<ProfileConfig>> ReadProfiles(Value row) {
  JsonFields json;
  const auto config = json.Find(row, "config");
  if (!config) return config::ToProfileConfigs(config::Default());
  const auto loaded = config::Load(JsonText(*config), "config");
  if (!loaded) return std::unexpected(loaded.error());
  return config::ToProfileConfigs(*loaded);
}

// An engine that knows the cluster of `row`, or what kept it from being made.
Result<std::unique_ptr<Engine>> MakeEngine(const std::vector<ProfileConfig>& profiles,
                                           const std::vector<api::Object>& objects,
                                           const Registry& registry, bool paranoid) {
  auto engine = Engine::Make({.profiles = profiles, .paranoid = paranoid}, registry);
  if (!engine) return engine;
  for (const api::Object& object : objects) (*engine)->Handle(ObjectPut{object}, kNow);
  return engine;
}

Result<api::Ref<api::Pod>> DecodePod(Value value) {
  return api::DecodeJsonAs<api::Pod>(JsonText(value));
}

Differences Failure(const std::string& what, const Error& error) {
  return {{what, "no failure", error.message}};
}

// Decodes the cluster, makes the engine and lets `run` ask it. What the engine cannot do is a
// difference; what cannot be read is an error.
Result<Differences> WithEngine(Value row, const Registry& registry, bool paranoid,
                               const std::function<Result<Differences>(Engine&)>& run) {
  auto objects = DecodeCluster(row);
  if (!objects) return std::unexpected(objects.error());
  SortForDelivery(*objects);
  const auto profiles = ReadProfiles(row);
  if (!profiles) return Failure("config", profiles.error());
  const auto engine = MakeEngine(*profiles, *objects, registry, paranoid);
  if (!engine) return Failure("config", engine.error());
  return run(**engine);
}

const Explanation& AnswerOf(const Expectation& expected) { return expected.answer; }
const Explanation& AnswerOf(const ExpectedDigest& expected) { return expected.sample; }

// Reads `row.expect` with `read`, explains `row.pod`, compares with `compare`, and then lets the
// engine decide. With `scores_differ` the decision is not expected to be right.
template <typename Read, typename CompareWith>
Result<Differences> ExplainPod(Value row, Engine& engine, bool scores_differ, Read read,
                               CompareWith compare) {
  JsonFields json;
  const Value expect = json.Require(row, "expect");
  const Value pod_value = json.Require(row, "pod");
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  const auto expected = read(expect);
  if (!expected) return std::unexpected(Error{"expect: " + expected.error().message});
  const auto pod = DecodePod(pod_value);
  if (!pod) return std::unexpected(pod.error());
  const auto came = engine.Explain(*pod, kNow);
  if (!came) return Failure("explain", came.error());
  Differences differences = compare(*expected, *came);
  DecisionCheck check(engine);
  if (!scores_differ && check.CanDecide(**pod)) {
    std::ranges::move(check.Decide(*pod, AnswerOf(*expected), kNow),
                      std::back_inserter(differences));
  }
  return differences;
}

// Explains each pod, lets the engine decide about it, and puts it where the case says.
Result<Differences> FollowSteps(const std::vector<Value>& pods,
                                const std::vector<ExpectedStep>& steps, Engine& engine) {
  Differences differences;
  DecisionCheck check(engine);
  for (size_t i = 0; i < pods.size(); ++i) {
    const ExpectedStep& step = steps[i];
    const auto pod = DecodePod(pods[i]);
    if (!pod) return std::unexpected(pod.error());
    const auto came = engine.Explain(*pod, kNow);
    if (!came) return Failure(fmt::format("step {}", i), came.error());
    std::ranges::move(CompareStep(i, step, *came), std::back_inserter(differences));
    if (check.CanDecide(**pod)) {
      Explanation expected;
      expected.best_nodes = step.best_nodes;
      expected.fit_error = step.fit_error;
      for (Difference& difference : check.Decide(*pod, expected, kNow)) {
        difference.what = fmt::format("step {} {}", i, difference.what);
        differences.push_back(std::move(difference));
      }
    }
    check.Settle(*pod, step.chosen, kNow);
  }
  return differences;
}

}  // namespace

ClusterCases::ClusterCases(CompareOptions compare, bool paranoid)
    : compare_(std::move(compare)), paranoid_(paranoid), registry_(InTreeRegistry()) {}

Result<Differences> ClusterCases::RunPod(Value row) {
  return WithEngine(row, registry_, paranoid_, [&](Engine& engine) {
    return ExplainPod(
        row, engine, !compare_.scores_of.empty(), ReadExpectation,
        [&](const auto& expected, const auto& came) { return Compare(expected, came, compare_); });
  });
}

Result<Differences> ClusterCases::RunDigest(Value row) {
  return WithEngine(row, registry_, paranoid_, [&](Engine& engine) {
    return ExplainPod(row, engine, !compare_.scores_of.empty(), ReadDigest,
                      [&](const auto& expected, const auto& came) {
                        return CompareDigest(expected, came, compare_);
                      });
  });
}

Result<Differences> ClusterCases::RunSequence(Value row) {
  JsonFields json;
  const auto steps = ReadSteps(json.Require(row, "expect"));
  if (!steps) return std::unexpected(Error{"expect: " + steps.error().message});
  const std::vector<Value> pods = json.List(row, "pods");
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  if (pods.size() != steps->size()) {
    return Fail(fmt::format("{} pods, but {} steps", pods.size(), steps->size()));
  }
  return WithEngine(row, registry_, paranoid_,
                    [&](Engine& engine) { return FollowSteps(pods, *steps, engine); });
}

}  // namespace berth
