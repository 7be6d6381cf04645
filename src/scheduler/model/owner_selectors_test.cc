#include "scheduler/model/owner_selectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

using Names = std::vector<std::string>;

std::shared_ptr<const api::Service> Service(const char* name,
                                            std::optional<api::StringMap> selector,
                                            const char* namespace_ = "shop") {
  api::Service service;
  service.metadata = {.name = name, .namespace_ = namespace_};
  service.selector = std::move(selector);
  return std::make_shared<const api::Service>(std::move(service));
}

Names ServicesOf(const OwnerSelectors& owners, api::StringMap labels,
                 const char* namespace_ = "shop") {
  api::ObjectMeta pod;
  pod.namespace_ = namespace_;
  pod.labels = std::move(labels);
  Names names;
  owners.ForEachServiceOf(pod, [&](const api::Service& s) { names.push_back(s.metadata.name); });
  std::ranges::sort(names);
  return names;
}

TEST(OwnerSelectors, FindsTheServicesThatSelectAPod) {
  OwnerSelectors owners;
  for (const auto& service :
       {Service("web", {{{"app", "web"}}}), Service("front", {{{"app", "web"}, {"tier", "front"}}}),
        Service("tier", {{{"tier", "front"}}}), Service("all", api::StringMap{}),
        Service("none", std::nullopt), Service("elsewhere", {{{"app", "web"}}}, "other")}) {
    owners.Change<api::Service>(nullptr, service);
  }
  EXPECT_EQ(ServicesOf(owners, {{"app", "web"}}), Names({"web"}));
  EXPECT_EQ(ServicesOf(owners, {{"app", "web"}, {"tier", "front"}}),
            Names({"front", "tier", "web"}));
  EXPECT_EQ(ServicesOf(owners, {{"app", "db"}, {"tier", "front"}}), Names({"tier"}));
  EXPECT_EQ(ServicesOf(owners, {{"app", "web"}}, "other"), Names({"elsewhere"}));
  EXPECT_EQ(ServicesOf(owners, {}), Names());
}

TEST(OwnerSelectors, FollowsChanges) {
  OwnerSelectors owners;
  const auto before = Service("web", {{{"app", "web"}}});
  const auto after = Service("web", {{{"app", "shop"}}});
  owners.Change<api::Service>(nullptr, before);
  owners.Change<api::Service>(before, after);
  EXPECT_EQ(ServicesOf(owners, {{"app", "web"}}), Names());
  EXPECT_EQ(ServicesOf(owners, {{"app", "shop"}}), Names({"web"}));
  owners.Change<api::Service>(after, nullptr);
  EXPECT_EQ(ServicesOf(owners, {{"app", "shop"}}), Names());
}

// The status of a controller changes with every pod that is ready.
TEST(OwnerSelectors, ItsVersionGrowsWithSelectorsAlone) {
  OwnerSelectors owners;
  auto set = std::make_shared<api::ReplicaSet>();
  set->selector.emplace().match_labels = {{"app", "web"}};
  owners.Change<api::ReplicaSet>(nullptr, set);
  const uint64_t added = owners.version();
  EXPECT_GT(added, 0u);
  auto same = std::make_shared<api::ReplicaSet>(*set);
  same->metadata.resource_version = "2";
  owners.Change<api::ReplicaSet>(set, same);
  EXPECT_EQ(owners.version(), added);
  auto changed = std::make_shared<api::ReplicaSet>(*set);
  changed->selector->match_labels = {{"app", "shop"}};
  owners.Change<api::ReplicaSet>(same, changed);
  EXPECT_GT(owners.version(), added);
  const uint64_t replaced = owners.version();
  owners.Change<api::ReplicaSet>(changed, nullptr);
  EXPECT_GT(owners.version(), replaced);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
