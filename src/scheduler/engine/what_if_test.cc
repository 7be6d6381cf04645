#include "scheduler/engine/what_if.h"

#include <gtest/gtest.h>

#include "testing/cluster_dump.h"
#include "testing/engine_harness.h"
#include "testing/random_cluster.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

class WhatIfTest : public testing::Test {
 protected:
  WhatIfTest() {
    harness_.Put(MakeNode("small").Cpu("1"));
    harness_.Put(MakeNode("large").Cpu("8"));
    harness_.Put(web_);
  }

  bool MightPlace(const std::string& node) {
    return Require(harness_.engine().MightDecide(web_.ref(), node));
  }

  const MakePod web_ = MakePod("web").Request("cpu", "900m");
  EngineHarness harness_;
};

TEST_F(WhatIfTest, ChangesWhatTheEngineWouldDecide) {
  EXPECT_TRUE(MightPlace("large"));
  EXPECT_FALSE(MightPlace("small"));
  {
    WhatIf what_if(harness_.engine());
    what_if.Put(MakePod("other").Request("cpu", "8").On("large").ref());
    EXPECT_FALSE(MightPlace("large"));
    EXPECT_TRUE(MightPlace("small"));
    what_if.Delete(MakeNode("small").ref());
    EXPECT_TRUE(MightPlace(""));
    what_if.RevertTo(1);
    EXPECT_TRUE(MightPlace("small"));
  }
  EXPECT_TRUE(MightPlace("large"));
  EXPECT_FALSE(MightPlace(""));
}

TEST_F(WhatIfTest, PendingPodsAreNominated) {
  WhatIf what_if(harness_.engine());
  what_if.Put(MakePod("high").Request("cpu", "8").Priority(9).Nominated("large").ref());
  EXPECT_TRUE(MightPlace("small"));
  what_if.RevertTo(0);
  EXPECT_TRUE(MightPlace("large"));
}

// The queue refers to pending pods.
TEST_F(WhatIfTest, KeepsPendingPodsAndOthersOfTheSameName) {
  WhatIf what_if(harness_.engine());
  what_if.Delete(web_.ref());
  what_if.Put(MakePod("web").Uid("another").On("large").ref());
  EXPECT_EQ(what_if.size(), 0);
  EXPECT_EQ(harness_.Schedule(), 1);
}

TEST_F(WhatIfTest, UnknownNodesAreNotChosen) { EXPECT_FALSE(MightPlace("gone")); }

// The same answers as the full explanation, and after the reversal the same model.
TEST(WhatIfPropertyTest, EqualsExplanationsAndRevertsCompletely) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    ClusterGenerator generator(seed);
    const reference::Snapshot snapshot = generator.Snapshot(8);
    EngineHarness harness;
    for (const api::Object& object : ObjectsOf(snapshot)) harness.Put(object);
    harness.engine().DropCaches();  // Their rules use topology keys.
    const std::string before = Dump(harness.cluster());
    {
      WhatIf what_if(harness.engine());
      for (int i = 0; i < 20; ++i) {
        const RandomChange change = generator.Change(snapshot);
        if (change.removed) {
          what_if.Delete(change.object);
        } else {
          what_if.Put(change.object);
        }
        const auto pod = generator.WaitingPod(snapshot);
        const auto explanation = Require(harness.engine().Explain(pod, harness.now()));
        const auto& best = explanation.best_nodes;
        for (const auto& [node, row] : explanation.nodes) {
          EXPECT_EQ(Require(harness.engine().MightDecide(pod, node)),
                    std::ranges::find(best, node) != best.end())
              << "seed " << seed << ", pod " << pod->metadata.name << ", node " << node;
        }
        EXPECT_EQ(Require(harness.engine().MightDecide(pod, "")),
                  best.empty() && explanation.error.empty());
      }
    }
    harness.engine().DropCaches();
    EXPECT_EQ(Dump(harness.cluster()), before) << "seed " << seed;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
