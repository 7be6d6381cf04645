#include "scheduler/framework/profile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "scheduler/framework/profile.h"
#include "testing/fake_plugins.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

using enum ExtensionPoint;
using Names = std::vector<std::string>;

// Takes part in PreEnqueue alone.
class Gate final : public PreEnqueuePlugin {
 public:
  explicit Gate(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  Verdict PreEnqueue(const model::Cluster&, const model::PodRecord&) const override { return {}; }

 private:
  const std::string name_;
};

// A registry with rules A to E, which filter and score among other things, and with what every
// profile needs.
Registry TestRegistry() {
  Registry registry;
  for (const char* name : {"A", "B", "C", "D", "E"}) Offer<FakeRule>(registry, name, Rule());
  Offer<Gate>(registry, "Gate");
  registry.Add<FakeSort>();
  registry.Add<FakeBinder>();
  return registry;
}

PluginSet& At(ProfileConfig& config, ExtensionPoint point) {
  return config.points[static_cast<size_t>(point)];
}

// FakeSort, FakeBinder, and these.
ProfileConfig Config(std::vector<PluginChoice> multi_point) {
  multi_point.push_back({"FakeSort"});
  multi_point.push_back({"FakeBinder"});
  return ProfileOf(std::move(multi_point));
}

Names Filters(const Profile& profile) {
  Names names;
  for (const FilterPlugin* filter : profile.filter()) names.emplace_back(filter->name());
  return names;
}

// "A*3": plugin A with weight 3.
Names Scorers(const Profile& profile) {
  Names names;
  for (const auto& [plugin, weight] : profile.score()) {
    names.push_back(fmt::format("{}*{}", plugin->name(), weight));
  }
  return names;
}

std::unique_ptr<Profile> Build(const ProfileConfig& config) {
  auto profile = Profile::Build(config, TestRegistry());
  EXPECT_TRUE(profile.has_value()) << profile.error().message;
  return profile.has_value() ? *std::move(profile) : nullptr;
}

TEST(Profile, MultiPointEnablesAPluginAtEveryPointThatItHas) {
  const auto profile = Build(Config({{"Gate"}, {"B", 2}, {"A", 3}}));
  EXPECT_EQ(Filters(*profile), Names({"B", "A"}));
  EXPECT_EQ(Scorers(*profile), Names({"B*2", "A*3"}));
  EXPECT_EQ(profile->pre_filter().size(), 2u);
  EXPECT_EQ(profile->pre_score().size(), 2u);
  EXPECT_EQ(profile->pre_enqueue().size(), 1u);
  EXPECT_EQ(profile->bind().size(), 1u);
  EXPECT_EQ(profile->queue_sort().name(), "FakeSort");
  EXPECT_TRUE(profile->reserve().empty());
  EXPECT_EQ(profile->scheduler_name(), "default-scheduler");
}

struct OrderCase {
  const char* name;
  Names multi_point;
  Names enabled;
  Names disabled;
  Names want;
};

TEST(Profile, PointListsOverridesThenMultiPointThenTheRest) {
  const OrderCase cases[] = {
      {"MultiPointAlone", {"A", "B"}, {}, {}, {"A", "B"}},
      {"OwnPluginsFollow", {"A", "B"}, {"C"}, {}, {"A", "B", "C"}},
      {"OverridesLead", {"A", "B", "C"}, {"D", "C", "B"}, {}, {"C", "B", "A", "D"}},
      {"DisabledMultiPointPluginIsOut", {"A", "B"}, {}, {"A"}, {"B"}},
      {"DisabledThenEnabledGoesToTheEnd", {"A", "B"}, {"A"}, {"A"}, {"B", "A"}},
      {"StarDisablesMultiPoint", {"A", "B"}, {"E", "D"}, {"*"}, {"E", "D"}},
      {"PluginsWithoutThePointArePassedOver", {"Gate", "A"}, {}, {}, {"A"}},
  };
  for (const OrderCase& c : cases) {
    SCOPED_TRACE(c.name);
    ProfileConfig config = Config({});
    for (const std::string& name : c.multi_point) config.multi_point.enabled.push_back({name});
    for (const std::string& name : c.enabled) At(config, kFilter).enabled.push_back({name});
    At(config, kFilter).disabled = c.disabled;
    EXPECT_EQ(Filters(*Build(config)), c.want);
  }
}

TEST(Profile, WeightsComeFromThePointThatEnablesThePlugin) {
  ProfileConfig config = Config({{"A", 3}, {"B", 4}, {"C"}});
  At(config, kScore).enabled = {{"B", 7}, {"D", 0}};
  EXPECT_EQ(Scorers(*Build(config)), Names({"B*7", "A*3", "C*1", "D*1"}));
}

TEST(Profile, EachPluginIsMadeOnceAndHasASlotOfItsOwn) {
  Registry registry = TestRegistry();
  int made = 0;
  registry.Add("Counted", [&](const PluginArgs&) -> Result<std::unique_ptr<Plugin>> {
    ++made;
    return std::make_unique<FakeRule>("Counted", Rule());
  });
  ProfileConfig config = Config({{"A"}, {"Counted"}});
  At(config, kFilter).enabled = {{"Counted"}, {"B"}};
  At(config, kScore).enabled = {{"B"}};
  const auto profile = Profile::Build(config, registry);
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(made, 1);
  ASSERT_EQ((*profile)->size(), 5u);
  for (size_t slot = 0; slot < 5; ++slot) {
    EXPECT_EQ((*profile)->plugins()[slot]->slot(), slot);
  }
}

TEST(Profile, PluginsGetTheirArguments) {
  Registry registry = TestRegistry();
  std::string seen;
  registry.Add("WithArgs", [&](const PluginArgs& args) -> Result<std::unique_ptr<Plugin>> {
    seen = std::any_cast<std::string>(args);
    return std::make_unique<Gate>("WithArgs");
  });
  ProfileConfig config = Config({{"WithArgs"}});
  config.args["WithArgs"] = std::string("{\"size\":1}");
  EXPECT_TRUE(Profile::Build(config, registry).has_value());
  EXPECT_EQ(seen, "{\"size\":1}");
}

struct ErrorCase {
  const char* name;
  std::function<void(ProfileConfig&)> spoil;
  const char* want;
};

TEST(Profile, ErrorsHaveTheTextsOfKubeScheduler) {
  const ErrorCase cases[] = {
      {"UnknownInMultiPoint", [](ProfileConfig& c) { c.multi_point.enabled.push_back({"Nobody"}); },
       "PreFilterPlugin \"Nobody\" does not exist"},
      {"UnknownAtAPoint", [](ProfileConfig& c) { At(c, kScore).enabled = {{"Nobody"}}; },
       "ScorePlugin \"Nobody\" does not exist"},
      {"WithoutThePoint", [](ProfileConfig& c) { At(c, kFilter).enabled = {{"Gate"}}; },
       "plugin \"Gate\" does not extend FilterPlugin plugin"},
      {"TwiceAtAPoint", [](ProfileConfig& c) { At(c, kFilter).enabled = {{"B"}, {"B"}}; },
       "plugin \"B\" already registered as \"FilterPlugin\""},
      {"TwiceInMultiPoint", [](ProfileConfig& c) { c.multi_point.enabled.push_back({"A"}); },
       "plugin \"A\" already registered as \"PreFilterPlugin\""},
      {"NoQueueSort", [](ProfileConfig& c) { At(c, kQueueSort).disabled = {"*"}; },
       "only one queue sort plugin required for profile with scheduler name "
       "\"default-scheduler\", but got 0"},
      {"NoBinder", [](ProfileConfig& c) { At(c, kBind).disabled = {"FakeBinder"}; },
       "at least one bind plugin is needed for profile with scheduler name "
       "\"default-scheduler\""},
      {"PluginThatCannotBeMade",
       [](ProfileConfig& c) { c.multi_point.enabled.push_back({"Broken"}); },
       "initializing plugin \"Broken\": size must be positive"},
  };
  for (const ErrorCase& c : cases) {
    SCOPED_TRACE(c.name);
    Registry registry = TestRegistry();
    registry.Add("Broken", [](const PluginArgs&) -> Result<std::unique_ptr<Plugin>> {
      return Fail("size must be positive");
    });
    ProfileConfig config = Config({{"A"}});
    c.spoil(config);
    const auto profile = Profile::Build(config, registry);
    ASSERT_FALSE(profile.has_value());
    EXPECT_EQ(profile.error().message, c.want);
  }
}

TEST(Profile, HoldsUpToSixtyTwoPlugins) {
  Registry registry = TestRegistry();
  ProfileConfig config = Config({});
  for (int i = 0; i < 60; ++i) {
    const std::string name = fmt::format("rule{}", i);
    Offer<Gate>(registry, name);
    config.multi_point.enabled.push_back({name});
  }
  EXPECT_TRUE(Profile::Build(config, registry).has_value());
  config.multi_point.enabled.push_back({"A"});
  EXPECT_EQ(Profile::Build(config, registry).error().message,
            "a profile can have at most 62 plugins");
}

TEST(ExtensionPoint, NamesAreThoseOfTheConfiguration) {
  const char* want[] = {
      "PreEnqueue", "QueueSort", "PreFilter",         "Filter",        "PostFilter",
      "PreScore",   "Score",     "Reserve",           "Permit",        "PreBind",
      "Bind",       "PostBind",  "PlacementGenerate", "PlacementScore"};
  for (size_t i = 0; i < kExtensionPoints; ++i) {
    EXPECT_EQ(ToString(static_cast<ExtensionPoint>(i)), want[i]);
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
