#include "cmd/conformance_cluster_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "api/json/decode.h"
#include "scheduler/config/configuration.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/engine/engine.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::cmd {
namespace {

std::string DescribeDecision(const std::optional<scheduler::engine::Decision>& decision) {
  if (!decision) return "none";
  switch (decision->kind) {
    case scheduler::engine::Decision::Kind::kPlaced:
      return decision->node;
    case scheduler::engine::Decision::Kind::kUnschedulable:
      return "unschedulable: " + decision->message;
    case scheduler::engine::Decision::Kind::kFailed:
      return "failed: " + decision->message;
  }
  return "unknown";
}

std::string DescribeExpected(const scheduler::engine::Explanation& expected) {
  if (!expected.error.empty()) return "failed: " + expected.error;
  if (expected.best_nodes.empty()) return "unschedulable: " + expected.fit_error;
  return fmt::format("one of {}", fmt::join(expected.best_nodes, ", "));
}

bool IsExpected(const scheduler::engine::Decision& decision,
                const scheduler::engine::Explanation& expected) {
  switch (decision.kind) {
    case scheduler::engine::Decision::Kind::kPlaced:
      return std::ranges::find(expected.best_nodes, decision.node) != expected.best_nodes.end();
    case scheduler::engine::Decision::Kind::kUnschedulable:
      // Some cases were recorded without the message of PostFilter.
      return !expected.fit_error.empty() && decision.message.starts_with(expected.fit_error);
    case scheduler::engine::Decision::Kind::kFailed:
      return !expected.error.empty();
  }
  return false;
}

}  // namespace

DecisionCheck::DecisionCheck(scheduler::engine::Engine& engine) : engine_(engine) {
  engine_.Observe(this);
}

DecisionCheck::~DecisionCheck() { engine_.Observe(nullptr); }

bool DecisionCheck::CanDecide(const api::Pod& pod) const {
  return pod.spec.node_name.empty() && !engine_.queue().HasReady();
}

Differences DecisionCheck::Decide(const api::Ref<api::Pod>& pod,
                                  const scheduler::engine::Explanation& expected, Instant now) {
  last_.reset();
  engine_.Handle(scheduler::engine::ObjectPut{pod}, now);
  // The cases were recorded without a queue, which holds a pod back that PreFilter would reject.
  if (expected.pre_filter.rejected() && engine_.queue().sizes().gated > 0) return {};
  engine_.Schedule(now, 1);
  AnswerWritesOfCycle(now);
  if (last_ && IsExpected(*last_, expected)) return {};
  return {{"decision", DescribeExpected(expected), DescribeDecision(last_)}};
}

// PostFilter gives up claims, and waits until that is written.
void DecisionCheck::AnswerWritesOfCycle(Instant now) {
  while (!last_) {
    const std::vector<scheduler::engine::Command> commands = engine_.TakeCommands();
    if (commands.empty()) return;
    for (const scheduler::engine::Command& command : commands) {
      scheduler::framework::WriteResult result;
      if (const auto* update =
              std::get_if<scheduler::framework::UpdateResourceClaim>(&command.write))
        result.claim = update->object;
      if (const auto* status =
              std::get_if<scheduler::framework::UpdateResourceClaimStatus>(&command.write))
        result.claim = status->object;
      engine_.Handle(scheduler::engine::WriteDone{command.id, std::move(result)}, now);
    }
  }
}

void DecisionCheck::Resolve(const api::Ref<api::Pod>& pod, const std::string& node, Instant now) {
  if (node.empty()) {
    engine_.Handle(scheduler::engine::ObjectDeleted{pod}, now);
  } else {
    auto placed = api::CopyToChange(*pod);
    placed->spec.node_name = node;
    engine_.Handle(scheduler::engine::ObjectPut{api::Ref<api::Pod>(std::move(placed))}, now);
  }
  for (const scheduler::engine::Command& command : engine_.TakeCommands()) {
    engine_.Handle(scheduler::engine::WriteDone{command.id, {}}, now);
  }
}

namespace {

using Value = JsonFields::Value;

// Later than every timestamp in the cases: pods without a start time count as started now.
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

Result<std::vector<scheduler::framework::ProfileConfig>> ReadProfiles(Value row) {
  JsonFields json;
  const auto config = json.Find(row, "config");
  if (!config) return scheduler::config::ToProfileConfigs(scheduler::config::Default());
  const auto loaded = scheduler::config::Load(JsonText(*config), "config");
  if (!loaded) return std::unexpected(loaded.error());
  return scheduler::config::ToProfileConfigs(*loaded);
}

// Returns an engine with the cluster of `row`.
Result<std::unique_ptr<scheduler::engine::Engine>> MakeEngine(
    const std::vector<scheduler::framework::ProfileConfig>& profiles,
    const std::vector<api::Object>& objects, const scheduler::framework::Registry& registry,
    bool paranoid) {
  auto engine =
      scheduler::engine::Engine::Make({.profiles = profiles, .paranoid = paranoid}, registry);
  if (!engine) return engine;
  for (const api::Object& object : objects)
    (*engine)->Handle(scheduler::engine::ObjectPut{object}, kNow);
  return engine;
}

Result<api::Ref<api::Pod>> DecodePod(Value value) {
  return api::DecodeJsonAs<api::Pod>(JsonText(value));
}

Differences Failure(const std::string& what, const Error& error) {
  return {{what, "no failure", error.message}};
}

// Decodes the cluster, creates the engine and calls `run`. A failure of the engine is a difference;
// an unreadable row is an error.
Result<Differences> WithEngine(
    Value row, const scheduler::framework::Registry& registry, bool paranoid,
    const std::function<Result<Differences>(scheduler::engine::Engine&)>& run) {
  auto objects = DecodeCluster(row);
  if (!objects) return std::unexpected(objects.error());
  SortForDelivery(*objects);
  const auto profiles = ReadProfiles(row);
  if (!profiles) return Failure("config", profiles.error());
  const auto engine = MakeEngine(*profiles, *objects, registry, paranoid);
  if (!engine) return Failure("config", engine.error());
  return run(**engine);
}

const scheduler::engine::Explanation& ExplanationOf(const Expectation& expected) {
  return expected.explanation;
}
const scheduler::engine::Explanation& ExplanationOf(const ExpectedDigest& expected) {
  return expected.sample;
}

// Reads `row.expect` with `read`, explains `row.pod`, compares with `compare`, and then schedules
// the pod. With `scores_differ` the decision is not compared.
template <typename Read, typename CompareWith>
Result<Differences> ExplainPod(Value row, scheduler::engine::Engine& engine, bool scores_differ,
                               Read read, CompareWith compare) {
  JsonFields json;
  const Value expect = json.Require(row, "expect");
  const Value pod_value = json.Require(row, "pod");
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  const auto expected = read(expect);
  if (!expected) return std::unexpected(Error{"expect: " + expected.error().message});
  const auto pod = DecodePod(pod_value);
  if (!pod) return std::unexpected(pod.error());
  const auto actual = engine.Explain(*pod, kNow);
  if (!actual) return Failure("explain", actual.error());
  Differences differences = compare(*expected, *actual);
  DecisionCheck check(engine);
  if (!scores_differ && check.CanDecide(**pod)) {
    std::ranges::move(check.Decide(*pod, ExplanationOf(*expected), kNow),
                      std::back_inserter(differences));
  }
  return differences;
}

// Explains and schedules each pod, then binds it to the recorded node.
Result<Differences> FollowSteps(const std::vector<Value>& pods,
                                const std::vector<ExpectedStep>& steps,
                                scheduler::engine::Engine& engine) {
  Differences differences;
  DecisionCheck check(engine);
  for (size_t i = 0; i < pods.size(); ++i) {
    const ExpectedStep& step = steps[i];
    const auto pod = DecodePod(pods[i]);
    if (!pod) return std::unexpected(pod.error());
    const auto actual = engine.Explain(*pod, kNow);
    if (!actual) return Failure(fmt::format("step {}", i), actual.error());
    std::ranges::move(CompareStep(i, step, *actual), std::back_inserter(differences));
    if (check.CanDecide(**pod)) {
      scheduler::engine::Explanation expected;
      expected.best_nodes = step.best_nodes;
      expected.fit_error = step.fit_error;
      for (Difference& difference : check.Decide(*pod, expected, kNow)) {
        difference.what = fmt::format("step {} {}", i, difference.what);
        differences.push_back(std::move(difference));
      }
    }
    check.Resolve(*pod, step.chosen, kNow);
  }
  return differences;
}

}  // namespace

ClusterCases::ClusterCases(CompareOptions compare, bool paranoid)
    : compare_(std::move(compare)),
      paranoid_(paranoid),
      registry_(scheduler::plugins::InTreeRegistry()) {}

Result<Differences> ClusterCases::RunPod(Value row) {
  return WithEngine(row, registry_, paranoid_, [&](scheduler::engine::Engine& engine) {
    return ExplainPod(row, engine, !compare_.scores_of.empty(), ReadExpectation,
                      [&](const auto& expected, const auto& actual) {
                        return Compare(expected, actual, compare_);
                      });
  });
}

Result<Differences> ClusterCases::RunDigest(Value row) {
  return WithEngine(row, registry_, paranoid_, [&](scheduler::engine::Engine& engine) {
    return ExplainPod(row, engine, !compare_.scores_of.empty(), ReadDigest,
                      [&](const auto& expected, const auto& actual) {
                        return CompareDigest(expected, actual, compare_);
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
  return WithEngine(row, registry_, paranoid_, [&](scheduler::engine::Engine& engine) {
    return FollowSteps(pods, *steps, engine);
  });
}

}  // namespace berth::cmd
