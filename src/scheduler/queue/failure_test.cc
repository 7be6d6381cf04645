#include "scheduler/queue/failure.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "scheduler/model/cluster.h"
#include "testing/object_builders.h"

namespace berth::scheduler::queue {
namespace BERTH_TEST_FILE {

constexpr Instant kNow = Instant::FromUnixSeconds(2000);
constexpr Instant kThen = Instant::FromUnixSeconds(1000);

Failure Rejection(std::string message) {
  Failure failure;
  failure.rejected = true;
  failure.message = std::move(message);
  return failure;
}

struct NoteCase {
  const char* name;
  std::string message;
  std::string want;
};

TEST(Failure, NoteIsCutAt1024Bytes) {
  const NoteCase cases[] = {
      {"Short", "no room", "no room"},
      {"JustFits", std::string(1024, 'x'), std::string(1024, 'x')},
      {"OneTooMany", std::string(1025, 'x'), std::string(1020, 'x') + " ..."},
      {"Long", std::string(5000, 'x'), std::string(1020, 'x') + " ..."},
  };
  for (const NoteCase& c : cases) EXPECT_EQ(Rejection(c.message).Note(), c.want) << c.name;
}

TEST(Failure, ConditionDistinguishesRejectionsFromErrors) {
  EXPECT_EQ(Rejection("x").Reason(), "Unschedulable");
  EXPECT_EQ(Failure().Reason(), "SchedulerError");
}

TEST(Failure, FirstFailureIsWrittenInFull) {
  api::Pod pod = MakePod("web");
  pod.metadata.generation = 7;
  const std::string message(3000, 'x');
  const auto patch = StatusAfter(Rejection(message), pod, "", kNow);
  ASSERT_TRUE(patch.has_value());
  EXPECT_EQ(patch->pod, (api::ObjectKey{"default", "web"}));
  EXPECT_EQ(patch->uid, "uid-of-web");
  EXPECT_EQ(patch->nominated_node_name, std::nullopt);
  ASSERT_TRUE(patch->condition.has_value());
  EXPECT_EQ(*patch->condition, (api::PodCondition{.type = "PodScheduled",
                                                  .status = "False",
                                                  .reason = "Unschedulable",
                                                  .message = message,
                                                  .last_transition_time = kNow,
                                                  .observed_generation = 7}));
}

struct ConditionCase {
  const char* name;
  const char* status;
  const char* reason;
  const char* message;
  std::optional<Instant> want;  // The transition time that is written; none if nothing is.
};

TEST(Failure, ConditionIsWrittenWhenItChanges) {
  const ConditionCase cases[] = {
      {"Unchanged", "False", "Unschedulable", "no room", std::nullopt},
      {"OtherMessage", "False", "Unschedulable", "no memory", kThen},
      {"OtherReason", "False", "SchedulingGated", "no room", kThen},
      {"OtherStatus", "True", "Unschedulable", "no room", kNow},
  };
  for (const ConditionCase& c : cases) {
    SCOPED_TRACE(c.name);
    api::Pod pod = MakePod("web");
    pod.status.conditions = {{.type = "Ready", .status = "True", .last_transition_time = kNow},
                             {.type = "PodScheduled",
                              .status = c.status,
                              .reason = c.reason,
                              .message = c.message,
                              .last_transition_time = kThen}};
    const auto patch = StatusAfter(Rejection("no room"), pod, "", kNow);
    EXPECT_EQ(patch.has_value(), c.want.has_value());
    if (patch && c.want) {
      EXPECT_EQ(patch->condition->last_transition_time, c.want);
    }
  }
}

struct NominationCase {
  const char* name;
  bool replace;           // False: keep what the pod has.
  const char* nominated;  // What it is replaced by.
  const char* announced;  // The nominated node that was written since.
  const char* has;
  std::optional<std::string> want;
};

TEST(Failure, NominatedNodeIsWrittenWhenItChanges) {
  const NominationCase cases[] = {
      {"KeepsNothing", false, "", "", "", std::nullopt},
      {"KeepsWhatItHas", false, "", "", "n1", std::nullopt},
      {"ClearsNothing", true, "", "", "", std::nullopt},
      {"Clears", true, "", "", "n1", ""},
      {"Sets", true, "n2", "", "", "n2"},
      {"Replaces", true, "n2", "", "n1", "n2"},
      {"SetsWhatItHas", true, "n1", "", "n1", std::nullopt},
      {"ClearsWhatWasAnnouncedButNotSeen", true, "", "n1", "", ""},
      {"ClearsWhatWasAnnouncedAndSeen", true, "", "n1", "n1", ""},
      {"KeepsWhatWasAnnounced", false, "", "n1", "", std::nullopt},
  };
  for (const NominationCase& c : cases) {
    SCOPED_TRACE(c.name);
    api::Pod pod = MakePod("web").Nominated(c.has);
    pod.status.conditions = {{.type = "PodScheduled",
                              .status = "False",
                              .reason = "Unschedulable",
                              .message = "no room",
                              .last_transition_time = kThen}};
    Failure failure = Rejection("no room");
    failure.nomination.replace = c.replace;
    failure.announced = c.announced;
    const auto patch = StatusAfter(failure, pod, c.nominated, kNow);
    EXPECT_EQ(patch.has_value(), c.want.has_value());
    if (patch) {
      EXPECT_EQ(patch->nominated_node_name, c.want);
      EXPECT_EQ(patch->condition, std::nullopt);
    }
  }
}

}  // namespace BERTH_TEST_FILE
namespace BERTH_TEST_FILE {

class FailureCacheTest : public testing::Test {
 protected:
  const model::PodRecord& Put(const api::Pod& pod) {
    return cluster_.pod(cluster_.PutPod(std::make_shared<const api::Pod>(pod)));
  }
  static Failure Insufficient() {
    Failure failure;
    failure.rejected = true;
    failure.message = "no room";
    return failure;
  }

  model::Cluster cluster_;
  FailureCache known_{cluster_};
};

struct CopyCase {
  const char* name;
  std::function<void(api::Pod&)> change;
  bool known;
};

TEST_F(FailureCacheTest, CopiesFailTheSameWay) {
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
    const model::PodRecord& copy = Put(pod);
    const model::PodRecord& first = Put(MakePod("first"));
    known_.Clear();
    known_.Add(first, 0, Insufficient());
    const Failure* failure = known_.Find(copy, 0);
    ASSERT_EQ(failure != nullptr, c.known);
    if (failure != nullptr) {
      EXPECT_EQ(failure->message, "no room");
    }
    EXPECT_EQ(known_.Find(copy, 1), nullptr) << "another profile";
  }
}

// What a claim has to offer changes without the pods.
TEST_F(FailureCacheTest, CopiesWithClaimsAreTriedEach) {
  api::Pod pod = MakePod("first");
  pod.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "shared"}};
  const model::PodRecord first = Put(pod);
  pod.metadata.name = "copy";
  pod.metadata.uid = "uid-of-copy";
  const model::PodRecord copy = Put(pod);
  known_.Add(first, 0, Insufficient());
  EXPECT_EQ(known_.Find(copy, 0), nullptr);
}

TEST_F(FailureCacheTest, CopiesThatWereNominatedInMemoryAreTriedThere) {
  cluster_.Put(MakeNode("n1").ref());
  const model::PodRecord first = Put(MakePod("first"));
  const model::PodRecord copy = Put(MakePod("copy"));
  cluster_.NominateByName(copy.id, "n1");
  known_.Add(first, 0, Insufficient());
  EXPECT_NE(known_.Find(first, 0), nullptr);
  EXPECT_EQ(known_.Find(copy, 0), nullptr);
}

TEST_F(FailureCacheTest, LongMessagesDoNotAccumulate) {
  std::vector<model::PodRecord> pods;
  for (int i = 0; i < 10; ++i) pods.push_back(Put(MakePod("p" + std::to_string(i)).Priority(i)));
  Failure failure = Insufficient();
  failure.message = std::string(300'000, 'x');
  for (const model::PodRecord& pod : pods) known_.Add(pod, 0, failure);
  int cached = 0;
  for (const model::PodRecord& pod : pods) cached += known_.Find(pod, 0) != nullptr;
  EXPECT_GE(cached, 1);
  EXPECT_LE(cached, 4);
}

TEST_F(FailureCacheTest, AnyChangeThatOthersSeeInvalidatesThem) {
  const model::PodRecord& pod = Put(MakePod("a"));
  const model::PodRecord& other = Put(MakePod("b"));
  const std::function<void()> changes[] = {
      [&] { cluster_.Put(MakeNode("n1").ref()); },
      [&] { cluster_.Put(MakePod("c").On("n1").ref()); },
      [&] { cluster_.Remove<api::Pod>({"default", "c"}); },
      // Classes and labels that nobody has leave their numbers to others.
      [&] { cluster_.Put(MakePod("b").Label("app", "web").ref()); },
      [&] { cluster_.Put(MakePod("b").Label("app", "web").Priority(1).ref()); },
      [&] { cluster_.NominateByName(other.id, "n1"); },
      [&] { cluster_.Put(MakePod("b").Label("app", "web").Priority(1).ref()); },
      [&] { cluster_.Nominate(other.id, {}); },
      [&] { cluster_.Remove<api::Pod>({"default", "b"}); },
      [&] { cluster_.Put(MakeObject<api::PersistentVolume>("pv")); },
      [&] { cluster_.Put(MakeObject<api::PodDisruptionBudget>("b", "default")); },
  };
  for (size_t i = 0; i < std::size(changes); ++i) {
    SCOPED_TRACE(i);
    known_.Add(pod, 0, Insufficient());
    changes[i]();
    EXPECT_EQ(known_.Find(pod, 0), nullptr);
  }
}

// Each of ten thousand pods that fail gets its condition before the next is tried.
TEST_F(FailureCacheTest, PodsThatWaitDoNotInvalidateThem) {
  const model::PodRecord& pod = Put(MakePod("a"));
  known_.Add(pod, 0, Insufficient());
  api::Pod failed = MakePod("a");
  failed.status.conditions = {{.type = "PodScheduled", .status = "False"}};
  Put(failed);
  EXPECT_NE(known_.Find(pod, 0), nullptr);
  Put(MakePod("b"));
  EXPECT_NE(known_.Find(pod, 0), nullptr);
}

TEST_F(FailureCacheTest, MembersOfGroupsInvalidateThem) {
  model::Cluster cluster({.generic_workload = true});
  FailureCache known(cluster);
  const auto put = [&](const api::Pod& pod) {
    return cluster.pod(cluster.PutPod(std::make_shared<const api::Pod>(pod)));
  };
  const model::PodRecord pod = put(MakePod("a"));
  known.Add(pod, 0, Insufficient());
  put(MakePod("b"));
  EXPECT_NE(known.Find(pod, 0), nullptr);
  put(MakePod("c").InGroup("g"));
  EXPECT_EQ(known.Find(pod, 0), nullptr);
}

TEST_F(FailureCacheTest, FailureOfANominatedPodIsNotShared) {
  const model::PodRecord& first = Put(MakePod("first"));
  const model::PodRecord& copy = Put(MakePod("copy"));
  Failure failure = Insufficient();
  SymbolHolder holder(cluster_.mutable_symbols());
  failure.nomination.node = holder.Intern("n1");
  known_.Add(first, 0, failure);
  EXPECT_EQ(known_.Find(copy, 0), nullptr);
}

// What went wrong once may go well the next time, though nothing has changed.
TEST_F(FailureCacheTest, ErrorsAreNotCached) {
  const model::PodRecord& pod = Put(MakePod("a"));
  Failure failure = Insufficient();
  failure.rejected = false;
  known_.Add(pod, 0, failure);
  EXPECT_EQ(known_.Find(pod, 0), nullptr);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::queue
