// A plugin from outside the tree: written node-at-a-time, registered by name, configured by raw
// JSON.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "testing/engine_harness.h"
#include "testing/object_builders.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;

// Keeps pods off nodes without a rack, and prefers the racks with higher numbers, up to `highest`.
class RackRule final : public framework::NodeFilter, public framework::NodeScorer {
 public:
  static constexpr std::string_view kName = "RackRule";
  std::string_view name() const override { return kName; }

  static Result<std::unique_ptr<framework::Plugin>> Make(const framework::PluginArgs& args) {
    const auto* json = std::any_cast<std::string>(&args);
    if (json == nullptr) return Fail("RackRule needs arguments");
    const auto document = api::ParseJson(*json);
    if (!document) return std::unexpected(document.error());
    const auto highest = api::IntAt(api::AsObject(*document), "highest");
    if (!highest) return Fail("highest: must be a number");
    return std::make_unique<RackRule>(*highest);
  }
  explicit RackRule(int64_t highest) : highest_(highest) {}

  framework::Verdict FilterNode(const framework::Cycle& cycle, model::NodeRow node) const override {
    if (RackOf(cycle, node) != 0) return {};
    return {framework::Code::kUnschedulableAndUnresolvable, "node(s) had no rack"};
  }
  int64_t ScoreNode(const framework::Cycle& cycle, model::NodeRow node) const override {
    return std::min(RackOf(cycle, node), highest_) * kMaxScore / highest_;
  }

 private:
  static int64_t RackOf(const framework::Cycle& cycle, model::NodeRow node) {
    const auto& labels = cycle.nodes().info(node).object->metadata.labels;
    auto found = labels.find("rack");
    return found == labels.end() ? 0 : std::stoll(found->second);
  }

  const int64_t highest_;
};

framework::Registry RegistryWithRackRule() {
  framework::Registry registry = plugins::InTreeRegistry();
  registry.Add(RackRule::kName, &RackRule::Make);
  return registry;
}

framework::ProfileConfig ProfileWithRackRule(framework::PluginArgs args) {
  framework::ProfileConfig config = DefaultProfile();
  config.multi_point.enabled.push_back({"RackRule", 50});
  if (args.has_value()) config.args["RackRule"] = std::move(args);
  return config;
}

TEST(OutOfTreePlugin, FiltersAndScores) {
  EngineHarness harness({ProfileWithRackRule(std::string("{\"highest\": 10}"))},
                        RegistryWithRackRule());
  harness.Put(MakeNode("rackless").Cpu("64"));
  harness.Put(MakeNode("low").Cpu("32").Label("rack", "2"));
  harness.Put(MakeNode("high").Cpu("2").Label("rack", "9"));
  harness.Put(MakePod("web").Request("cpu", "1"));
  harness.Schedule();
  EXPECT_EQ(harness.Decisions(), Lines({"web -> high"}));

  const auto explanation = harness.engine().Explain(MakePod("next").Request("cpu", "1"), Instant{});
  ASSERT_TRUE(explanation.has_value());
  EXPECT_EQ(explanation->nodes.at("rackless").verdict.Message(), "node(s) had no rack");
  EXPECT_EQ(explanation->nodes.at("rackless").verdict.plugin(), "RackRule");
  EXPECT_EQ(explanation->nodes.at("low").scores.at("RackRule"), 50 * 20);
  EXPECT_EQ(explanation->nodes.at("high").scores.at("RackRule"), 50 * 90);
}

TEST(OutOfTreePlugin, ReasonsReachTheFitError) {
  EngineHarness harness({ProfileWithRackRule(std::string("{\"highest\": 10}"))},
                        RegistryWithRackRule());
  harness.Put(MakeNode("rackless"));
  harness.Put(MakePod("web"));
  harness.Schedule();
  const Lines decisions = harness.Decisions();
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_TRUE(decisions[0].starts_with("web: 0/1 nodes are available: 1 node(s) had no rack."))
      << decisions[0];
}

TEST(OutOfTreePlugin, BadArgumentsAreTheErrorOfTheProfile) {
  const auto engine =
      Engine::Make({.profiles = {ProfileWithRackRule(std::string("{\"highest\": \"tall\"}"))}},
                   RegistryWithRackRule());
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(
      engine.error().message,
      "creating profile for scheduler name default-scheduler: initializing plugin \"RackRule\": "
      "highest: must be a number");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
