#include "explain/outside.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string>
#include <string_view>

#include "api/json/document.h"

namespace berth::explain {
namespace {

using api::ArrayAt;
using api::JsonArray;
using api::JsonObject;
using api::ObjectAt;
using api::StringAt;

// What others write is cut to what a person reads in one sentence.
std::string Cut(std::string_view text) {
  constexpr size_t kMost = 300;
  std::string cut(text.substr(0, kMost));
  while (cut.ends_with('.') || cut.ends_with('\n')) cut.pop_back();
  if (text.size() > kMost) cut += " ...";
  return cut;
}

std::string_view LatestMessage(const Events& events,
                               std::initializer_list<std::string_view> reasons,
                               std::string_view source = "") {
  for (const JsonObject& event : std::views::reverse(events)) {
    const bool wanted = std::ranges::find(reasons, StringAt(&event, "reason")) != reasons.end();
    const std::string_view component = StringAt(ObjectAt(&event, "source"), "component");
    const std::string_view by =
        component.empty() ? StringAt(&event, "reportingComponent") : component;
    if (wanted && by.find(source) != std::string_view::npos) return StringAt(&event, "message");
  }
  return "";
}

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

std::optional<Sentence> WaitingTrouble(const JsonObject& status, const JsonObject& waiting,
                                       bool init, const Events& events) {
  const std::string_view reason = StringAt(&waiting, "reason");
  const std::string_view message = StringAt(&waiting, "message");
  const std::string name = NameOf(status, init);
  if (IsAboutImage(reason)) {
    return Sentence{
        fmt::format("The image {} of {} cannot be pulled{}{}", StringAt(&status, "image"), name,
                    message.empty() ? "" : ": ", Cut(message)),
        "Image"};
  }
  if (reason == "CrashLoopBackOff") {
    const JsonObject* last = ObjectAt(ObjectAt(&status, "lastState"), "terminated");
    return Sentence{
        fmt::format(
            "{} ends again and again{}, {} so far", name,
            last == nullptr ? "" : " with " + ExitText(*last),
            Count(static_cast<size_t>(api::IntAt(&status, "restartCount").value_or(0)), "restart")),
        "CrashLoop"};
  }
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

std::optional<Sentence> ContainerTrouble(const JsonObject& status, bool init,
                                         const Events& events) {
  const JsonObject* state = ObjectAt(&status, "state");
  if (const JsonObject* waiting = ObjectAt(state, "waiting")) {
    return WaitingTrouble(status, *waiting, init, events);
  }
  const JsonObject* terminated = ObjectAt(state, "terminated");
  if (terminated == nullptr || api::IntAt(terminated, "exitCode").value_or(0) == 0) {
    return std::nullopt;
  }
  return Sentence{fmt::format("{} failed with {}", NameOf(status, init), ExitText(*terminated)),
                  "Failed"};
}

std::optional<Sentence> FirstTrouble(const JsonObject* status, const char* list,
                                     const Events& events) {
  const JsonArray* containers = ArrayAt(status, list);
  if (containers == nullptr) return std::nullopt;
  const bool init = std::string_view(list).starts_with("init");
  for (const api::Json& container : *containers) {
    const JsonObject* object = api::AsObject(container);
    if (object == nullptr) continue;
    if (auto trouble = ContainerTrouble(*object, init, events)) return trouble;
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
  return Sentence{fmt::format("It is deleted since {}, and remains until whoever set the {} {} "
                              "removes {}",
                              since, finalizers.size() == 1 ? "finalizer" : "finalizers",
                              SomeOf(finalizers), finalizers.size() == 1 ? "it" : "them"),
                  "Finalizers"};
}

std::optional<Sentence> NotReady(const JsonObject* status) {
  const JsonArray* containers = ArrayAt(status, "containerStatuses");
  if (containers == nullptr) return std::nullopt;
  for (const api::Json& container : *containers) {
    const JsonObject* object = api::AsObject(container);
    const api::Json* ready = api::At(object, "ready");
    const bool runs = ObjectAt(ObjectAt(object, "state"), "running") != nullptr;
    if (!runs || ready == nullptr || !ready->is_bool() || ready->get_bool()) continue;
    return Sentence{fmt::format("{} runs, but is not ready", NameOf(*object, false)), "NotReady"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Sentence> TroubleOf(const JsonObject& pod, const Events& events) {
  const JsonObject* status = ObjectAt(&pod, "status");
  if (auto trouble = DeletionTrouble(pod)) return trouble;
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    if (auto trouble = FirstTrouble(status, list, events)) return trouble;
  }
  if (StringAt(status, "phase") == "Failed") {
    const std::string_view message = StringAt(status, "message");
    return Sentence{
        fmt::format("It has failed{}{}{}{}", StringAt(status, "reason").empty() ? "" : ": ",
                    StringAt(status, "reason"), message.empty() ? "" : ": ", Cut(message)),
        "Failed"};
  }
  return NotReady(status);
}

Sentence WithAutoscaler(const Sentence& stuck, const Events& events) {
  Sentence sentence = stuck;
  const std::string_view scales = LatestMessage(events, {"TriggeredScaleUp"});
  const std::string_view nominated = LatestMessage(events, {"Nominated"}, "karpenter");
  const std::string_view refused = LatestMessage(events, {"NotTriggerScaleUp"});
  const std::string_view failed = LatestMessage(events, {"FailedScheduling"}, "karpenter");
  if (!scales.empty() || !nominated.empty()) {
    sentence.text = fmt::format("A node is coming: {} says \"{}\"; until then: {}",
                                scales.empty() ? "Karpenter" : "cluster-autoscaler",
                                Cut(scales.empty() ? nominated : scales), stuck.text);
    sentence.obstacle = "ScaleUp " + stuck.obstacle;
  } else if (!refused.empty() || !failed.empty()) {
    const bool question = sentence.text.ends_with('?');
    sentence.text += fmt::format("{} {} adds no node: {}", question ? "" : ", and",
                                 refused.empty() ? "Karpenter" : "cluster-autoscaler",
                                 Cut(refused.empty() ? failed : refused));
  }
  return sentence;
}

std::optional<Sentence> NotCreated(const JsonObject& workload, const Events& events) {
  const int64_t wanted = api::IntAt(ObjectAt(&workload, "spec"), "replicas").value_or(1);
  const JsonObject* status = ObjectAt(&workload, "status");
  const int64_t made = api::IntAt(status, "replicas").value_or(0);
  if (StringAt(&workload, "kind") != "DaemonSet" && StringAt(&workload, "kind") != "Job" &&
      made >= wanted) {
    return std::nullopt;
  }
  std::string_view message;
  if (const JsonArray* conditions = ArrayAt(status, "conditions")) {
    for (const api::Json& condition : *conditions) {
      const JsonObject* object = api::AsObject(condition);
      if (StringAt(object, "type") == "ReplicaFailure" && StringAt(object, "status") == "True") {
        message = StringAt(object, "message");
      }
    }
  }
  if (message.empty()) message = LatestMessage(events, {"FailedCreate"});
  if (message.empty()) return std::nullopt;
  const std::string how_many =
      wanted > 1 || made > 0
          ? fmt::format("{} of {} replicas were", std::max<int64_t>(1, wanted - made), wanted)
          : std::string("Its pods were");
  return Sentence{fmt::format("{} not created: {}", how_many, Cut(message)), "NotCreated"};
}

}  // namespace berth::explain
