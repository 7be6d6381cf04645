#include "cluster/topology.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth {
namespace BERTH_TEST_FILE {

class TopologyTest : public testing::Test {
 protected:
  // Rows are the nodes in order; all of them are present.
  explicit TopologyTest(size_t rows = 4) : labels_(rows), present_(rows, true) {
    topology_.Resize(rows);
  }

  TopologyKeyId Use(const char* label) {
    return topology_.Use(symbols_.Intern(label), present_, labels_.size(),
                         [this](size_t row) -> const Labels& { return labels_[row]; });
  }
  void Place(uint32_t row, const api::StringMap& labels) {
    labels_[row] = InternLabels(labels, symbols_);
    topology_.Place(NodeRow{row}, labels_[row]);
  }
  // The value of the key on each row, "-" where there is none.
  std::string Domains(TopologyKeyId id) {
    const Topology::Key& key = topology_.key(id);
    std::string text;
    for (DomainId domain : key.domain_of) {
      text += domain.valid() ? symbols_.Text(key.domains[domain.index()].value) : "-";
    }
    return text;
  }
  uint32_t NodesIn(TopologyKeyId id, const char* value) {
    const Topology::Key& key = topology_.key(id);
    const DomainId domain = key.Find(symbols_.Find(value));
    return domain.valid() ? key.domains[domain.index()].nodes : 0;
  }

  SymbolTable symbols_;
  std::vector<Labels> labels_;
  NodeMask present_;
  Topology topology_;
};

TEST_F(TopologyTest, KeyThatComesIntoUseLateKnowsTheNodes) {
  Place(0, {{"zone", "a"}});
  Place(1, {{"zone", "b"}, {"host", "x"}});
  Place(2, {{"zone", "a"}});
  EXPECT_TRUE(topology_.keys().empty());
  const TopologyKeyId zone = Use("zone");
  EXPECT_EQ(Domains(zone), "aba-");
  EXPECT_EQ(topology_.key(zone).domain_count, 2u);
  EXPECT_EQ(NodesIn(zone, "a"), 2u);
  EXPECT_EQ(Use("zone"), zone);
  EXPECT_NE(Use("host"), zone);
  EXPECT_EQ(topology_.keys().size(), 2u);
}

TEST_F(TopologyTest, NodesMoveBetweenDomains) {
  const TopologyKeyId zone = Use("zone");
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
  const TopologyKeyId zone = Use("zone");
  Place(0, {{"zone", "a"}});
  Place(1, {{"zone", "b"}});
  const DomainId b = topology_.key(zone).domain_of[1];
  Place(1, {});
  EXPECT_EQ(topology_.key(zone).domain_count, 1u);
  EXPECT_FALSE(topology_.key(zone).Find(symbols_.Find("b")).valid());
  Place(2, {{"zone", "c"}});
  EXPECT_EQ(topology_.key(zone).domain_of[2], b);
  EXPECT_EQ(topology_.key(zone).domain_count, 2u);
  EXPECT_EQ(topology_.key(zone).domains.size(), 2u);
}

TEST_F(TopologyTest, PlacingANodeWhereItIsChangesNothing) {
  const TopologyKeyId zone = Use("zone");
  Place(0, {{"zone", "a"}});
  Place(0, {{"zone", "a"}, {"host", "x"}});
  EXPECT_EQ(NodesIn(zone, "a"), 1u);
  EXPECT_EQ(Domains(zone), "a---");
}

TEST_F(TopologyTest, NewRowsAreInNoDomain) {
  const TopologyKeyId zone = Use("zone");
  Place(0, {{"zone", "a"}});
  topology_.Resize(6);
  EXPECT_EQ(Domains(zone), "a-----");
}

TEST_F(TopologyTest, EmptyValueIsADomainToo) {
  const TopologyKeyId zone = Use("zone");
  Place(0, {{"zone", ""}});
  EXPECT_EQ(topology_.key(zone).domain_count, 1u);
  EXPECT_EQ(NodesIn(zone, ""), 1u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
