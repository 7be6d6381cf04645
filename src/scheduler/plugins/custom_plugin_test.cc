// Plugins as a newcomer writes them, and a check that docs/plugins.md shows code that is compiled:
// theirs, and that of examples/custom-scheduler, which the test install.examples builds and runs.

#include <fstream>
#include <iterator>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/profile.h"
#include "scheduler/model/cluster.h"
#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

// FewPods keeps pods off nodes that run forty already, and prefers the emptier ones.
class FewPods final : public framework::NodeFilter, public framework::NodeScorer {
 public:
  static constexpr std::string_view kName = "FewPods";
  static constexpr int64_t kMost = 40;
  std::string_view name() const override { return kName; }

  framework::Verdict FilterNode(const framework::Cycle& cycle, model::NodeRow node) const override {
    if (PodsOn(cycle, node) < kMost) return {};
    return {framework::Code::kUnschedulable, "node(s) had forty pods"};
  }
  framework::Reads reads() const override { return framework::Reads::kNode; }

  int64_t ScoreNode(const framework::Cycle& cycle, model::NodeRow node) const override {
    return kMaxScore - kMaxScore * PodsOn(cycle, node) / kMost;
  }
  framework::Scope score_scope() const override { return framework::Scope::kNode; }

 private:
  static int64_t PodsOn(const framework::Cycle& cycle, model::NodeRow node) {
    return cycle.nodes().columns().pod_count[node.index()];
  }
};

framework::Registry RegistryWithFewPods() {
  framework::Registry registry = InTreeRegistry();
  registry.Add<FewPods>();
  return registry;
}

// OwnTeam keeps pods to the nodes of their team: those labelled with the pod's namespace.
class OwnTeam final : public framework::FilterPlugin {
 public:
  static constexpr std::string_view kName = "OwnTeam";
  std::string_view name() const override { return kName; }

  // Called once per pod class: interns the label that Filter compares with.
  std::unique_ptr<framework::ClassState> Compile(model::Cluster& cluster,
                                                 const model::PodClass& pod_class) const override {
    auto wanted = std::make_unique<Wanted>(cluster.mutable_symbols());
    wanted->label = {wanted->symbols.Intern("team"), pod_class.namespace_};
    return wanted;
  }

  // Called once per scheduling cycle: what a node must be. The scheduler does the rest.
  framework::Conditions Require(const framework::Cycle& cycle) const override {
    return {
        framework::NodeClass{&cycle.compiled<Wanted>(*this),
                             framework::Rejection{framework::Code::kUnschedulableAndUnresolvable,
                                                  "node(s) belonged to another team"}}};
  }
  framework::Reads reads() const override { return framework::Reads::kNodeAlone; }

 private:
  struct Wanted final : framework::ClassState, framework::NodePredicate {
    explicit Wanted(SymbolTable& table) : symbols(table) {}

    bool Holds(const framework::Cycle& cycle, model::NodeRow node) const override {
      return model::FindLabel(cycle.nodes().info(node).labels, label.key) == label.value;
    }
    // Pods of one namespace share the answers for all nodes.
    bool AppendKey(const framework::Cycle& cycle, std::string& key) const override {
      key += cycle.pod().object->metadata.namespace_;
      return true;
    }

    SymbolHolder symbols;  // Keeps what it interns as long as this state.
    model::Label label;
  };
};

TEST(OwnPlugin, JudgesAndScoresOneNodeAtATime) {
  TestCluster world{NodeYaml("empty"), NodeYaml("busy"), NodeYaml("full")};
  for (int i = 0; i < 10; ++i) {
    world.Add(PodYaml(fmt::format("b{}", i), {.spec = "nodeName: busy"}));
  }
  for (int i = 0; i < 40; ++i) {
    world.Add(PodYaml(fmt::format("f{}", i), {.spec = "nodeName: full"}));
  }
  PluginHarness trial(world, std::make_unique<FewPods>(), PodYaml("web"));
  EXPECT_EQ(trial.Filter(), "110");
  EXPECT_EQ(trial.Explain("full"), "Unschedulable: node(s) had forty pods");
  EXPECT_EQ(trial.Scores(), "100 75 0");
}

TEST(OwnPlugin, JudgesSetsOfNodes) {
  TestCluster world{NodeYaml("a", {.labels = "team: default"}),
                    NodeYaml("b", {.labels = "team: other"}), NodeYaml("c")};
  PluginHarness trial(world, std::make_unique<OwnTeam>(), PodYaml("web"));
  EXPECT_EQ(trial.Filter(), "100");
  EXPECT_EQ(trial.Explain("c"), "UnschedulableAndUnresolvable: node(s) belonged to another team");
}

TEST(OwnPlugin, TakesPartInAProfile) {
  framework::ProfileConfig config;
  config.multi_point.enabled = {{"PrioritySort", 0}, {"FewPods", 2}, {"DefaultBinder", 0}};
  const auto profile = framework::Profile::Build(config, RegistryWithFewPods());
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

TEST(OwnPlugin, TheGuideShowsCodeThatIsCompiled) {
  const std::string guide = Read("docs/plugins.md");
  std::string code;
  for (const char* path :
       {"src/scheduler/plugins/custom_plugin_test.cc", "examples/custom-scheduler/node_price.h",
        "examples/custom-scheduler/node_price.cc",
        "examples/custom-scheduler/custom_scheduler_main.cc"}) {
    code += Read(path);
  }
  constexpr std::string_view kOpen = "```cpp\n";
  size_t blocks = 0;
  for (size_t at = guide.find(kOpen); at != std::string::npos; at = guide.find(kOpen, at)) {
    at += kOpen.size();
    const std::string block = guide.substr(at, guide.find("```", at) - at);
    EXPECT_TRUE(code.contains(block)) << "not compiled anywhere:\n" << block;
    ++blocks;
  }
  EXPECT_EQ(blocks, 7u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
