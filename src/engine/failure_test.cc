#include "engine/failure.h"

#include <gtest/gtest.h>

#include <string>

#include "support/objects.h"

namespace berth {
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

TEST(Failure, ConditionSaysWhetherPluginsOrErrorsStoppedThePod) {
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
  const char* announced;  // What the API was told since.
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
}  // namespace berth
