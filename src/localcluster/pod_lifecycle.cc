#include "localcluster/pod_lifecycle.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "api/timestamp.h"
#include "apiserver/admission/strategy.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

using apiserver::admission::SetCondition;

namespace {

constexpr int64_t kFirstBackoffSeconds = 10;
constexpr int64_t kLongestBackoffSeconds = 300;
constexpr int64_t kKilled = 137;
constexpr std::string_view kEphemeral = "ephemeralContainers";
constexpr std::string_view kEphemeralStatuses = "ephemeralContainerStatuses";

const JsonObject* Annotations(const JsonObject& pod) {
  return ObjectAt(ObjectAt(&pod, "metadata"), "annotations");
}

std::optional<double> NumberIn(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return std::min(number, 1e9);
}

int64_t ExitCodeOf(const JsonObject& pod) {
  return static_cast<int64_t>(NumberIn(StringAt(Annotations(pod), kExitCode)).value_or(0));
}

// Returns how long its containers run; nullopt if forever.
std::optional<Duration> RunTimeOf(const JsonObject& pod, const PodTiming& timing) {
  const JsonObject* annotations = Annotations(pod);
  if (const auto seconds = NumberIn(StringAt(annotations, kRunSeconds))) {
    return Duration::FromSeconds(*seconds);
  }
  const JsonObject* owner = ControllerOf(ObjectAt(&pod, "metadata"));
  const bool ends = StringAt(owner, "kind") == "Job" || At(annotations, kExitCode);
  return ends ? std::optional(timing.job_run) : std::nullopt;
}

// All containers change state together, so the first one represents them.
const JsonObject* FirstContainer(const JsonObject& pod) {
  const JsonArray* statuses = ArrayAt(ObjectAt(&pod, "status"), "containerStatuses");
  return statuses && !statuses->empty() ? statuses->front().if_object() : nullptr;
}

PodStep DeletionStep(const JsonObject& pod, const PodTiming& timing) {
  const JsonObject* metadata = ObjectAt(&pod, "metadata");
  const Instant deletion = TimeAt(metadata, "deletionTimestamp").value_or(Instant{});
  const Duration grace =
      Duration::Seconds(IntAt(metadata, "deletionGracePeriodSeconds").value_or(0));
  const Instant requested = deletion - grace;
  return {PodStep::Action::kRemove, requested + std::min(grace, timing.stop_delay)};
}

void SetTerminated(JsonObject& state, std::string_view started, int64_t exit_code, Instant now) {
  state.clear();
  JsonObject& terminated = EnsureObject(state, "terminated");
  SetInt(terminated, "exitCode", exit_code);
  SetString(terminated, "reason", exit_code == 0 ? "Completed" : "Error");
  if (!started.empty()) SetString(terminated, "startedAt", started);
  SetString(terminated, "finishedAt", api::FormatTime(now));
}

void SetRunning(JsonObject& container, Instant now) {
  SetBool(container, "ready", true);
  SetBool(container, "started", true);
  JsonObject& state = EnsureObject(container, "state");
  state.clear();
  SetString(EnsureObject(state, "running"), "startedAt", api::FormatTime(now));
}

void SetReady(JsonObject& status, bool ready, std::string_view reason, std::string_view message,
              Instant now) {
  const std::string_view value = ready ? "True" : "False";
  SetCondition(status, "Ready", value, reason, message, now);
  SetCondition(status, "ContainersReady", value, reason, message, now);
}

// Adds the statuses of the containers from the n-th on, where n is the number of `statuses`.
void AddContainers(JsonObject& status, std::string_view key, const JsonObject& pod,
                   std::string_view spec_key, Instant now) {
  const auto containers = ObjectsAt(ObjectAt(&pod, "spec"), spec_key);
  if (containers.empty()) return;
  const bool init = spec_key == "initContainers";
  JsonArray& statuses = EnsureArray(status, key);
  for (size_t i = statuses.size(); i < containers.size(); ++i) {
    const JsonObject& container = containers[i];
    JsonObject& entry = statuses.emplace_back(boost::json::object_kind).get_object();
    const std::string name(StringAt(&container, "name"));
    const std::string image(StringAt(&container, "image"));
    SetString(entry, "name", name);
    SetInt(entry, "restartCount", 0);
    SetString(entry, "image", image);
    SetString(entry, "imageID", image);
    SetString(entry, "containerID",
              "berth://" + std::string(StringAt(ObjectAt(&pod, "metadata"), "uid")) + "/" + name);
    SetRunning(entry, now);
    if (init && StringAt(&container, "restartPolicy") != "Always") {
      SetBool(entry, "started", false);
      SetTerminated(EnsureObject(entry, "state"), api::FormatTime(now), 0, now);
    }
  }
}

// Calls `change` with the status of each regular container.
template <typename Change>
void ForEachContainer(JsonObject& status, Change change) {
  JsonArray* containers = ArrayAt(&status, "containerStatuses");
  for (size_t i = 0; containers && i < containers->size(); ++i) {
    if (JsonObject* container = (*containers)[i].if_object()) change(*container);
  }
}

std::string StartedAt(const JsonObject& container) {
  return std::string(StringAt(ObjectAt(ObjectAt(&container, "state"), "running"), "startedAt"));
}

void Finish(JsonObject& pod, int64_t exit_code, Instant now) {
  JsonObject& status = EnsureObject(pod, "status");
  const bool succeeded = exit_code == 0;
  SetString(status, "phase", succeeded ? "Succeeded" : "Failed");
  ForEachContainer(status, [&](JsonObject& container) {
    const std::string started = StartedAt(container);
    SetBool(container, "ready", false);
    SetBool(container, "started", false);
    SetTerminated(EnsureObject(container, "state"), started, exit_code, now);
  });
  SetReady(status, false, succeeded ? "PodCompleted" : "PodFailed", "", now);
  SetCondition(status, "PodReadyToStartContainers", "False", "", "", now);
}

Duration Backoff(int64_t restarts) {
  const int64_t doubled = kFirstBackoffSeconds << std::clamp<int64_t>(restarts, 0, 5);
  return Duration::Seconds(std::min(doubled, kLongestBackoffSeconds));
}

}  // namespace

std::optional<PodStep> NextStep(const JsonObject& pod, const PodTiming& timing) {
  using Action = PodStep::Action;
  const JsonObject* metadata = ObjectAt(&pod, "metadata");
  const JsonObject* status = ObjectAt(&pod, "status");
  const std::string_view phase = StringAt(status, "phase");
  const bool finished = phase == "Succeeded" || phase == "Failed";
  if (At(metadata, "deletionTimestamp")) {
    if (IntAt(metadata, "deletionGracePeriodSeconds").value_or(0) > 0) {
      return DeletionStep(pod, timing);
    }
    if (finished || EmptyAt(metadata, "finalizers")) return std::nullopt;
    return PodStep{Action::kStop, {}};
  }
  if (finished) return std::nullopt;
  const JsonObject* container = FirstContainer(pod);
  const JsonObject* state = ObjectAt(container, "state");
  if (phase != "Running") {
    const JsonObject* scheduled = ConditionOf(status, "PodScheduled");
    auto bound = TimeAt(scheduled, "lastTransitionTime");
    if (!bound) bound = TimeAt(metadata, "creationTimestamp");
    return PodStep{Action::kStart, bound.value_or(Instant{}) + timing.start_delay};
  }
  if (ObjectAt(state, "waiting")) {
    const JsonObject* last = ObjectAt(ObjectAt(container, "lastState"), "terminated");
    const Duration wait = Backoff(IntAt(container, "restartCount").value_or(0));
    return PodStep{Action::kRestart, TimeAt(last, "finishedAt").value_or(Instant{}) + wait};
  }
  if (timing.node_ready && !IsTrue(status, "Ready")) return PodStep{Action::kMarkReady, {}};
  const size_t debugged = ObjectsAt(status, kEphemeralStatuses).size();
  if (ObjectsAt(ObjectAt(&pod, "spec"), kEphemeral).size() > debugged) {
    return PodStep{Action::kDebug, {}};
  }
  const auto run = RunTimeOf(pod, timing);
  const auto started = TimeAt(ObjectAt(state, "running"), "startedAt");
  if (!run || !started) return std::nullopt;
  return PodStep{Action::kExit, *started + *run};
}

void StartPod(JsonObject& pod, std::string_view host_ip, std::string_view pod_ip, Instant now) {
  JsonObject& status = EnsureObject(pod, "status");
  if (const auto generation = IntAt(ObjectAt(&pod, "metadata"), "generation")) {
    SetInt(status, "observedGeneration", *generation);
  }
  SetString(status, "phase", "Running");
  SetCondition(status, "PodReadyToStartContainers", "True", "", "", now);
  SetCondition(status, "Initialized", "True", "", "", now);
  SetReady(status, true, "", "", now);
  SetCondition(status, "PodScheduled", "True", "", "", now);
  const auto set_address = [&](std::string_view one, std::string_view all, std::string_view ip) {
    if (ip.empty()) return;
    SetString(status, one, ip);
    JsonArray& list = status[all].emplace_array();
    SetString(list.emplace_back(boost::json::object_kind).get_object(), "ip", ip);
  };
  set_address("hostIP", "hostIPs", host_ip);
  set_address("podIP", "podIPs", pod_ip);
  SetString(status, "startTime", api::FormatTime(now));
  // Containers of a pod that starts have no status yet; what a client wrote there does not count.
  for (const std::string_view key : {"initContainerStatuses", "containerStatuses"}) {
    status.erase(key);
  }
  AddContainers(status, "initContainerStatuses", pod, "initContainers", now);
  AddContainers(status, "containerStatuses", pod, "containers", now);
}

void ExitPod(JsonObject& pod, Instant now) {
  const int64_t exit_code = ExitCodeOf(pod);
  const std::string_view policy = StringAt(ObjectAt(&pod, "spec"), "restartPolicy");
  const bool restarts = policy == "Always" || (policy == "OnFailure" && exit_code != 0);
  if (!restarts) return Finish(pod, exit_code, now);
  JsonObject& status = EnsureObject(pod, "status");
  ForEachContainer(status, [&](JsonObject& container) {
    const std::string started = StartedAt(container);
    SetBool(container, "ready", false);
    SetBool(container, "started", false);
    SetTerminated(EnsureObject(container, "lastState"), started, exit_code, now);
    JsonObject& state = EnsureObject(container, "state");
    state.clear();
    JsonObject& waiting = EnsureObject(state, "waiting");
    SetString(waiting, "reason", "CrashLoopBackOff");
    SetString(waiting, "message", "back-off restarting failed container");
  });
  SetReady(status, false, "ContainersNotReady", "containers with unready status", now);
}

void RestartPod(JsonObject& pod, Instant now) {
  JsonObject& status = EnsureObject(pod, "status");
  ForEachContainer(status, [&](JsonObject& container) {
    SetInt(container, "restartCount", IntAt(&container, "restartCount").value_or(0) + 1);
    SetRunning(container, now);
  });
  SetReady(status, true, "", "", now);
}

void StartEphemeralContainers(JsonObject& pod, Instant now) {
  JsonObject& status = EnsureObject(pod, "status");
  AddContainers(status, kEphemeralStatuses, pod, kEphemeral, now);
}

void MakePodReady(JsonObject& pod, Instant now) {
  SetReady(EnsureObject(pod, "status"), true, "", "", now);
}

void StopPod(JsonObject& pod, Instant now) { Finish(pod, kKilled, now); }

void RejectPod(JsonObject& pod, std::string_view reason, std::string_view message, Instant now) {
  JsonObject& status = EnsureObject(pod, "status");
  SetString(status, "phase", "Failed");
  SetString(status, "reason", reason);
  SetString(status, "message", message);
  SetString(status, "startTime", api::FormatTime(now));
}

}  // namespace berth::localcluster
