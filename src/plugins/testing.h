// A harness for tests of single plugins: it asks one plugin about one pod in a small cluster and
// gives the answers as text, so that a test is a table of short lines.
//
//   World world{NodeYaml("a"), NodeYaml("b", {.spec = "unschedulable: true"})};
//   PluginTrial trial(world, MakePlugin("NodeUnschedulable"), PodYaml("web"));
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

#include "api/yaml.h"
#include "base/check.h"
#include "framework/cycle.h"
#include "plugins/registry.h"

namespace berth {

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
inline std::string Text(const Verdict& verdict) {
  if (verdict.reasons().empty()) return std::string(ToString(verdict.code()));
  return fmt::format("{}: {}", ToString(verdict.code()), verdict.Message());
}

// A cluster, filled from YAML or objects.
class World {
 public:
  World() = default;
  World(std::initializer_list<std::string> yaml) {
    for (const std::string& text : yaml) Add(text);
  }

  void Add(const std::string& yaml) {
    for (const api::Object& object : DecodeOrFail(yaml)) Add(object);
  }
  void Add(const api::Object& object) {
    cluster_.Put(object);
    if (!std::holds_alternative<api::Ref<api::Node>>(object)) return;
    const NodeRow row = node(api::MetaOf(object).name);
    if (std::ranges::find(nodes_, row) == nodes_.end()) nodes_.push_back(row);
  }

  Cluster& cluster() { return cluster_; }
  const std::vector<NodeRow>& nodes() const { return nodes_; }
  NodeRow node(std::string_view name) const {
    return cluster_.nodes().Find(cluster_.symbols().Find(name));
  }
  PodId pod(const std::string& name) const { return cluster_.pods().Find("default", name); }
  const std::string& name(NodeRow row) const { return cluster_.nodes().name(row); }
  const std::string& name(PodId pod) const { return cluster_.pod(pod).object->metadata.name; }

 private:
  Cluster cluster_;
  std::vector<NodeRow> nodes_;
};

// Makes an in-tree plugin as a profile would.
inline Result<std::unique_ptr<Plugin>> TryMakePlugin(std::string_view name,
                                                     const PluginArgs& args = {}) {
  const Registry registry = InTreeRegistry();
  const PluginFactory* factory = registry.Find(name);
  CHECK(factory != nullptr);
  return (*factory)(args);
}

inline std::unique_ptr<Plugin> MakePlugin(std::string_view name, const PluginArgs& args = {}) {
  auto plugin = TryMakePlugin(name, args);
  EXPECT_TRUE(plugin.has_value()) << plugin.error().message;
  CHECK(plugin.has_value());
  return *std::move(plugin);
}

// One plugin, asked about one pod that is not in the cluster. `world` must outlive the trial.
class PluginTrial {
 public:
  PluginTrial(World& world, std::unique_ptr<Plugin> plugin, const std::string& pod_yaml)
      : PluginTrial(world, std::move(plugin), DecodeOrFail(pod_yaml).at(0)) {}

  PluginTrial(World& world, std::unique_ptr<Plugin> plugin, const api::Object& pod)
      : world_(world),
        plugin_(std::move(plugin)),
        pod_(world.cluster().MakeVisitor(std::get<api::Ref<api::Pod>>(pod))),
        compiled_(Compile()),
        cycle_(world.cluster(), pod_, compiled_) {}

  ~PluginTrial() { world_.cluster().Release(pod_); }
  PluginTrial(const PluginTrial&) = delete;
  PluginTrial& operator=(const PluginTrial&) = delete;

  Cycle& cycle() { return cycle_; }
  template <typename Role>
  const Role& As() const {
    const auto* role = dynamic_cast<const Role*>(plugin_.get());
    CHECK(role != nullptr);
    return *role;
  }

  // Asks PreFilter, if the plugin takes part in it, then Filter. One character per node: '1' for a
  // node that is left, '0' for one that is not, '-' for one that PreFilter leaves out. If PreFilter
  // ends the matter, its verdict. Fails the test unless Filter and Explain agree on each node and
  // each node is judged by itself.
  std::string Filter() {
    NodeMask candidates = world_.cluster().nodes().present();
    if (const auto* pre_filter = dynamic_cast<const PreFilterPlugin*>(plugin_.get())) {
      const PreFilterResult result = pre_filter->PreFilter(cycle_);
      if (!result.verdict.ok()) return Text(result.verdict);
      if (result.nodes) candidates = RowsOf(*result.nodes);
    }
    NodeMask left = candidates;
    if (Verdict error = As<FilterPlugin>().Filter(cycle_, left); !error.ok()) return Text(error);
    NodeMask added = left;
    added -= candidates;
    EXPECT_TRUE(added.None()) << "Filter set a bit";

    std::string marks;
    for (NodeRow node : world_.nodes()) {
      if (!candidates.Test(node.index())) {
        marks += '-';
        continue;
      }
      marks += left.Test(node.index()) ? '1' : '0';
      CheckAlone(node, left.Test(node.index()));
    }
    return marks;
  }

  // What the plugin says about one node; ask Filter first.
  std::string Explain(std::string_view node) const {
    return Text(As<FilterPlugin>().Explain(cycle_, world_.node(node)));
  }

  // Asks PreScore, if the plugin takes part in it, then Score: "0 3 1". If PreScore ends the
  // matter, its verdict. `feasible` has a '0' for each node that does not take part and shows up as
  // '-'; empty means all do.
  std::string RawScores(std::string_view feasible = "") {
    return Score(feasible, /*normalized=*/false);
  }
  // The same after Normalize. Fails the test if a score is not in 0..100.
  std::string Scores(std::string_view feasible = "") {
    return Score(feasible, /*normalized=*/true);
  }

 private:
  ClassStates Compile() const {
    ClassStates states;
    states.push_back(plugin_->Compile(world_.cluster(), world_.cluster().class_of(pod_)));
    return states;
  }

  NodeMask RowsOf(const std::vector<Symbol>& names) const {
    EXPECT_TRUE(std::ranges::is_sorted(names));
    NodeMask rows(world_.cluster().nodes().rows());
    for (Symbol name : names) {
      const NodeRow row = world_.cluster().nodes().Find(name);
      if (row.valid()) rows.Set(row.index());
    }
    return rows;
  }

  void CheckAlone(NodeRow node, bool left) const {
    NodeMask alone(world_.cluster().nodes().rows());
    alone.Set(node.index());
    EXPECT_TRUE(As<FilterPlugin>().Filter(cycle_, alone).ok());
    EXPECT_EQ(alone.Test(node.index()), left) << "asked alone: " << world_.name(node);
    const Verdict verdict = As<FilterPlugin>().Explain(cycle_, node);
    EXPECT_EQ(verdict.ok(), left) << "Explain: " << world_.name(node) << ": " << Text(verdict);
    EXPECT_EQ(verdict.rejected() && !verdict.reasons().empty(), !left) << Text(verdict);
  }

  std::string Score(std::string_view marks, bool normalized) {
    NodeMask feasible = world_.cluster().nodes().present();
    for (size_t i = 0; i < marks.size(); ++i)
      feasible.Assign(world_.nodes()[i].index(), marks[i] != '0');
    if (const auto* pre_score = dynamic_cast<const PreScorePlugin*>(plugin_.get())) {
      if (Verdict verdict = pre_score->PreScore(cycle_, feasible); !verdict.ok())
        return Text(verdict);
    }
    const auto& scorer = As<ScorePlugin>();
    std::vector<int64_t> scores(feasible.size());
    if (Verdict error = scorer.Score(cycle_, feasible, scores); !error.ok()) return Text(error);
    if (scorer.score_scope() == Scope::kNode) CheckScoresAlone(feasible, scores);
    if (normalized && scorer.normalizes()) scorer.Normalize(cycle_, feasible, scores);

    std::vector<std::string> texts;
    for (NodeRow node : world_.nodes()) {
      const int64_t score = scores[node.index()];
      if (!feasible.Test(node.index())) {
        texts.emplace_back("-");
        continue;
      }
      EXPECT_TRUE(!normalized || (score >= 0 && score <= ScorePlugin::kMaxScore)) << score;
      texts.push_back(std::to_string(score));
    }
    return fmt::format("{}", fmt::join(texts, " "));
  }

  // A node-scoped score does not depend on which other nodes are asked about.
  void CheckScoresAlone(const NodeMask& feasible, const std::vector<int64_t>& scores) const {
    feasible.ForEach([&](size_t row) {
      NodeMask alone(feasible.size());
      alone.Set(row);
      std::vector<int64_t> score(feasible.size());
      EXPECT_TRUE(As<ScorePlugin>().Score(cycle_, alone, score).ok());
      EXPECT_EQ(score[row], scores[row]) << "asked alone: row " << row;
    });
  }

  World& world_;
  const std::unique_ptr<Plugin> plugin_;
  const PodRecord pod_;
  const ClassStates compiled_;
  Cycle cycle_;
};

}  // namespace berth
