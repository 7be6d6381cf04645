#include "engine/known_failures.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "support/objects.h"

namespace berth {
namespace BERTH_TEST_FILE {

class KnownFailuresTest : public testing::Test {
 protected:
  const PodRecord& Put(const api::Pod& pod) {
    return cluster_.pod(cluster_.PutPod(std::make_shared<const api::Pod>(pod)));
  }
  static Failure NoRoom() {
    Failure failure;
    failure.rejected = true;
    failure.message = "no room";
    return failure;
  }

  Cluster cluster_;
  KnownFailures known_{cluster_};
};

struct CopyCase {
  const char* name;
  std::function<void(api::Pod&)> change;
  bool known;
};

TEST_F(KnownFailuresTest, CopiesFailTheSameWay) {
  const CopyCase cases[] = {
      {"Copy", [](api::Pod&) {}, true},
      {"Annotations", [](api::Pod& p) { p.metadata.annotations["a"] = "b"; }, true},
      {"Labels", [](api::Pod& p) { p.metadata.labels["a"] = "b"; }, false},
      {"Priority", [](api::Pod& p) { p.spec.priority = 1; }, false},
      {"Requests",
       [](api::Pod& p) { p.spec.containers[0].resources.requests["cpu"] = Amount("9"); }, false},
      {"Namespace", [](api::Pod& p) { p.metadata.namespace_ = "other"; }, false},
      {"Controller",
       [](api::Pod& p) { p.metadata.owner_references = {{.uid = "rs", .controller = true}}; },
       false},
      {"Nominated", [](api::Pod& p) { p.status.nominated_node_name = "n1"; }, false},
      {"EphemeralVolume",
       [](api::Pod& p) { p.spec.volumes = {{"scratch", api::EphemeralSource{}}}; }, false},
  };
  for (const CopyCase& c : cases) {
    SCOPED_TRACE(c.name);
    api::Pod pod = MakePod("copy");
    c.change(pod);
    const PodRecord& copy = Put(pod);
    const PodRecord& first = Put(MakePod("first"));
    EXPECT_EQ(known_.Find(copy, 0), nullptr);
    known_.Add(first, 0, NoRoom());
    const Failure* failure = known_.Find(copy, 0);
    ASSERT_EQ(failure != nullptr, c.known);
    if (failure != nullptr) {
      EXPECT_EQ(failure->message, "no room");
    }
    EXPECT_EQ(known_.Find(copy, 1), nullptr) << "another profile";
  }
}

TEST_F(KnownFailuresTest, AnyChangeOfTheClusterMakesThemUnknown) {
  const PodRecord& pod = Put(MakePod("a"));
  const std::function<void()> changes[] = {
      [&] { cluster_.Put(MakeNode("n1").ref()); },
      [&] { cluster_.Put(MakePod("b").ref()); },
      [&] { cluster_.Remove<api::Pod>({"default", "b"}); },
      [&] { cluster_.Nominate(pod.id, cluster_.mutable_symbols().Intern("n1")); },
      [&] { cluster_.Nominate(pod.id, {}); },
      [&] { cluster_.Put(MakeObject<api::PersistentVolume>("pv")); },
      [&] { cluster_.Put(MakeObject<api::PodDisruptionBudget>("b", "default")); },
  };
  for (size_t i = 0; i < std::size(changes); ++i) {
    SCOPED_TRACE(i);
    known_.Add(pod, 0, NoRoom());
    changes[i]();
    EXPECT_EQ(known_.Find(pod, 0), nullptr);
  }
}

TEST_F(KnownFailuresTest, PodThatWasPromisedRoomSpeaksForItselfOnly) {
  const PodRecord& first = Put(MakePod("first"));
  const PodRecord& copy = Put(MakePod("copy"));
  Failure failure = NoRoom();
  failure.nomination.node = cluster_.mutable_symbols().Intern("n1");
  known_.Add(first, 0, failure);
  EXPECT_EQ(known_.Find(copy, 0), nullptr);
}

// What went wrong once may go well the next time, though nothing has changed.
TEST_F(KnownFailuresTest, ErrorsAreNotKept) {
  const PodRecord& pod = Put(MakePod("a"));
  Failure failure = NoRoom();
  failure.rejected = false;
  known_.Add(pod, 0, failure);
  EXPECT_EQ(known_.Find(pod, 0), nullptr);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
