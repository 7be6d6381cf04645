#include "explain/autoscaler.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/document.h"

namespace berth::explain {
namespace {

using api::JsonObject;
using api::ObjectAt;
using api::StringAt;

// cluster-autoscaler's --max-node-provision-time: it gives up on a node after that.
constexpr Duration kProvisioning = Duration::Seconds(15 * 60);

constexpr const char* kClusterAutoscaler = "cluster-autoscaler";
constexpr const char* kKarpenter = "Karpenter";

// Whether the first event happened after the second one; null is earlier than all.
bool IsLater(const JsonObject* event, const JsonObject* than) {
  if (event == nullptr || than == nullptr) return event != nullptr;
  return TimeOfEvent(*event) > TimeOfEvent(*than);
}

Sentence Decides(const std::string& first, const Sentence& stuck, const char* obstacle) {
  return {fmt::format("{}; until then: {}", first, stuck.text),
          fmt::format("{} {}", obstacle, stuck.obstacle)};
}

// That no node can be had is what to mend, but for the pod itself.
Sentence Fails(const std::string& first, const Sentence& stuck, const char* obstacle) {
  return {fmt::format("{}; without a new node: {}", first, stuck.text),
          fmt::format("{} {}", obstacle, stuck.obstacle)};
}

Sentence NoNode(const Sentence& stuck, const char* who, std::string_view message) {
  const bool question = stuck.text.ends_with('?');
  Sentence sentence = stuck;
  sentence.text +=
      fmt::format("{} {} adds no node: {}", question ? "" : ", and", who, Cut(message));
  return sentence;
}

// --- Karpenter ---

const JsonObject* ConditionOf(const JsonObject& claim, std::string_view type) {
  const api::JsonArray* conditions = api::ArrayAt(ObjectAt(&claim, "status"), "conditions");
  if (conditions == nullptr) return nullptr;
  for (const api::Json& condition : *conditions) {
    const JsonObject* object = api::AsObject(condition);
    if (StringAt(object, "type") == type) return object;
  }
  return nullptr;
}

bool IsTrue(const JsonObject* condition) { return StringAt(condition, "status") == "True"; }

// The message of a condition that does not hold: "; NodeNotFound: Node not registered with cluster"
std::string WhyNotYet(const JsonObject* condition) {
  const std::string_view message = StringAt(condition, "message");
  const std::string_view reason = StringAt(condition, "reason");
  if (message.empty() || message == reason) {
    return reason.empty() || reason == "AwaitingReconciliation" ? "" : fmt::format(" ({})", reason);
  }
  return fmt::format(" ({})", Cut(message));
}

// Reports whether the cloud refused: Karpenter says so in the reason, and tries again or elsewhere.
bool IsFailure(const JsonObject* condition) {
  return StringAt(condition, "status") == "False" ||
         StringAt(condition, "reason").find("Failed") != std::string_view::npos ||
         StringAt(condition, "reason").find("Insufficient") != std::string_view::npos;
}

// Returns the name after "nodeclaim/" in Karpenter's "Pod should schedule on: nodeclaim/default-x".
std::string_view ClaimNamedIn(std::string_view message) {
  constexpr std::string_view kBefore = "nodeclaim/";
  const size_t start = message.find(kBefore);
  if (start == std::string_view::npos) return "";
  message.remove_prefix(start + kBefore.size());
  return message.substr(0, message.find_first_of(", )"));
}

// What the conditions of the pod's NodeClaim mean for it; nothing if its node is ready.
std::optional<Sentence> ClaimSentence(const Sentence& stuck, const JsonObject& claim) {
  const JsonObject* metadata = ObjectAt(&claim, "metadata");
  const std::string name = fmt::format("NodeClaim {}", StringAt(metadata, "name"));
  if (!StringAt(metadata, "deletionTimestamp").empty()) {
    return Fails(fmt::format("Karpenter gives up its {}, which was for it", name), stuck,
                 "NodeClaimDeleted");
  }
  const JsonObject* launched = ConditionOf(claim, "Launched");
  if (!IsTrue(launched)) {
    if (IsFailure(launched)) {
      return Fails(fmt::format("Karpenter cannot launch {} for it{}", name, WhyNotYet(launched)),
                   stuck, "NodeClaimNotLaunched");
    }
    return Decides(
        fmt::format("A node is coming: Karpenter launches {} for it{}", name, WhyNotYet(launched)),
        stuck, "ScaleUp");
  }
  const JsonObject* registered = ConditionOf(claim, "Registered");
  if (!IsTrue(registered)) {
    return Decides(fmt::format("A node is coming: {} is launched for it, and its node has not "
                               "joined the cluster yet{}",
                               name, WhyNotYet(registered)),
                   stuck, "ScaleUp");
  }
  const JsonObject* initialized = ConditionOf(claim, "Initialized");
  if (!IsTrue(initialized)) {
    return Decides(
        fmt::format("A node is coming: {} of {} has joined for it, and is not ready "
                    "yet{}",
                    StringAt(ObjectAt(&claim, "status"), "nodeName"), name, WhyNotYet(initialized)),
        stuck, "ScaleUp");
  }
  return std::nullopt;
}

std::optional<Sentence> KarpenterSentence(const Sentence& stuck, const AutoscalerFacts& facts) {
  const JsonObject* nominated = LatestEvent(facts.of_pod, {"Nominated"}, "karpenter");
  const JsonObject* failed = LatestEvent(facts.of_pod, {"FailedScheduling"}, "karpenter");
  if (IsLater(failed, nominated)) return NoNode(stuck, kKarpenter, StringAt(failed, "message"));
  if (nominated == nullptr) return std::nullopt;
  const std::string_view message = StringAt(nominated, "message");
  const std::string_view name = ClaimNamedIn(message);
  for (const JsonObject& claim : facts.node_claims) {
    if (StringAt(ObjectAt(&claim, "metadata"), "name") != name) continue;
    return ClaimSentence(stuck, claim).value_or(stuck);
  }
  const auto time = TimeOfEvent(*nominated);
  if (time && facts.now - *time > kProvisioning) return std::nullopt;
  return Decides(fmt::format("A node is coming: Karpenter says \"{}\"", Cut(message)), stuck,
                 "ScaleUp");
}

// --- cluster-autoscaler ---

std::optional<Sentence> ClusterAutoscalerSentence(const Sentence& stuck,
                                                  const AutoscalerFacts& facts) {
  const JsonObject* scales = LatestEvent(facts.of_pod, {"TriggeredScaleUp"});
  const JsonObject* refused = LatestEvent(facts.of_pod, {"NotTriggerScaleUp"});
  const JsonObject* failed =
      LatestEvent(facts.of_autoscaler, {"FailedToScaleUpGroup", "ScaleUpTimedOut"});
  if (scales == nullptr && refused == nullptr) return std::nullopt;
  const bool fails = IsLater(failed, scales) && IsLater(failed, refused);
  if (fails) {
    return Fails(fmt::format("{} cannot add a node: {}", kClusterAutoscaler,
                             Cut(StringAt(failed, "message"))),
                 stuck, "ScaleUpFailed");
  }
  if (IsLater(refused, scales)) {
    return NoNode(stuck, kClusterAutoscaler, StringAt(refused, "message"));
  }
  const std::string said =
      fmt::format("{} says \"{}\"", kClusterAutoscaler, Cut(StringAt(scales, "message")));
  const auto time = TimeOfEvent(*scales);
  if (time && facts.now - *time > kProvisioning) {
    return Fails(fmt::format("No node has come in the {} minutes since {}",
                             static_cast<int64_t>((facts.now - *time).seconds()) / 60, said),
                 stuck, "ScaleUpLate");
  }
  return Decides("A node is coming: " + said, stuck, "ScaleUp");
}

}  // namespace

Sentence WithAutoscaler(const Sentence& stuck, const AutoscalerFacts& facts) {
  if (auto sentence = KarpenterSentence(stuck, facts)) return *std::move(sentence);
  if (auto sentence = ClusterAutoscalerSentence(stuck, facts)) return *std::move(sentence);
  return stuck;
}

}  // namespace berth::explain
