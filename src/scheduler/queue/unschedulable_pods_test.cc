#include "scheduler/queue/unschedulable_pods.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "testing/object_builders.h"
#include "testing/scripted_engine.h"

namespace berth::scheduler::queue {
namespace BERTH_TEST_FILE {

using Names = std::vector<std::string>;

class UnschedulablePodsTest : public testing::Test {
 protected:
  QueueEntry& Entry(const api::Pod& pod) {
    QueueEntry& entry = entries_.emplace_back();
    entry.order = {cluster_.PutPod(std::make_shared<const api::Pod>(pod)), pod.priority(),
                   Instant::FromUnixSeconds(1000), entries_.size()};
    entry.rejectors.unschedulable = 1;
    return entry;
  }
  QueueEntry& MakeUnschedulable(const api::Pod& pod) {
    QueueEntry& entry = Entry(pod);
    unschedulable_.Insert(entry);
    return entry;
  }
  size_t groups() const {
    size_t count = 0;
    unschedulable_.ForEachGroup([&](const UnschedulablePods::Group&) { ++count; });
    return count;
  }
  Names NamesOf(const std::vector<QueueEntry*>& entries) const {
    Names names;
    for (const QueueEntry* entry : entries)
      names.push_back(cluster_.pod(entry->order.pod).object->metadata.name);
    return names;
  }

  model::Cluster cluster_;
  UnschedulablePods unschedulable_{cluster_};
  std::deque<QueueEntry> entries_;
};

TEST_F(UnschedulablePodsTest, TenThousandCopiesAreOneGroup) {
  for (int i = 0; i < 10'000; ++i)
    MakeUnschedulable(MakePod(fmt::format("p{}", i)).Request("cpu", "1").Label("app", "a"));
  EXPECT_EQ(groups(), 1u);
  EXPECT_EQ(unschedulable_.size(), 10'000u);
}

struct GroupCase {
  const char* name;
  std::function<void(api::Pod&)> change_pod;
  std::function<void(QueueEntry&)> change_entry;
  size_t want;
};

TEST_F(UnschedulablePodsTest, GroupsByWhatHintsMayDependOn) {
  const auto gate = std::make_shared<GateScript>();
  const FakeGate a_gate("gate", gate);
  const GroupCase cases[] = {
      {"Copy", {}, {}, 1},
      {"Priority", [](api::Pod& p) { p.spec.priority = 5; }, {}, 2},
      {"Requests",
       [](api::Pod& p) { p.spec.containers[0].resources.requests["cpu"] = Amount("3"); },
       {},
       2},
      {"Labels", [](api::Pod& p) { p.metadata.labels["x"] = "1"; }, {}, 2},
      {"Namespace", [](api::Pod& p) { p.metadata.namespace_ = "other"; }, {}, 2},
      {"Controller",
       [](api::Pod& p) { p.metadata.owner_references = {{.uid = "rs-1", .controller = true}}; },
       {},
       2},
      {"OwnerThatIsNoController",
       [](api::Pod& p) { p.metadata.owner_references = {{.uid = "rs-1"}}; },
       {},
       1},
      {"EphemeralVolume",
       [](api::Pod& p) { p.spec.volumes = {{"scratch", api::EphemeralSource{}}}; },
       {},
       2},
      {"Annotations", [](api::Pod& p) { p.metadata.annotations["x"] = "1"; }, {}, 1},
      {"OtherRejector", {}, [](QueueEntry& e) { e.rejectors.unschedulable = 2; }, 2},
      {"PendingOnTheRejector", {}, [](QueueEntry& e) { e.rejectors = {0, 1}; }, 2},
      {"Gate", {}, [&](QueueEntry& e) { e.gate = &a_gate; }, 2},
      {"Profile", {}, [](QueueEntry& e) { e.profile = 1; }, 2},
      {"Age", {}, [](QueueEntry& e) { e.order.timestamp = {}; }, 1},
  };
  for (const GroupCase& c : cases) {
    SCOPED_TRACE(c.name);
    QueueEntry& plain = MakeUnschedulable(MakePod("plain"));
    api::Pod pod = MakePod("other");
    if (c.change_pod) c.change_pod(pod);
    QueueEntry& other = Entry(pod);
    if (c.change_entry) c.change_entry(other);
    unschedulable_.Insert(other);
    EXPECT_EQ(groups(), c.want);
    EXPECT_EQ(unschedulable_.gated(), other.gate != nullptr ? 1u : 0u);
    unschedulable_.Erase(plain);
    unschedulable_.Erase(other);
    EXPECT_EQ(groups(), 0u);
    EXPECT_EQ(unschedulable_.gated(), 0u);
  }
}

// Each pod's ephemeral volumes are named after it.
TEST_F(UnschedulablePodsTest, HintsAreCalledForEachCopyWithEphemeralVolumes) {
  for (const char* name : {"a", "b"}) {
    api::Pod pod = MakePod(name);
    pod.spec.volumes = {{"scratch", api::EphemeralSource{}}};
    MakeUnschedulable(pod);
  }
  EXPECT_EQ(groups(), 2u);
}

TEST_F(UnschedulablePodsTest, EntryMayChangeBeforeItIsTakenOut) {
  QueueEntry& entry = MakeUnschedulable(MakePod("a"));
  MakeUnschedulable(MakePod("b"));
  cluster_.PutPod(MakePod("a").Label("x", "y").ref());
  entry.rejectors.unschedulable = 4;
  entry.order.timestamp = {};
  entry.flushed = Instant::FromUnixSeconds(5000);
  unschedulable_.Erase(entry);
  EXPECT_EQ(unschedulable_.size(), 1u);
  EXPECT_EQ(groups(), 1u);
  EXPECT_EQ(unschedulable_.oldest(), Instant::FromUnixSeconds(1000));
}

TEST_F(UnschedulablePodsTest, AnyMemberMayLeaveItsGroup) {
  std::vector<QueueEntry*> all;
  for (const char* name : {"a", "b", "c", "d"}) all.push_back(&MakeUnschedulable(MakePod(name)));
  for (size_t leaves : {1u, 0u, 3u}) unschedulable_.Erase(*all[leaves]);
  Names left;
  unschedulable_.ForEachGroup(
      [&](const UnschedulablePods::Group& group) { left = NamesOf(group.members); });
  EXPECT_EQ(left, Names({"c"}));
}

TEST_F(UnschedulablePodsTest, ListsPodsThatWaitForLong) {
  const auto at = [](int64_t second) { return Instant::FromUnixSeconds(second); };
  const auto park = [&](const char* name, int64_t since, int64_t flushed) {
    QueueEntry& entry = Entry(MakePod(name));
    entry.order.timestamp = at(since);
    if (flushed > 0) entry.flushed = at(flushed);
    unschedulable_.Insert(entry);
  };
  park("new", 400, 0);
  park("flushed", 100, 300);  // Counts from when it was last requeued.
  park("old", 200, 0);
  park("as-old", 200, 0);
  EXPECT_EQ(unschedulable_.oldest(), at(200));
  EXPECT_EQ(NamesOf(unschedulable_.UnschedulableSince(at(199))), Names());
  EXPECT_EQ(NamesOf(unschedulable_.UnschedulableSince(at(200))), Names({"old", "as-old"}));
  EXPECT_EQ(NamesOf(unschedulable_.UnschedulableSince(at(300))),
            Names({"old", "as-old", "flushed"}));
  EXPECT_EQ(NamesOf(unschedulable_.UnschedulableSince(at(999))),
            Names({"old", "as-old", "flushed", "new"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::queue
