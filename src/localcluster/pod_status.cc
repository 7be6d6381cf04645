#include "localcluster/pod_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/selector.h"
#include "api/timestamp.h"
#include "apiserver/admission/strategy.h"
#include "base/go_duration.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

using apiserver::admission::SetCondition;

namespace {

constexpr std::string_view kInit = "initContainers";
constexpr std::string_view kInitStatuses = "initContainerStatuses";
constexpr std::string_view kRegular = "containers";
constexpr std::string_view kRegularStatuses = "containerStatuses";

// A client may write any number into a status. After so many pulls, thirty years have passed.
constexpr int64_t kMaxPulls = 3'000'000;

void SetTerminated(JsonObject& state, std::string_view started, int64_t exit_code,
                   std::string_view reason, Instant now) {
  state.clear();
  JsonObject& terminated = EnsureObject(state, "terminated");
  SetInt(terminated, "exitCode", exit_code);
  SetString(terminated, "reason", reason);
  if (!started.empty()) SetString(terminated, "startedAt", started);
  SetString(terminated, "finishedAt", api::FormatTime(now));
}

void SetRunning(JsonObject& container, bool ready, Instant now) {
  SetBool(container, "ready", ready);
  SetBool(container, "started", true);
  JsonObject& state = EnsureObject(container, "state");
  state.clear();
  SetString(EnsureObject(state, "running"), "startedAt", api::FormatTime(now));
}

void SetWaiting(JsonObject& container, std::string_view reason, std::string_view message) {
  SetBool(container, "ready", false);
  SetBool(container, "started", false);
  JsonObject& state = EnsureObject(container, "state");
  state.clear();
  JsonObject& waiting = EnsureObject(state, "waiting");
  SetString(waiting, "reason", reason);
  if (!message.empty()) SetString(waiting, "message", message);
}

// Adds statuses for the containers from the n-th on, where n is the number of statuses, and calls
// `set_state` with each.
template <typename SetState>
void AddContainers(JsonObject& status, std::string_view key, const JsonObject& pod,
                   std::string_view spec_key, SetState set_state) {
  const auto containers = ObjectsAt(ObjectAt(&pod, "spec"), spec_key);
  if (containers.empty()) return;
  JsonArray& statuses = EnsureArray(status, key);
  for (size_t i = statuses.size(); i < containers.size(); ++i) {
    const JsonObject& container = containers[i];
    JsonObject& entry = statuses.emplace_back(boost::json::object_kind).get_object();
    SetString(entry, "name", StringAt(&container, "name"));
    SetInt(entry, "restartCount", 0);
    SetString(entry, "image", StringAt(&container, "image"));
    SetString(entry, "imageID", "");
    set_state(entry, container);
  }
}

// Makes the container, which is new, one that has started.
void SetStarted(JsonObject& entry, const JsonObject& pod, bool ready, Instant now) {
  const std::string image(StringAt(&entry, "image"));
  SetString(entry, "imageID", image);
  SetString(entry, "containerID",
            fmt::format("berth://{}/{}", StringAt(ObjectAt(&pod, "metadata"), "uid"),
                        StringAt(&entry, "name")));
  SetRunning(entry, ready, now);
}

// Runs the init containers: they exit at once, except for sidecars.
void AddInitContainers(JsonObject& status, const JsonObject& pod, Instant now) {
  AddContainers(
      status, kInitStatuses, pod, kInit, [&](JsonObject& entry, const JsonObject& container) {
        SetStarted(entry, pod, true, now);
        if (StringAt(&container, "restartPolicy") == "Always") return;
        SetBool(entry, "started", false);
        SetTerminated(EnsureObject(entry, "state"), api::FormatTime(now), 0, "Completed", now);
      });
}

// Calls `change` with the status of each regular container.
template <typename Change>
void ForEachContainer(JsonObject& status, Change change) {
  JsonArray* containers = ArrayAt(&status, kRegularStatuses);
  for (size_t i = 0; containers && i < containers->size(); ++i) {
    if (JsonObject* container = (*containers)[i].if_object()) change(*container);
  }
}

std::string StartedAt(const JsonObject& container) {
  return std::string(StringAt(ObjectAt(ObjectAt(&container, "state"), "running"), "startedAt"));
}

void SetReady(JsonObject& status, bool ready, std::string_view reason, std::string_view message,
              Instant now) {
  const std::string_view value = ready ? "True" : "False";
  SetCondition(status, "Ready", value, reason, message, now);
  SetCondition(status, "ContainersReady", value, reason, message, now);
}

// Sets the conditions that follow from the regular containers' readiness.
void UpdateReadiness(JsonObject& status, Instant now) {
  std::vector<std::string_view> unready;
  ForEachContainer(status, [&](JsonObject& container) {
    if (!BoolAt(&container, "ready")) unready.push_back(StringAt(&container, "name"));
  });
  if (unready.empty()) return SetReady(status, true, "", "", now);
  SetReady(status, false, "ContainersNotReady",
           fmt::format("containers with unready status: [{}]", fmt::join(unready, " ")), now);
}

void SetAddress(JsonObject& status, std::string_view one, std::string_view all,
                std::string_view ip) {
  if (ip.empty()) return;
  SetString(status, one, ip);
  JsonArray& list = status[all].emplace_array();
  SetString(list.emplace_back(boost::json::object_kind).get_object(), "ip", ip);
}

// Writes what a pod has from its admission on, and returns its status. `ready_to_start` says
// whether its sandbox exists. Drops the statuses of containers, which have not started yet: what a
// client wrote there does not count.
JsonObject& BeginStatus(JsonObject& pod, PodAddresses addresses, bool ready_to_start,
                        bool initialized, Instant now) {
  JsonObject& status = EnsureObject(pod, "status");
  if (const auto generation = IntAt(ObjectAt(&pod, "metadata"), "generation")) {
    SetInt(status, "observedGeneration", *generation);
  }
  SetCondition(status, "PodReadyToStartContainers", ready_to_start ? "True" : "False", "", "", now);
  if (initialized) {
    SetCondition(status, "Initialized", "True", "", "", now);
  } else {
    std::vector<std::string_view> names;
    for (const JsonObject& container : ObjectsAt(ObjectAt(&pod, "spec"), kInit)) {
      names.push_back(StringAt(&container, "name"));
    }
    SetCondition(status, "Initialized", "False", "ContainersNotInitialized",
                 fmt::format("containers with incomplete status: [{}]", fmt::join(names, " ")),
                 now);
  }
  SetAddress(status, "hostIP", "hostIPs", addresses.host);
  if (ready_to_start) SetAddress(status, "podIP", "podIPs", addresses.pod);
  if (!At(&status, "startTime")) SetString(status, "startTime", api::FormatTime(now));
  for (const std::string_view key : {kInitStatuses, kRegularStatuses}) status.erase(key);
  return status;
}

// Adds the regular containers as waiting, and completes the conditions.
void AddWaiting(JsonObject& status, const JsonObject& pod, std::string_view reason,
                std::string_view message, Instant now) {
  SetString(status, "phase", "Pending");
  AddContainers(status, kRegularStatuses, pod, kRegular,
                [&](JsonObject& entry, const JsonObject&) { SetWaiting(entry, reason, message); });
  UpdateReadiness(status, now);
  SetCondition(status, "PodScheduled", "True", "", "", now);
}

void Finish(JsonObject& pod, int64_t exit_code, std::string_view reason, Instant now) {
  JsonObject& status = EnsureObject(pod, "status");
  const bool succeeded = exit_code == 0;
  SetString(status, "phase", succeeded ? "Succeeded" : "Failed");
  ForEachContainer(status, [&](JsonObject& container) {
    SetBool(container, "ready", false);
    SetBool(container, "started", false);
    JsonObject& state = EnsureObject(container, "state");
    // One that exited before retains its own code.
    if (ObjectAt(&state, "terminated")) return;
    SetTerminated(state, StartedAt(container), exit_code, reason, now);
  });
  if (succeeded) SetCondition(status, "Initialized", "True", "PodCompleted", "", now);
  SetReady(status, false, succeeded ? "PodCompleted" : "PodFailed", "", now);
  SetCondition(status, "PodReadyToStartContainers", "False", "", "", now);
}

}  // namespace

void RejectPod(JsonObject& pod, std::string_view reason, std::string_view message, Instant now) {
  JsonObject& status = EnsureObject(pod, "status");
  SetString(status, "phase", "Failed");
  SetString(status, "reason", reason);
  SetString(status, "message", message);
  SetString(status, "startTime", api::FormatTime(now));
}

void CreateContainers(JsonObject& pod, PodAddresses addresses, Instant now) {
  const bool has_init = !EmptyAt(ObjectAt(&pod, "spec"), kInit);
  const std::string_view reason = has_init ? "PodInitializing" : "ContainerCreating";
  JsonObject& status = BeginStatus(pod, addresses, false, !has_init, now);
  AddContainers(status, kInitStatuses, pod, kInit,
                [&](JsonObject& entry, const JsonObject&) { SetWaiting(entry, reason, ""); });
  AddWaiting(status, pod, reason, "", now);
}

std::string PullError(int64_t n) {
  return fmt::format("the image cannot be pulled: simulated failure {}", n);
}

int64_t PullNumberIn(std::string_view message) {
  const size_t space = message.rfind(' ');
  const auto number =
      space == message.npos ? std::nullopt : api::ParseInt(message.substr(space + 1));
  return number ? std::clamp<int64_t>(*number, 1, kMaxPulls) : 1;
}

void FailImagePull(JsonObject& pod, PodAddresses addresses, std::string_view reason, int64_t n,
                   Instant now) {
  JsonObject& status = BeginStatus(pod, addresses, true, true, now);
  AddInitContainers(status, pod, now);
  AddWaiting(status, pod, reason, "", now);
  ForEachContainer(status, [&](JsonObject& container) {
    const std::string image(StringAt(&container, "image"));
    std::string message = PullError(n);
    if (reason == kImagePullBackOff) {
      message = fmt::format("Back-off pulling image \"{}\": {}: {}", image, kErrImagePull, message);
    }
    SetWaiting(container, reason, message);
  });
}

void RefuseContainers(JsonObject& pod, PodAddresses addresses, std::string_view message,
                      Instant now) {
  JsonObject& status = BeginStatus(pod, addresses, true, true, now);
  AddInitContainers(status, pod, now);
  AddWaiting(status, pod, kConfigError, message, now);
}

void StartPod(JsonObject& pod, PodAddresses addresses, bool ready, Instant now) {
  JsonObject& status = BeginStatus(pod, addresses, true, true, now);
  SetString(status, "phase", "Running");
  AddInitContainers(status, pod, now);
  AddContainers(status, kRegularStatuses, pod, kRegular,
                [&](JsonObject& entry, const JsonObject&) { SetStarted(entry, pod, ready, now); });
  UpdateReadiness(status, now);
  SetCondition(status, "PodScheduled", "True", "", "", now);
}

void StartEphemeralContainers(JsonObject& pod, Instant now) {
  JsonObject& status = EnsureObject(pod, "status");
  AddContainers(status, kEphemeralStatuses, pod, kEphemeralContainers,
                [&](JsonObject& entry, const JsonObject&) { SetStarted(entry, pod, true, now); });
}

void MakePodReady(JsonObject& pod, Instant now) {
  JsonObject& status = EnsureObject(pod, "status");
  ForEachContainer(status, [](JsonObject& container) { SetBool(container, "ready", true); });
  SetReady(status, true, "", "", now);
}

void ExitPod(JsonObject& pod, int64_t exit_code, std::string_view reason, Instant now) {
  const std::string_view policy = StringAt(ObjectAt(&pod, "spec"), "restartPolicy");
  const bool restarts = policy == "Always" || (policy == "OnFailure" && exit_code != 0);
  if (!restarts) return Finish(pod, exit_code, reason, now);
  JsonObject& status = EnsureObject(pod, "status");
  ForEachContainer(status, [&](JsonObject& container) {
    const std::string started = StartedAt(container);
    SetBool(container, "ready", false);
    SetBool(container, "started", false);
    SetTerminated(EnsureObject(container, "state"), started, exit_code, reason, now);
  });
  UpdateReadiness(status, now);
}

namespace {

// Moves the state of a container that exited to its last state.
void KeepLastState(JsonObject& container) {
  const JsonObject* state = ObjectAt(&container, "state");
  if (!ObjectAt(state, "terminated")) return;
  JsonObject last = *state;
  EnsureObject(container, "lastState") = std::move(last);
}

}  // namespace

void BackOffPod(JsonObject& pod, Duration backoff, Instant now) {
  const JsonObject* metadata = ObjectAt(&pod, "metadata");
  const std::string name = fmt::format("{}_{}({})", StringAt(metadata, "name"),
                                       StringAt(metadata, "namespace"), StringAt(metadata, "uid"));
  JsonObject& status = EnsureObject(pod, "status");
  ForEachContainer(status, [&](JsonObject& container) {
    KeepLastState(container);
    SetWaiting(container, kCrashLoopBackOff,
               fmt::format("back-off {} restarting failed container={} pod={}",
                           FormatGoDuration(backoff), StringAt(&container, "name"), name));
  });
  UpdateReadiness(status, now);
}

void RestartPod(JsonObject& pod, bool ready, Instant now) {
  JsonObject& status = EnsureObject(pod, "status");
  ForEachContainer(status, [&](JsonObject& container) {
    KeepLastState(container);
    SetInt(container, "restartCount", IntAt(&container, "restartCount").value_or(0) + 1);
    SetRunning(container, ready, now);
  });
  UpdateReadiness(status, now);
}

void StopPod(JsonObject& pod, int64_t exit_code, Instant now) {
  Finish(pod, exit_code, "Error", now);
}

}  // namespace berth::localcluster
