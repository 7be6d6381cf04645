#include "explain/outside.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/document.h"
#include "base/suggestion.h"

namespace berth::explain {
namespace {

using api::ArrayAt;
using api::JsonArray;
using api::JsonObject;
using api::ObjectAt;
using api::StringAt;

// "Container web", "Init container setup"
std::string NameOf(const JsonObject& status, bool init) {
  return fmt::format("{} {}", init ? "Init container" : "Container", StringAt(&status, "name"));
}

std::string ExitText(const JsonObject& terminated) {
  const std::string_view reason = StringAt(&terminated, "reason");
  std::string text = fmt::format("exit code {}", api::IntAt(&terminated, "exitCode").value_or(0));
  if (!reason.empty() && reason != "Error" && reason != "Completed") {
    text += fmt::format(" ({})", reason);
  }
  return text;
}

bool IsAboutImage(std::string_view reason) {
  constexpr std::string_view kReasons[] = {"ImagePullBackOff", "ErrImagePull", "InvalidImageName",
                                           "ErrImageNeverPull", "RegistryUnavailable"};
  return std::ranges::find(kReasons, reason) != std::end(kReasons);
}

// Returns the memory limit of the container of that name; empty if it has none.
std::string_view MemoryLimitOf(const JsonObject& pod, bool init, std::string_view name) {
  const JsonArray* containers =
      ArrayAt(ObjectAt(&pod, "spec"), init ? "initContainers" : "containers");
  if (containers == nullptr) return "";
  for (const api::Json& container : *containers) {
    const JsonObject* object = api::AsObject(container);
    if (StringAt(object, "name") != name) continue;
    return StringAt(ObjectAt(ObjectAt(object, "resources"), "limits"), "memory");
  }
  return "";
}

// "ends again and again with exit code 1, 12 restarts so far"
Sentence CrashTrouble(const JsonObject& pod, const JsonObject& status, bool init,
                      const Events& events) {
  const std::string name = NameOf(status, init);
  const JsonObject* last = ObjectAt(ObjectAt(&status, "lastState"), "terminated");
  const std::string restarts =
      Count(static_cast<size_t>(api::IntAt(&status, "restartCount").value_or(0)), "restart");
  if (last != nullptr && StringAt(last, "reason") == "OOMKilled") {
    const std::string_view limit = MemoryLimitOf(pod, init, StringAt(&status, "name"));
    return {
        fmt::format("{} is killed again and again because it uses more memory than {}, {} so "
                    "far",
                    name, limit.empty() ? "its node has" : fmt::format("its limit of {}", limit),
                    restarts),
        "OutOfMemory"};
  }
  const std::string_view unhealthy = LatestMessage(events, {"Unhealthy"});
  if (unhealthy.starts_with("Liveness probe") || unhealthy.starts_with("Startup probe")) {
    return {fmt::format("{} is restarted again and again because its probe fails, {} so far: {}",
                        name, restarts, Cut(unhealthy)),
            "Probe"};
  }
  return {fmt::format("{} ends again and again{}, {} so far", name,
                      last == nullptr ? "" : " with " + ExitText(*last), restarts),
          "CrashLoop"};
}

std::optional<Sentence> WaitingTrouble(const JsonObject& pod, const JsonObject& status,
                                       const JsonObject& waiting, bool init, const Events& events) {
  const std::string_view reason = StringAt(&waiting, "reason");
  const std::string_view message = StringAt(&waiting, "message");
  const std::string name = NameOf(status, init);
  if (IsAboutImage(reason)) {
    return Sentence{
        fmt::format("The image {} of {} cannot be pulled{}{}", StringAt(&status, "image"), name,
                    message.empty() ? "" : ": ", Cut(message)),
        "Image"};
  }
  if (reason == "CrashLoopBackOff") return CrashTrouble(pod, status, init, events);
  if (reason == "ContainerCreating" || reason == "PodInitializing") {
    const std::string_view mount =
        LatestMessage(events, {"FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox"});
    if (mount.empty()) return std::nullopt;
    return Sentence{"It cannot be started on its node: " + Cut(mount), "Start"};
  }
  return Sentence{fmt::format("{} cannot be started: {}{}{}", name, reason,
                              message.empty() ? "" : ": ", Cut(message)),
                  "Start"};
}

std::optional<Sentence> ContainerTrouble(const JsonObject& pod, const JsonObject& status, bool init,
                                         const Events& events) {
  const JsonObject* state = ObjectAt(&status, "state");
  if (const JsonObject* waiting = ObjectAt(state, "waiting")) {
    return WaitingTrouble(pod, status, *waiting, init, events);
  }
  const JsonObject* terminated = ObjectAt(state, "terminated");
  if (terminated == nullptr || api::IntAt(terminated, "exitCode").value_or(0) == 0) {
    return std::nullopt;
  }
  if (StringAt(terminated, "reason") == "OOMKilled") {
    const std::string_view limit = MemoryLimitOf(pod, init, StringAt(&status, "name"));
    return Sentence{
        fmt::format("{} was killed because it used more memory than {}", NameOf(status, init),
                    limit.empty() ? "its node has" : fmt::format("its limit of {}", limit)),
        "OutOfMemory"};
  }
  return Sentence{fmt::format("{} failed with {}", NameOf(status, init), ExitText(*terminated)),
                  "Failed"};
}

std::optional<Sentence> FirstTrouble(const JsonObject& pod, const char* list,
                                     const Events& events) {
  const JsonArray* containers = ArrayAt(ObjectAt(&pod, "status"), list);
  if (containers == nullptr) return std::nullopt;
  const bool init = std::string_view(list).starts_with("init");
  for (const api::Json& container : *containers) {
    const JsonObject* object = api::AsObject(container);
    if (object == nullptr) continue;
    if (auto trouble = ContainerTrouble(pod, *object, init, events)) return trouble;
  }
  return std::nullopt;
}

bool IsSidecar(const JsonObject& pod, std::string_view name) {
  const JsonArray* containers = ArrayAt(ObjectAt(&pod, "spec"), "initContainers");
  if (containers == nullptr) return false;
  return std::ranges::any_of(*containers, [&](const api::Json& container) {
    const JsonObject* object = api::AsObject(container);
    return StringAt(object, "name") == name && StringAt(object, "restartPolicy") == "Always";
  });
}

// The other containers wait for an init container that runs.
std::optional<Sentence> Initializing(const JsonObject& pod) {
  const JsonArray* containers = ArrayAt(ObjectAt(&pod, "status"), "initContainerStatuses");
  if (containers == nullptr) return std::nullopt;
  for (const api::Json& container : *containers) {
    const JsonObject* object = api::AsObject(container);
    const bool runs = ObjectAt(ObjectAt(object, "state"), "running") != nullptr;
    if (!runs || IsSidecar(pod, StringAt(object, "name"))) continue;
    return Sentence{
        fmt::format("{} still runs, and the others start when it ends", NameOf(*object, true)),
        "Initializing"};
  }
  return std::nullopt;
}

std::optional<Sentence> DeletionTrouble(const JsonObject& pod) {
  const JsonObject* metadata = ObjectAt(&pod, "metadata");
  const std::string_view since = StringAt(metadata, "deletionTimestamp");
  if (since.empty()) return std::nullopt;
  std::vector<std::string> finalizers;
  if (const JsonArray* list = ArrayAt(metadata, "finalizers")) {
    for (const api::Json& one : *list) finalizers.emplace_back(api::AsString(one));
  }
  if (finalizers.empty()) {
    return Sentence{fmt::format("It is being deleted since {}", since), "Deleted"};
  }
  const bool one = finalizers.size() == 1;
  return Sentence{
      fmt::format("It was deleted at {}, but the {} {} {} it: the {} that added {} {} not removed "
                  "{}",
                  since, one ? "finalizer" : "finalizers", SomeOf(finalizers),
                  one ? "keeps" : "keep", one ? "controller" : "controllers", one ? "it" : "them",
                  one ? "has" : "have", one ? "it" : "them"),
      "Finalizers"};
}

std::optional<Sentence> NotReady(const JsonObject& pod, const Events& events) {
  const JsonArray* containers = ArrayAt(ObjectAt(&pod, "status"), "containerStatuses");
  if (containers == nullptr) return std::nullopt;
  for (const api::Json& container : *containers) {
    const JsonObject* object = api::AsObject(container);
    const api::Json* ready = api::At(object, "ready");
    const bool runs = ObjectAt(ObjectAt(object, "state"), "running") != nullptr;
    if (!runs || ready == nullptr || !ready->is_bool() || ready->get_bool()) continue;
    const std::string_view unhealthy = LatestMessage(events, {"Unhealthy"});
    return Sentence{fmt::format("{} runs, but is not ready{}{}", NameOf(*object, false),
                                unhealthy.empty() ? "" : ": ", Cut(unhealthy)),
                    "NotReady"};
  }
  return std::nullopt;
}

// A pod that the kubelet, or the node's controller, has ended as a whole.
std::optional<Sentence> EndTrouble(const JsonObject* status) {
  if (StringAt(status, "phase") != "Failed") return std::nullopt;
  const std::string_view reason = StringAt(status, "reason");
  const std::string_view message = StringAt(status, "message");
  if (reason.empty() && message.empty()) return std::nullopt;
  const std::string how =
      reason == "Evicted" ? std::string("Its node has evicted it")
                          : fmt::format("It has failed{}{}", reason.empty() ? "" : ": ", reason);
  return Sentence{fmt::format("{}{}{}", how, message.empty() ? "" : ": ", Cut(message)), "Failed"};
}

// Nothing runs on a node that is gone or does not respond, whatever the pod's status says.
std::optional<Sentence> NodeTrouble(const JsonObject& pod,
                                    const scheduler::model::Cluster& cluster) {
  const std::string name(StringAt(ObjectAt(&pod, "spec"), "nodeName"));
  if (name.empty()) return std::nullopt;
  const auto row = cluster.nodes().Find(cluster.symbols().Find(name));
  if (!row.valid() || !cluster.nodes().present().Test(row.index())) {
    Suggestion suggestion(name);
    cluster.nodes().present().ForEach([&](size_t other) {
      suggestion.Consider(
          cluster.nodes().name(scheduler::model::NodeRow{static_cast<uint32_t>(other)}));
    });
    return Sentence{fmt::format("Its node {} does not exist{}", name, suggestion.Text()),
                    "NodeMissing"};
  }
  for (const api::NodeCondition& condition : cluster.nodes().info(row).object->status.conditions) {
    if (condition.type != "Ready" || condition.status == "True") continue;
    return Sentence{
        fmt::format("Its node {} {}", name,
                    condition.status == "Unknown" ? "does not respond" : "is not ready"),
        "NodeNotReady"};
  }
  return std::nullopt;
}

// The kubelet writes the containers once it has seen the pod.
std::optional<Sentence> NotStarted(const JsonObject& pod, const Events& events) {
  const JsonObject* status = ObjectAt(&pod, "status");
  const bool seen = ArrayAt(status, "containerStatuses") != nullptr ||
                    ArrayAt(status, "initContainerStatuses") != nullptr;
  if (StringAt(status, "phase") != "Pending" || seen) return std::nullopt;
  const std::string_view failed =
      LatestMessage(events, {"FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox"});
  if (!failed.empty()) {
    return Sentence{"It cannot be started on its node: " + Cut(failed), "Start"};
  }
  return Sentence{
      fmt::format("It has its place on {}, and the kubelet there has not started it yet",
                  StringAt(ObjectAt(&pod, "spec"), "nodeName")),
      "NotStarted"};
}

}  // namespace

std::optional<Sentence> TroubleOf(const JsonObject& pod, const Events& events,
                                  const scheduler::model::Cluster& cluster) {
  if (auto trouble = DeletionTrouble(pod)) return trouble;
  const JsonObject* status = ObjectAt(&pod, "status");
  if (auto trouble = EndTrouble(status)) return trouble;
  if (auto trouble = NodeTrouble(pod, cluster)) return trouble;
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    if (auto trouble = FirstTrouble(pod, list, events)) return trouble;
  }
  if (StringAt(status, "phase") == "Failed") return Sentence{"It has failed", "Failed"};
  if (auto trouble = Initializing(pod)) return trouble;
  if (auto trouble = NotStarted(pod, events)) return trouble;
  return NotReady(pod, events);
}

}  // namespace berth::explain
