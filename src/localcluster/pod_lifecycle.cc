#include "localcluster/pod_lifecycle.h"

#include <algorithm>

#include "localcluster/object_json.h"
#include "localcluster/pod_status.h"

namespace berth::localcluster {

namespace {

using Action = PodStep::Action;

// The backoffs of a kubelet, between pulls of an image and between restarts of a container.
constexpr Duration kFirstBackoff = Duration::Seconds(10);
constexpr Duration kLongestBackoff = Duration::Seconds(300);
// A container that ran for so long has no backoff when it exits.
constexpr Duration kBackoffReset = kLongestBackoff * 2;
// How long a kubelet takes to react to a container that exited or an image that was not pulled: the
// period in which it lists containers.
constexpr Duration kReaction = Duration::Seconds(1);
constexpr int64_t kTerminatedCode = 143;  // By SIGTERM.
constexpr int64_t kKilledCode = 137;      // By SIGKILL.

// Returns 10 s, 20 s, 40 s and so on, for n = 0, 1, 2.
Duration DoubledBackoff(int64_t n) {
  return std::min(kFirstBackoff * (int64_t{1} << std::clamp<int64_t>(n, 0, 5)), kLongestBackoff);
}

// Returns when the image is pulled for the n-th time, if the first time is `first`.
Instant PullTime(Instant first, int64_t n) {
  Instant time = first;
  int64_t pulls = 1;
  for (; pulls < n && DoubledBackoff(pulls - 1) < kLongestBackoff; ++pulls) {
    time += DoubledBackoff(pulls - 1);
  }
  return time + kLongestBackoff * (n - pulls);
}

// LifecycleReader finds the next step of one pod.
class LifecycleReader {
 public:
  LifecycleReader(const JsonObject& pod, const PodBehavior& behavior, const KubeletView& view)
      : pod_(pod),
        metadata_(ObjectAt(&pod, "metadata")),
        status_(ObjectAt(&pod, "status")),
        phase_(StringAt(status_, "phase")),
        behavior_(behavior),
        view_(view) {
    // All containers change state together, so the first one represents them.
    const JsonArray* statuses = ArrayAt(status_, "containerStatuses");
    if (statuses && !statuses->empty()) container_ = statuses->front().if_object();
    state_ = ObjectAt(container_, "state");
    restarts_ = std::max<int64_t>(0, IntAt(container_, "restartCount").value_or(0));
  }

  std::optional<PodStep> Next() const {
    if (At(metadata_, "deletionTimestamp")) return NextOfDeleted();
    if (finished()) return std::nullopt;
    if (phase_ != "Running") return NextOfPending();
    if (const JsonObject* terminated = ObjectAt(state_, "terminated"))
      return AfterExit(*terminated);
    if (ObjectAt(state_, "waiting")) {
      const JsonObject* last = ObjectAt(ObjectAt(container_, "lastState"), "terminated");
      const Instant finished = TimeAt(last, "finishedAt").value_or(Instant{});
      return Restart(finished + DoubledBackoff(restarts_ - 1));
    }
    return NextOfRunning();
  }

 private:
  bool finished() const { return phase_ == "Succeeded" || phase_ == "Failed"; }

  // Returns the instant that a timestamp of the pod stands for.
  Instant Exact(Instant timestamp) const {
    return view_.pod_changed && timestamp == view_.now.FloorToSecond() ? view_.now : timestamp;
  }

  std::optional<PodStep> NextOfDeleted() const {
    const Duration grace =
        Duration::Seconds(IntAt(metadata_, "deletionGracePeriodSeconds").value_or(0));
    if (grace <= Duration{}) {
      if (finished() || EmptyAt(metadata_, "finalizers")) return std::nullopt;
      return PodStep{.action = Action::kStop, .exit_code = kKilledCode};
    }
    if (finished()) return PodStep{.action = Action::kRemove};
    const Instant deletion = TimeAt(metadata_, "deletionTimestamp").value_or(Instant{});
    const Duration delay = behavior_.stop_delay();
    const Instant end = Exact(deletion - grace) + std::min(grace, delay);
    // Without a delay, the object goes at once: nobody could see its containers end.
    if (delay <= Duration{} || phase_ != "Running") {
      return PodStep{.action = Action::kRemove, .at = end};
    }
    return PodStep{.action = Action::kStop,
                   .at = end,
                   .exit_code = delay > grace ? kKilledCode : kTerminatedCode};
  }

  std::optional<PodStep> NextOfPending() const {
    if (std::string problem = behavior_.problem(); !problem.empty()) {
      const JsonObject* waiting = ObjectAt(state_, "waiting");
      if (StringAt(waiting, "message") == problem) return std::nullopt;
      return PodStep{.action = Action::kRefuse, .problem = std::move(problem)};
    }
    const PodBehavior::Start start = behavior_.start();
    const bool waits = start.delay > Duration{} || start.failed_pulls > 0;
    if (!waits) return Start({});
    if (!container_) return PodStep{.action = Action::kCreate};
    const Instant created = TimeAt(status_, "startTime").value_or(Instant{});
    const Instant first = Exact(created) + start.delay;
    return start.failed_pulls > 0 ? NextPull(first, start.failed_pulls) : Start(first);
  }

  PodStep Start(Instant at) const {
    return {.action = Action::kStart, .at = at, .ready = ReadyAtOnce(0)};
  }

  // Returns the step of a pod whose images are pulled from `first` on, without success the first
  // `failures` times.
  PodStep NextPull(Instant first, int64_t failures) const {
    const JsonObject* waiting = ObjectAt(state_, "waiting");
    const std::string_view reason = StringAt(waiting, "reason");
    if (reason != kErrImagePull && reason != kImagePullBackOff) {
      return {.action = Action::kFailPull, .at = first, .pull = 1};
    }
    const int64_t pull = PullNumberIn(StringAt(waiting, "message"));
    if (reason == kErrImagePull) {
      return {
          .action = Action::kBackOffPull, .at = PullTime(first, pull) + kReaction, .pull = pull};
    }
    const Instant next = PullTime(first, pull + 1);
    if (pull >= failures) return Start(next);
    return {.action = Action::kFailPull, .at = next, .pull = pull + 1};
  }

  std::optional<PodStep> AfterExit(const JsonObject& terminated) const {
    const Instant finished = TimeAt(&terminated, "finishedAt").value_or(Instant{});
    const Instant started = TimeAt(&terminated, "startedAt").value_or(finished);
    // A kubelet restarts a container at once when it exits for the first time.
    if (restarts_ == 0 || finished - started > kBackoffReset) return Restart(finished + kReaction);
    return PodStep{.action = Action::kBackOff,
                   .at = finished + kReaction,
                   .backoff = DoubledBackoff(restarts_ - 1)};
  }

  PodStep Restart(Instant at) const {
    return {.action = Action::kRestart, .at = at, .ready = ReadyAtOnce(restarts_ + 1)};
  }

  bool ReadyAtOnce(int64_t restarts) const {
    const auto delay = behavior_.ready_delay(restarts);
    return delay && *delay <= Duration{};
  }

  std::optional<PodStep> NextOfRunning() const {
    const size_t debugged = ObjectsAt(status_, kEphemeralStatuses).size();
    if (ObjectsAt(ObjectAt(&pod_, "spec"), kEphemeralContainers).size() > debugged) {
      return PodStep{.action = Action::kDebug};
    }
    std::optional<PodStep> next;
    const auto timestamp = TimeAt(ObjectAt(state_, "running"), "startedAt");
    const Instant started = Exact(timestamp.value_or(Instant{}));
    if (view_.node_ready && !IsTrue(status_, "Ready")) {
      if (const auto delay = behavior_.ready_delay(restarts_)) {
        next = PodStep{.action = Action::kMarkReady, .at = started + *delay};
      }
    }
    const auto exit = timestamp ? behavior_.exit(restarts_) : std::nullopt;
    if (!exit || (next && next->at < started + exit->after)) return next;
    return PodStep{.action = Action::kExit,
                   .at = started + exit->after,
                   .exit_code = exit->code,
                   .exit_reason = exit->reason};
  }

  const JsonObject& pod_;
  const JsonObject* metadata_;
  const JsonObject* status_;
  std::string_view phase_;
  const PodBehavior& behavior_;
  const KubeletView& view_;
  const JsonObject* container_ = nullptr;
  const JsonObject* state_ = nullptr;
  int64_t restarts_ = 0;
};

}  // namespace

std::optional<PodStep> NextStep(const JsonObject& pod, const PodBehavior& behavior,
                                const KubeletView& view) {
  return LifecycleReader(pod, behavior, view).Next();
}

}  // namespace berth::localcluster
