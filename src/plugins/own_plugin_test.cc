// The plugins that docs/plugins.md shows, compiled and tried out.

#include <fstream>
#include <iterator>

#include "framework/node_at_a_time.h"
#include "framework/profile.h"
#include "plugins/testing.h"

namespace berth {
namespace BERTH_TEST_FILE {

// FewPods keeps pods off nodes that run forty already, and prefers the emptier ones.
class FewPods final : public NodeFilter, public NodeScorer {
 public:
  static constexpr std::string_view kName = "FewPods";
  static constexpr int64_t kMost = 40;
  std::string_view name() const override { return kName; }

  Verdict FilterNode(const Cycle& cycle, NodeRow node) const override {
    if (PodsOn(cycle, node) < kMost) return {};
    return {Code::kUnschedulable, "node(s) had forty pods"};
  }
  Scope filter_scope() const override { return Scope::kNode; }

  int64_t ScoreNode(const Cycle& cycle, NodeRow node) const override {
    return kMaxScore - kMaxScore * PodsOn(cycle, node) / kMost;
  }
  Scope score_scope() const override { return Scope::kNode; }

 private:
  static int64_t PodsOn(const Cycle& cycle, NodeRow node) {
    return cycle.nodes().columns().pod_count[node.index()];
  }
};

Registry RegistryWithFewPods() {
  Registry registry = InTreeRegistry();
  registry.Add<FewPods>();
  return registry;
}

// OwnTeam keeps pods to the nodes of their team: those labelled with the pod's namespace.
class OwnTeam final : public FilterPlugin {
 public:
  static constexpr std::string_view kName = "OwnTeam";
  std::string_view name() const override { return kName; }

  // Once per class of pods: looks up what the loop below compares.
  std::unique_ptr<const ClassState> Compile(Cluster& cluster,
                                            const PodClass& pod_class) const override {
    auto wanted = std::make_unique<Wanted>();
    wanted->label = {cluster.mutable_symbols().Intern("team"), pod_class.namespace_};
    return wanted;
  }

  // Once per pod: one loop over the nodes that are still in question.
  Verdict Filter(const Cycle& cycle, NodeMask& nodes) const override {
    nodes.KeepIf([&](size_t row) { return Fits(cycle, NodeRow{static_cast<uint32_t>(row)}); });
    return {};
  }

  // Only when somebody asks why.
  Verdict Explain(const Cycle& cycle, NodeRow node) const override {
    if (Fits(cycle, node)) return {};
    return {Code::kUnschedulableAndUnresolvable, "node(s) belonged to another team"};
  }
  Scope filter_scope() const override { return Scope::kNode; }

 private:
  struct Wanted final : ClassState {
    Label label;
  };

  bool Fits(const Cycle& cycle, NodeRow node) const {
    const Label& wanted = cycle.compiled<Wanted>(*this).label;
    return FindLabel(cycle.nodes().info(node).labels, wanted.key) == wanted.value;
  }
};

TEST(OwnPlugin, JudgesAndScoresOneNodeAtATime) {
  World world{NodeYaml("empty"), NodeYaml("busy"), NodeYaml("full")};
  for (int i = 0; i < 10; ++i) {
    world.Add(PodYaml(fmt::format("b{}", i), {.spec = "nodeName: busy"}));
  }
  for (int i = 0; i < 40; ++i) {
    world.Add(PodYaml(fmt::format("f{}", i), {.spec = "nodeName: full"}));
  }
  PluginTrial trial(world, std::make_unique<FewPods>(), PodYaml("web"));
  EXPECT_EQ(trial.Filter(), "110");
  EXPECT_EQ(trial.Explain("full"), "Unschedulable: node(s) had forty pods");
  EXPECT_EQ(trial.Scores(), "100 75 0");
}

TEST(OwnPlugin, JudgesSetsOfNodes) {
  World world{NodeYaml("a", {.labels = "team: default"}), NodeYaml("b", {.labels = "team: other"}),
              NodeYaml("c")};
  PluginTrial trial(world, std::make_unique<OwnTeam>(), PodYaml("web"));
  EXPECT_EQ(trial.Filter(), "100");
  EXPECT_EQ(trial.Explain("c"), "UnschedulableAndUnresolvable: node(s) belonged to another team");
}

TEST(OwnPlugin, TakesPartInAProfile) {
  ProfileConfig config;
  config.multi_point.enabled = {{"PrioritySort", 0}, {"FewPods", 2}, {"DefaultBinder", 0}};
  const auto profile = Profile::Build(config, RegistryWithFewPods());
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  ASSERT_EQ((*profile)->filter().size(), 1u);
  EXPECT_EQ((*profile)->filter()[0]->name(), "FewPods");
  ASSERT_EQ((*profile)->score().size(), 1u);
  EXPECT_EQ((*profile)->score()[0].weight, 2);
}

std::string Read(const std::string& path) {
  std::ifstream file(std::string(BERTH_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(OwnPlugin, TheGuideShowsThisCode) {
  const std::string guide = Read("docs/plugins.md");
  const std::string code = Read("src/plugins/own_plugin_test.cc");
  constexpr std::string_view kOpen = "```cpp\n";
  size_t blocks = 0;
  for (size_t at = guide.find(kOpen); at != std::string::npos; at = guide.find(kOpen, at)) {
    at += kOpen.size();
    const std::string block = guide.substr(at, guide.find("```", at) - at);
    EXPECT_TRUE(code.contains(block)) << "not in the test:\n" << block;
    ++blocks;
  }
  EXPECT_EQ(blocks, 3u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
