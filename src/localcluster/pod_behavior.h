// PodBehavior says how long a fake pod takes to start, to become ready, to run and to end, and with
// which outcome: by its annotations, else by the stages, else by the defaults of the cluster.
//
// It is a view of the pod's document, which must outlive it, like the options. Computes on demand:
// without annotations and stages, a question costs a few lookups.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/json.h"
#include "base/time.h"
#include "localcluster/local_cluster.h"
#include "localcluster/pod_stages.h"

namespace berth::localcluster {

// Annotations of pods. Times are seconds, with decimals.
//
// From the binding of the pod to the start of its containers.
inline constexpr std::string_view kStartSeconds = "berth.dev/start-seconds";
// How often the images cannot be pulled before the containers start; or "always".
inline constexpr std::string_view kImagePullFailures = "berth.dev/image-pull-failures";
// From the start of the containers until they are ready; or "never".
inline constexpr std::string_view kReadySeconds = "berth.dev/ready-seconds";
// From the start of the containers until they exit; or "forever". By default, those of Jobs and of
// pods with one of the next two run for LocalClusterOptions::job_run, others forever.
inline constexpr std::string_view kRunSeconds = "berth.dev/run-seconds";
// With which code they exit: 0 by default.
inline constexpr std::string_view kExitCode = "berth.dev/exit-code";
// How often they do so, if they are restarted; after that they run as if not annotated.
inline constexpr std::string_view kExitTimes = "berth.dev/exit-times";
// From the deletion of the pod to the end of its containers, which are killed when the grace period
// is over.
inline constexpr std::string_view kStopSeconds = "berth.dev/stop-seconds";

class PodBehavior {
 public:
  static constexpr int64_t kAlways = std::numeric_limits<int64_t>::max();

  struct Start {
    Duration delay = {};
    int64_t failed_pulls = 0;  // Or kAlways.
  };
  struct Exit {
    Duration after = {};
    int64_t code = 0;
    std::string_view reason = {};  // "Completed", "Error" or "OOMKilled".
  };

  PodBehavior(const api::JsonObject& pod, const LocalClusterOptions& options, PodRandom random);

  Start start() const;
  // From the start of the containers; nullopt if they never become ready. `restarts` is how often
  // the containers were restarted.
  std::optional<Duration> ready_delay(int64_t restarts) const;
  // Nullopt if the containers run forever.
  std::optional<Exit> exit(int64_t restarts) const;
  Duration stop_delay() const;

  // Returns what is wrong with the first annotation of these that has an invalid value or a
  // misspelt name; "" if nothing is. The functions above ignore such annotations.
  std::string problem() const;

 private:
  // Returns the annotation's number, infinity for its word; nullopt if absent or invalid.
  std::optional<double> Value(std::string_view annotation) const;
  const Stage* StageAt(StageMoment moment, int64_t restarts = 0) const;

  const api::JsonObject& pod_;
  const api::JsonObject* annotations_;
  const LocalClusterOptions& options_;
  PodRandom random_;
};

}  // namespace berth::localcluster
