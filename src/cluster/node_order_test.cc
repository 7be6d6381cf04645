#include "cluster/node_order.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace berth {
namespace BERTH_TEST_FILE {

using Names = std::vector<std::string>;

class NodeOrderTest : public testing::Test {
 protected:
  static constexpr const char* kZone = "topology.kubernetes.io/zone";
  static constexpr const char* kOldZone = "failure-domain.beta.kubernetes.io/zone";
  static constexpr const char* kRegion = "topology.kubernetes.io/region";
  static constexpr const char* kOldRegion = "failure-domain.beta.kubernetes.io/region";

  void Place(const std::string& name, const api::StringMap& labels) {
    const auto row = rows_.try_emplace(name, static_cast<uint32_t>(rows_.size())).first->second;
    names_[row] = name;
    if (row >= order_.rank().size()) order_.Resize(row + 1);
    order_.Place(NodeRow{row}, name, labels);
  }
  void Take(const std::string& name) { order_.Take(NodeRow{rows_.at(name)}, name); }

  Names Order() {
    Names names;
    for (NodeRow row : order_.rows()) {
      EXPECT_EQ(order_.rank()[row.index()], names.size());
      names.push_back(names_.at(row.value));
    }
    return names;
  }

  NodeOrder order_;
  std::map<std::string, uint32_t> rows_;
  std::map<uint32_t, std::string> names_;
};

TEST_F(NodeOrderTest, WithoutZonesGoesByName) {
  for (const char* name : {"c", "a", "b"}) Place(name, {});
  EXPECT_EQ(Order(), Names({"a", "b", "c"}));
}

TEST_F(NodeOrderTest, ZonesTakeTurnsInTheOrderOfTheirFirstNodes) {
  Place("n4", {{kZone, "a"}});
  Place("n5", {{kZone, "a"}});
  Place("n6", {{kZone, "a"}});
  Place("n2", {{kZone, "z"}});
  Place("n3", {{kZone, "z"}});
  Place("n1", {});
  EXPECT_EQ(Order(), Names({"n1", "n2", "n4", "n3", "n5", "n6"}));
}

TEST_F(NodeOrderTest, ZoneIsRegionAndZoneAndTheOldLabelsWin) {
  Place("a1", {{kRegion, "r"}, {kZone, "z"}});
  Place("a2", {{kOldRegion, "r"}, {kOldZone, "z"}, {kRegion, "x"}, {kZone, "x"}});
  Place("b1", {{kZone, "z"}});
  Place("c1", {{kRegion, "r"}});
  EXPECT_EQ(Order(), Names({"a1", "b1", "c1", "a2"}));
}

TEST_F(NodeOrderTest, NodesMoveBetweenZones) {
  Place("n1", {{kZone, "a"}});
  Place("n2", {{kZone, "a"}});
  Place("n3", {{kZone, "b"}});
  EXPECT_EQ(Order(), Names({"n1", "n3", "n2"}));
  Place("n2", {{kZone, "b"}});
  EXPECT_EQ(Order(), Names({"n1", "n2", "n3"}));
  Place("n2", {{kZone, "b"}, {"other", "label"}});
  EXPECT_EQ(Order(), Names({"n1", "n2", "n3"}));
}

TEST_F(NodeOrderTest, NodesAreTakenOutAndZonesEnd) {
  Place("n1", {{kZone, "a"}});
  Place("n2", {{kZone, "a"}});
  Place("n3", {{kZone, "b"}});
  Take("n3");
  EXPECT_EQ(Order(), Names({"n1", "n2"}));
  Take("n3");
  Take("n1");
  EXPECT_EQ(Order(), Names({"n2"}));
  Place("n1", {{kZone, "c"}});
  EXPECT_EQ(Order(), Names({"n1", "n2"}));
}

TEST_F(NodeOrderTest, RankHasAPlaceForEveryRow) {
  Place("n1", {});
  EXPECT_EQ(Order(), Names({"n1"}));
  order_.Resize(5);
  EXPECT_EQ(order_.rank().size(), 5u);
  Place("n0", {});
  EXPECT_EQ(Order(), Names({"n0", "n1"}));
  EXPECT_EQ(order_.rank().size(), 5u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
