// A harness for tests of single plugins: it calls one plugin for one pod in a small cluster and
// returns the results as text, so that a test is a table of short lines.
//
//   TestCluster world{NodeYaml("a"), NodeYaml("b", {.spec = "unschedulable: true"})};
//   PluginHarness trial(world, MakePlugin("NodeUnschedulable"), PodYaml("web"));
//   EXPECT_EQ(trial.Filter(), "10");
//
// Nodes are always in the order in which they were added.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/yaml.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/model/cluster.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "testing/require.h"

namespace berth::scheduler::plugins {

// The parts of an object, as the inside of a YAML flow mapping: "zone: a, disk: ssd".
struct YamlParts {
  std::string labels = {};
  std::string spec = {};
  std::string status = {};
};

inline std::string ObjectYaml(std::string_view kind, std::string_view metadata,
                              const YamlParts& parts) {
  return fmt::format(
      "{{apiVersion: v1, kind: {}, metadata: {{{}, labels: {{{}}}}}, spec: {{{}}}, status: "
      "{{{}}}}}\n",
      kind, metadata, parts.labels, parts.spec, parts.status);
}

inline std::string NodeYaml(std::string_view name, const YamlParts& parts = {}) {
  return ObjectYaml("Node", fmt::format("name: '{}'", name), parts);
}

// A pod in the namespace "default"; it has the containers that its spec gives, or none.
inline std::string PodYaml(std::string_view name, const YamlParts& parts = {}) {
  return ObjectYaml("Pod", fmt::format("name: '{0}', namespace: default, uid: uid-of-{0}", name),
                    parts);
}

// The name of the n-th node of a table: "a", "b", ...
inline std::string NthName(size_t n) { return std::string(1, static_cast<char>('a' + n)); }

inline std::vector<api::Object> DecodeOrFail(std::string_view yaml) {
  auto objects = api::DecodeObjects(yaml, "test");
  EXPECT_TRUE(objects.has_value()) << objects.error().message << "\n" << yaml;
  return objects.value_or(std::vector<api::Object>{});
}

// "Success", "Skip", or the code and the reasons: "Unschedulable: Insufficient cpu, Insufficient
// memory".
inline std::string Text(const framework::Verdict& verdict) {
  if (verdict.reasons().empty()) return std::string(framework::ToString(verdict.code()));
  return fmt::format("{}: {}", framework::ToString(verdict.code()), verdict.Message());
}

// A cluster, filled from YAML or objects.
class TestCluster {
 public:
  TestCluster() = default;
  explicit TestCluster(const model::Features& features) : cluster_(features) {}
  TestCluster(std::initializer_list<std::string> yaml) {
    for (const std::string& text : yaml) Add(text);
  }

  void Add(const std::string& yaml) {
    for (const api::Object& object : DecodeOrFail(yaml)) Add(object);
  }
  void Add(const api::Object& object) {
    cluster_.Put(object);
    if (!std::holds_alternative<api::Ref<api::Node>>(object)) return;
    const model::NodeRow row = node(api::MetaOf(object).name);
    if (std::ranges::find(nodes_, row) == nodes_.end()) nodes_.push_back(row);
  }

  model::Cluster& cluster() { return cluster_; }
  const std::vector<model::NodeRow>& nodes() const { return nodes_; }
  model::NodeRow node(std::string_view name) const {
    return cluster_.nodes().Find(cluster_.symbols().Find(name));
  }
  model::PodId pod(const std::string& name) const { return cluster_.pods().Find("default", name); }
  const std::string& name(model::NodeRow row) const { return cluster_.nodes().name(row); }
  const std::string& name(model::PodId pod) const {
    return cluster_.pod(pod).object->metadata.name;
  }

 private:
  model::Cluster cluster_;
  std::vector<model::NodeRow> nodes_;
};

// Creates an in-tree plugin as a profile would.
inline Result<std::unique_ptr<framework::Plugin>> TryMakePlugin(
    std::string_view name, const framework::PluginArgs& args = {}) {
  const framework::Registry registry = InTreeRegistry();
  const framework::PluginFactory* factory = registry.Find(name);
  Require(factory != nullptr, "no such plugin");
  return (*factory)(args);
}

inline std::unique_ptr<framework::Plugin> MakePlugin(std::string_view name,
                                                     const framework::PluginArgs& args = {}) {
  return Require(TryMakePlugin(name, args));
}

// One plugin, called for one pod that is not in the cluster. `world` must outlive the harness.
class PluginHarness {
 public:
  PluginHarness(TestCluster& world, std::unique_ptr<framework::Plugin> plugin,
                const std::string& pod_yaml)
      : PluginHarness(world, std::move(plugin), DecodeOrFail(pod_yaml).at(0)) {}

  PluginHarness(TestCluster& world, std::unique_ptr<framework::Plugin> plugin,
                const api::Object& pod)
      : world_(world),
        plugin_(std::move(plugin)),
        pod_(world.cluster().MakeHypotheticalPod(std::get<api::Ref<api::Pod>>(pod))),
        compiled_(Compile()),
        cycle_(world.cluster(), pod_, compiled_) {}

  ~PluginHarness() { world_.cluster().Release(pod_); }
  PluginHarness(const PluginHarness&) = delete;
  PluginHarness& operator=(const PluginHarness&) = delete;

  framework::Cycle& cycle() { return cycle_; }
  template <typename Role>
  const Role& As() const {
    const auto* role = dynamic_cast<const Role*>(plugin_.get());
    Require(role != nullptr, "the plugin does not implement this extension point");
    return *role;
  }

  // Calls PreFilter, if the plugin takes part in it, then Filter. One character per node: '1' for a
  // node that passes, '0' for one that does not, '-' for one that PreFilter excludes. If PreFilter
  // rejects or skips, returns its verdict. Fails the test unless Filter and Judge agree on each
  // node and the result of each node is independent of the others.
  std::string Filter() {
    model::NodeMask candidates = world_.cluster().nodes().present();
    if (const auto* pre_filter = dynamic_cast<const framework::PreFilterPlugin*>(plugin_.get())) {
      const framework::PreFilterResult result = pre_filter->PreFilter(cycle_);
      if (!result.verdict.ok()) return Text(result.verdict);
      if (result.nodes) candidates = RowsOf(*result.nodes);
    }
    model::NodeMask left = candidates;
    if (framework::Verdict error = As<framework::FilterPlugin>().Filter(cycle_, left); !error.ok())
      return Text(error);
    model::NodeMask added = left;
    added -= candidates;
    EXPECT_TRUE(added.None()) << "Filter set a bit";

    std::string marks;
    for (model::NodeRow node : world_.nodes()) {
      if (!candidates.Test(node.index())) {
        marks += '-';
        continue;
      }
      marks += left.Test(node.index()) ? '1' : '0';
      CheckAlone(node, left.Test(node.index()));
    }
    return marks;
  }

  // Returns the plugin's verdict on one node; call Filter first.
  std::string Explain(std::string_view node) const {
    return Text(As<framework::FilterPlugin>().Judge(cycle_, world_.node(node)));
  }

  // Calls PreScore, if the plugin takes part in it, then Score: "0 3 1". If PreScore skips or
  // fails, returns its verdict. `feasible` has a '0' for each node that is not feasible and shows
  // up as '-'; empty means all are.
  std::string RawScores(std::string_view feasible = "") {
    return Score(feasible, /*normalized=*/false);
  }
  // The same after Normalize. Fails the test if a score is not in 0..100.
  std::string Scores(std::string_view feasible = "") {
    return Score(feasible, /*normalized=*/true);
  }

 private:
  framework::ClassStates Compile() const {
    framework::ClassStates states;
    states.push_back(plugin_->Compile(world_.cluster(), world_.cluster().class_of(pod_)));
    return states;
  }

  model::NodeMask RowsOf(const std::vector<Symbol>& names) const {
    EXPECT_TRUE(std::ranges::is_sorted(names));
    model::NodeMask rows(world_.cluster().nodes().rows());
    for (Symbol name : names) {
      const model::NodeRow row = world_.cluster().nodes().Find(name);
      if (row.valid()) rows.Set(row.index());
    }
    return rows;
  }

  void CheckAlone(model::NodeRow node, bool left) const {
    model::NodeMask alone(world_.cluster().nodes().rows());
    alone.Set(node.index());
    EXPECT_TRUE(As<framework::FilterPlugin>().Filter(cycle_, alone).ok());
    EXPECT_EQ(alone.Test(node.index()), left) << "called alone: " << world_.name(node);
    const framework::Verdict verdict = As<framework::FilterPlugin>().Judge(cycle_, node);
    EXPECT_EQ(verdict.ok(), left) << "Judge: " << world_.name(node) << ": " << Text(verdict);
    EXPECT_EQ(verdict.rejected() && !verdict.reasons().empty(), !left) << Text(verdict);
  }

  std::string Score(std::string_view marks, bool normalized) {
    model::NodeMask feasible = world_.cluster().nodes().present();
    Require(marks.empty() || marks.size() == world_.nodes().size(), "one mark for each node");
    for (size_t i = 0; i < marks.size(); ++i)
      feasible.Assign(world_.nodes()[i].index(), marks[i] != '0');
    if (const auto* pre_score = dynamic_cast<const framework::PreScorePlugin*>(plugin_.get())) {
      if (framework::Verdict verdict = pre_score->PreScore(cycle_, feasible); !verdict.ok())
        return Text(verdict);
    }
    const auto& scorer = As<framework::ScorePlugin>();
    std::vector<int64_t> scores(feasible.size());
    if (framework::Verdict error = scorer.Score(cycle_, feasible, scores); !error.ok())
      return Text(error);
    if (scorer.score_scope() == framework::Scope::kNode) CheckScoresAlone(feasible, scores);
    if (normalized && scorer.scale() != framework::Scale::kNone)
      scorer.Normalize(cycle_, feasible, scores);

    std::vector<std::string> texts;
    for (model::NodeRow node : world_.nodes()) {
      const int64_t score = scores[node.index()];
      if (!feasible.Test(node.index())) {
        texts.emplace_back("-");
        continue;
      }
      EXPECT_TRUE(!normalized || (score >= 0 && score <= framework::ScorePlugin::kMaxScore))
          << score;
      texts.push_back(std::to_string(score));
    }
    return fmt::format("{}", fmt::join(texts, " "));
  }

  // A node-scoped score does not depend on which other nodes are scored.
  void CheckScoresAlone(const model::NodeMask& feasible, const std::vector<int64_t>& scores) const {
    feasible.ForEach([&](size_t row) {
      model::NodeMask alone(feasible.size());
      alone.Set(row);
      std::vector<int64_t> score(feasible.size());
      EXPECT_TRUE(As<framework::ScorePlugin>().Score(cycle_, alone, score).ok());
      EXPECT_EQ(score[row], scores[row]) << "called alone: row " << row;
    });
  }

  TestCluster& world_;
  const std::unique_ptr<framework::Plugin> plugin_;
  const model::PodRecord pod_;
  const framework::ClassStates compiled_;
  framework::Cycle cycle_;
};

}  // namespace berth::scheduler::plugins
