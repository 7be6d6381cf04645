#include "scheduler/model/topology.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

class TopologyTest : public testing::Test {
 protected:
  // Rows are the nodes in order; all of them are present.
  explicit TopologyTest(size_t rows = 4) : labels_(rows), present_(rows, true) {
    topology_.Resize(rows);
  }

  Topology::KeyRef Use(const char* label) {
    return topology_.Use(label, present_,
                         [this](size_t row) -> const Labels& { return labels_[row]; });
  }
  void Place(uint32_t row, const api::StringMap& labels) {
    labels_[row] = InternLabels(labels, holder_);
    topology_.Place(NodeRow{row}, labels_[row]);
  }
  // The value of the key on each row, "-" where there is none.
  std::string Domains(const Topology::KeyRef& key) {
    std::string text;
    for (DomainId domain : key->domain_of()) {
      text += domain.valid() ? symbols_.Text(key->domains()[domain.index()].value) : "-";
    }
    return text;
  }
  uint32_t NodesIn(const Topology::KeyRef& key, const char* value) {
    const DomainId domain = key->Find(symbols_.Find(value));
    return domain.valid() ? key->domains()[domain.index()].nodes : 0;
  }

  SymbolTable symbols_;
  SymbolHolder holder_{symbols_};
  std::vector<Labels> labels_;
  NodeMask present_;
  Topology topology_{symbols_};
};

TEST_F(TopologyTest, KeyThatComesIntoUseLateKnowsTheNodes) {
  Place(0, {{"zone", "a"}});
  Place(1, {{"zone", "b"}, {"host", "x"}});
  Place(2, {{"zone", "a"}});
  EXPECT_TRUE(topology_.keys().empty());
  const Topology::KeyRef zone = Use("zone");
  EXPECT_EQ(Domains(zone), "aba-");
  EXPECT_EQ(zone->domain_count(), 2u);
  EXPECT_EQ(NodesIn(zone, "a"), 2u);
  EXPECT_EQ(Use("zone"), zone);
  EXPECT_NE(Use("host"), zone);
  EXPECT_EQ(topology_.keys().size(), 1u);  // The other is not in use any more.
}

TEST_F(TopologyTest, KeyIsInUseWhileItIsReferenced) {
  Place(0, {{"zone", "a"}});
  const size_t symbols = symbols_.size();
  for (int i = 0; i < 1000; ++i) {
    const std::string label = "key-" + std::to_string(i);
    const Topology::KeyRef key = Use(label.c_str());
    EXPECT_EQ(Domains(key), "----");
    Place(1, {{label, "x"}});
    EXPECT_EQ(Domains(key), "-x--");
    Place(1, {});
  }
  EXPECT_TRUE(topology_.keys().empty());
  holder_.Clear();
  labels_.assign(labels_.size(), {});
  Place(0, {{"zone", "a"}});
  EXPECT_EQ(symbols_.size(), symbols);
}

TEST_F(TopologyTest, LabelsThatNoNodeHasShareAColumn) {
  const Topology::KeyRef first = Use("first"), second = Use("second");
  EXPECT_EQ(&first->domain_of(), &second->domain_of());
  Place(2, {{"second", "x"}});
  EXPECT_NE(&first->domain_of(), &second->domain_of());
  topology_.Resize(5);
  EXPECT_EQ(Domains(first), "-----");
  EXPECT_EQ(Domains(second), "--x--");
  Place(2, {});
  EXPECT_EQ(&first->domain_of(), &second->domain_of());
}

TEST_F(TopologyTest, NodesMoveBetweenDomains) {
  const Topology::KeyRef zone = Use("zone");
  Place(0, {{"zone", "a"}});
  Place(1, {{"zone", "a"}});
  Place(1, {{"zone", "b"}});
  EXPECT_EQ(Domains(zone), "ab--");
  Place(1, {{"other", "b"}});
  EXPECT_EQ(Domains(zone), "a---");
  EXPECT_EQ(NodesIn(zone, "a"), 1u);
  EXPECT_EQ(NodesIn(zone, "b"), 0u);
}

TEST_F(TopologyTest, DomainEndsWithItsLastNodeAndItsIdIsUsedAgain) {
  const Topology::KeyRef zone = Use("zone");
  Place(0, {{"zone", "a"}});
  Place(1, {{"zone", "b"}});
  const DomainId b = zone->domain_of()[1];
  Place(1, {});
  EXPECT_EQ(zone->domain_count(), 1u);
  EXPECT_FALSE(zone->Find(symbols_.Find("b")).valid());
  Place(2, {{"zone", "c"}});
  EXPECT_EQ(zone->domain_of()[2], b);
  EXPECT_EQ(zone->domain_count(), 2u);
  EXPECT_EQ(zone->domains().size(), 2u);
}

TEST_F(TopologyTest, FindsTheNodeOfADomainThatHasOne) {
  Place(0, {{"host", "x"}});
  Place(1, {{"host", "y"}});
  const Topology::KeyRef hosts = Use("host");
  const auto only = [&](const char* value) {
    return hosts->OnlyNodeOf(hosts->Find(symbols_.Find(value)));
  };
  EXPECT_TRUE(hosts->is_per_node());
  EXPECT_EQ(only("x"), NodeRow{0});
  EXPECT_EQ(only("y"), NodeRow{1});
  Place(2, {{"host", "x"}});
  EXPECT_FALSE(hosts->is_per_node());
  EXPECT_FALSE(only("x").valid());
  Place(2, {});
  EXPECT_FALSE(only("x").valid()) << "which of them has left is not known";
  Place(0, {});
  Place(0, {{"host", "x"}});
  EXPECT_EQ(only("x"), NodeRow{0});
}

TEST_F(TopologyTest, PlacingANodeWhereItIsChangesNothing) {
  const Topology::KeyRef zone = Use("zone");
  Place(0, {{"zone", "a"}});
  Place(0, {{"zone", "a"}, {"host", "x"}});
  EXPECT_EQ(NodesIn(zone, "a"), 1u);
  EXPECT_EQ(Domains(zone), "a---");
}

TEST_F(TopologyTest, NewRowsAreInNoDomain) {
  const Topology::KeyRef zone = Use("zone");
  Place(0, {{"zone", "a"}});
  topology_.Resize(6);
  EXPECT_EQ(Domains(zone), "a-----");
}

TEST_F(TopologyTest, EmptyValueIsADomainToo) {
  const Topology::KeyRef zone = Use("zone");
  Place(0, {{"zone", ""}});
  EXPECT_EQ(zone->domain_count(), 1u);
  EXPECT_EQ(NodesIn(zone, ""), 1u);
}

}  // namespace BERTH_TEST_FILE
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

TEST_F(NodeOrderTest, WithoutZonesNodesAreSortedByName) {
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
}  // namespace berth::scheduler::model
