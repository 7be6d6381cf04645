// PodStages are the stages of `berth up --stages`: rules for the life of fake pods, in the words of
// KWOK. Each stage selects pods, and says what becomes of them at one moment of their life, and
// after which delay.
//
// Immutable after parsing. What is drawn, delays with jitter and stages by weight, depends only on
// a seed and on the pod.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/json.h"
#include "base/random.h"
#include "base/time.h"

namespace berth::localcluster {

// Stages are matched against pods whenever these change: together, the limits keep that to a
// millisecond.
inline constexpr size_t kMaxStageFileBytes = 1 << 20;
inline constexpr size_t kMaxStages = 256;
inline constexpr size_t kMaxStageRequirements = 32;  // Of one stage: labels, expressions and so on.
inline constexpr size_t kMaxRequirementValues = 100;
inline constexpr size_t kMaxPathSteps = 32;
inline constexpr uint32_t kMaxStageWeight = 1'000'000;
// Some thirty years: longer than any test, and far from the limits of time.
inline constexpr int64_t kMaxStageSeconds = 1'000'000'000;

// The moments of a pod's life that stages decide about.
enum class StageMoment : uint8_t {
  kStart,      // Delays count from its binding to a node.
  kReadiness,  // From the start of its containers, like kExit.
  kExit,
  kDeletion,  // From the request to delete it.
};

// What becomes of the pod, in the words of kubectl's column STATUS where that has one.
enum class StageStatus : uint8_t {
  kRunning,
  kImagePullBackOff,
  kReady,
  kNotReady,
  kCompleted,
  kError,
  kOomKilled,
  kKeepsRunning,
  kDeleted,
};
StageMoment MomentOf(StageStatus status);

// PodRandom draws numbers for one pod: the same seed, pod, purpose and repetition give the same.
struct PodRandom {
  uint64_t seed = 0;
  std::string pod = {};  // "default/web-0"

  Random For(std::string_view purpose, int64_t repetition = 0) const;
};

// A condition on the values that a path leads to in the pod's document.
struct StageRequirement {
  enum class Operator : uint8_t { kIn, kNotIn, kExists, kDoesNotExist };

  std::vector<std::string> path;  // The names of members; "" stands for all items of an array.
  Operator op = Operator::kExists;
  std::vector<std::string> values = {};

  bool Matches(const api::JsonObject& pod) const;
};

struct Stage {
  std::string name = {};
  std::vector<StageRequirement> requirements = {};  // All must match.
  uint32_t weight = 0;
  Duration delay = {};
  Duration longest_delay = {};  // Above `delay`: one between the two is drawn.
  StageStatus status = StageStatus::kRunning;
  int64_t exit_code = 0;
  int64_t times = 0;  // How often it happens to a pod; 0 is always.

  bool Matches(const api::JsonObject& pod) const;
  // Returns the delay for this pod; that of each repetition is drawn anew.
  Duration DelayOf(const PodRandom& random, int64_t repetition) const;
};

class PodStages {
 public:
  explicit PodStages(std::vector<Stage> stages = {}) : stages_(std::move(stages)) {}

  // Returns the stage that decides about the pod at the moment, or null: the first one that
  // matches. If that has a weight, one is drawn from all that match and have a weight. `repetition`
  // is how often the moment came before; stages that happen fewer times do not match.
  const Stage* Find(StageMoment moment, const api::JsonObject& pod, const PodRandom& random,
                    int64_t repetition = 0) const;

  const std::vector<Stage>& all() const { return stages_; }

 private:
  std::vector<Stage> stages_;
};

}  // namespace berth::localcluster
