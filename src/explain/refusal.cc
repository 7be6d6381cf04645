#include "explain/refusal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/quantity.h"
#include "base/suggestion.h"

namespace berth::explain {
namespace {

using api::JsonArray;
using api::JsonObject;
using api::ObjectAt;
using api::StringAt;

// Pods of which the amounts are added up.
constexpr int64_t kMostCounted = 10'000;

// Returns what is between the two texts, or after the first one if the second does not follow;
// empty if the first one is not there.
std::string Between(std::string_view text, std::string_view before, std::string_view after) {
  const size_t start = text.find(before);
  if (start == std::string_view::npos) return "";
  text.remove_prefix(start + before.size());
  return std::string(text.substr(0, text.find(after)));
}

// Why pods were not created: "were refused by ResourceQuota team", and how come.
struct Reason {
  std::string how = "were not created";
  std::string why = {};
  std::string obstacle = "NotCreated";
};

// "2 more of pods, and 3 of 4 are used", for each resource of "pods=2,requests.cpu=1".
std::string AmountsText(std::string_view requested, const std::string& used,
                        const std::string& limited) {
  std::string text;
  const auto amount_in = [](const std::string& list, std::string_view resource) {
    return Between("," + list, fmt::format(",{}=", resource), ",");
  };
  while (!requested.empty()) {
    const std::string_view entry = requested.substr(0, requested.find(','));
    requested.remove_prefix(std::min(requested.size(), entry.size() + 1));
    const std::string_view resource = entry.substr(0, entry.find('='));
    text += fmt::format("{}{} of {} are used, and each pod needs {}", text.empty() ? "" : "; ",
                        amount_in(used, resource),
                        amount_in(limited, resource) + " " + std::string(resource),
                        amount_in(std::string(entry), resource));
  }
  return text;
}

// "exceeded quota: team, requested: pods=1, used: pods=2, limited: pods=2"
Reason QuotaReason(std::string_view message) {
  const std::string name = Between(message, "exceeded quota: ", ",");
  const std::string requested = Between(message, ", requested: ", ", used: ");
  return {fmt::format("were refused by ResourceQuota {}", name),
          AmountsText(requested, Between(message, ", used: ", ", limited: "),
                      Between(message, ", limited: ", "\n")),
          "Quota " + name};
}

// "failed quota: team: must specify limits.cpu for: web"
Reason UncountedReason(std::string_view message) {
  const std::string name = Between(message, "failed quota: ", ":");
  const std::string fields = Between(message, "must specify ", " for: ");
  const std::string containers = Between(message, " for: ", "\n");
  return {fmt::format("were refused by ResourceQuota {}", name),
          fields.empty() ? Cut(Between(message, "failed quota: " + name + ": ", "\n"))
                         : fmt::format("it demands that containers set {}, and {} does not", fields,
                                       containers.substr(0, containers.find(';'))),
          "Quota " + name};
}

// Ends a sentence about an object that does not exist.
Reason MissingReason(std::string_view kind, const std::string& name, const NamesOfKind& names) {
  Suggestion suggestion(name);
  for (const std::string& known : names(kind)) suggestion.Consider(known);
  return {.why = fmt::format("{} {} does not exist{}", kind, name, suggestion.Text()),
          .obstacle = fmt::format("Missing {} {}", kind, name)};
}

// What pods name, and how the API server says that it does not exist.
struct Reference {
  std::string_view kind, field, before, after;
};
constexpr Reference kReferences[] = {
    {"PriorityClass", "priorityClassName", "no PriorityClass with name ", " was found"},
    {"RuntimeClass", "runtimeClassName", "RuntimeClass \"", "\" not found"},
    {"ServiceAccount", "serviceAccountName", "serviceaccount \"", "\" not found"}};

Reason ReasonOf(std::string_view message, const NamesOfKind& names) {
  if (message.find("exceeded quota: ") != std::string_view::npos) return QuotaReason(message);
  if (message.find("failed quota: ") != std::string_view::npos) return UncountedReason(message);
  for (const Reference& reference : kReferences) {
    const std::string name = Between(message, reference.before, reference.after);
    if (!name.empty()) return MissingReason(reference.kind, name, names);
  }
  if (auto level = Between(message, "violates PodSecurity \"", "\""); !level.empty()) {
    return {fmt::format("were refused by the Pod Security level {} of the namespace", level),
            Cut(Between(message, level + "\": ", "\n")), "PodSecurity"};
  }
  if (auto hook = Between(message, "admission webhook \"", "\" denied"); !hook.empty()) {
    return {fmt::format("were refused by the admission webhook {}", hook),
            Cut(Between(message, "denied the request: ", "\n")), "Webhook " + hook};
  }
  if (auto hook = Between(message, "failed calling webhook \"", "\""); !hook.empty()) {
    return {.why = fmt::format("the admission webhook {} fails: {}", hook,
                               Cut(Between(message, hook + "\": ", "\n"))),
            .obstacle = "Webhook " + hook};
  }
  // LimitRanger: "maximum cpu usage per Container is 2, but limit is 3"
  const std::string why = Between(message, " is forbidden: ", "\n");
  const bool limited = why.find(" usage per ") != std::string::npos ||
                       why.find(" limit to request ratio per ") != std::string::npos;
  if (limited)
    return {"were refused by a LimitRange",
            Cut(why.front() == '[' ? why.substr(1, why.size() - 2) : why), "LimitRange"};
  return {.why = Cut(why.empty() ? message : std::string_view(why))};
}

// --- fixes ---

bool HasTemplateOfPods(const std::string& kind) { return kind != "CronJob" && kind != "Job"; }

Change UseInstead(const ObjectName& workload, const Reference& reference, const std::string& from,
                  const std::string& to) {
  Change change = MakeChange(ChangeKind::kCorrect, workload, std::string(reference.field),
                             fmt::format("use the {} {} instead of {}", reference.kind, to, from));
  change.patch = {{"replace", PatchPath({"spec", "template", "spec", std::string(reference.field)}),
                   api::JsonQuoted(to)}};
  return change;
}

Change CreateAccount(const api::ObjectKey& key) {
  Change change =
      MakeChange(ChangeKind::kCreateAccount, {"v1", "ServiceAccount", key}, "account " + key.name,
                 fmt::format("create the ServiceAccount {}", key.ToString()));
  change.created = {fmt::format(
      R"({{"apiVersion":"v1","kind":"ServiceAccount","metadata":{{"name":{},"namespace":{}}}}})",
      api::JsonQuoted(key.name), api::JsonQuoted(key.namespace_))};
  return change;
}

// Raises each limit that was exceeded to what all pods need.
std::optional<Change> RaiseQuota(const Refusal& refusal, const std::string& name) {
  const std::string used = Between(refusal.message, ", used: ", ", limited: ");
  std::string requested = Between(refusal.message, ", requested: ", ", used: ");
  Change change =
      MakeChange(ChangeKind::kRaiseQuota,
                 {"v1", "ResourceQuota", {refusal.workload.key.namespace_, name}}, "quota", "");
  std::string amounts;
  while (!requested.empty()) {
    const std::string entry = requested.substr(0, requested.find(','));
    requested.erase(0, entry.size() + 1);
    const std::string resource = entry.substr(0, entry.find('='));
    const auto each = api::Quantity::Parse(Between("," + entry, "=", ","));
    auto total = api::Quantity::Parse(Between("," + used, fmt::format(",{}=", resource), ","));
    if (!each || !total) return std::nullopt;
    for (int64_t pod = 0; pod < std::min<int64_t>(refusal.missing, kMostCounted); ++pod) {
      *total += *each;
    }
    amounts += fmt::format("{}{} {}", amounts.empty() ? "" : " and ", total->ToString(), resource);
    change.patch.push_back(
        {"replace", PatchPath({"spec", "hard", resource}), api::JsonQuoted(total->ToString())});
  }
  if (change.patch.empty() || refusal.missing > kMostCounted) return std::nullopt;
  change.text = fmt::format("raise ResourceQuota {} to {}", name, amounts);
  return change;
}

// --- workloads ---

// The number of pods that the workload asks for; nothing if that is not its own choice.
std::optional<int64_t> WantedPods(const JsonObject& workload) {
  const JsonObject* spec = ObjectAt(&workload, "spec");
  const std::string_view kind = StringAt(&workload, "kind");
  if (kind == "DaemonSet") {
    return api::IntAt(ObjectAt(&workload, "status"), "desiredNumberScheduled");
  }
  if (kind == "Job") return api::IntAt(spec, "parallelism").value_or(1);
  return api::IntAt(spec, "replicas").value_or(1);
}

int64_t MadePods(const JsonObject& workload) {
  const JsonObject* status = ObjectAt(&workload, "status");
  const std::string_view kind = StringAt(&workload, "kind");
  if (kind == "DaemonSet") return api::IntAt(status, "currentNumberScheduled").value_or(0);
  if (kind == "Job") {
    return api::IntAt(status, "active").value_or(0) + api::IntAt(status, "succeeded").value_or(0);
  }
  return api::IntAt(status, "replicas").value_or(0);
}

}  // namespace

std::optional<Refusal> RefusalOf(const JsonObject& workload, const Events& events) {
  const std::optional<int64_t> wanted = WantedPods(workload);
  const int64_t made = MadePods(workload);
  if (wanted && made >= *wanted) return std::nullopt;
  std::string_view message;
  if (const JsonArray* conditions = api::ArrayAt(ObjectAt(&workload, "status"), "conditions")) {
    for (const api::Json& condition : *conditions) {
      const JsonObject* object = api::AsObject(condition);
      if (StringAt(object, "type") == "ReplicaFailure" && StringAt(object, "status") == "True") {
        message = StringAt(object, "message");
      }
    }
  }
  if (message.empty()) message = LatestMessage(events, {"FailedCreate"});
  if (message.empty()) return std::nullopt;
  const JsonObject* metadata = ObjectAt(&workload, "metadata");
  const std::string_view home = StringAt(metadata, "namespace");
  return Refusal{
      {std::string(StringAt(&workload, "apiVersion")),
       std::string(StringAt(&workload, "kind")),
       {home.empty() ? "default" : std::string(home), std::string(StringAt(metadata, "name"))}},
      wanted ? *wanted - made : 0,
      wanted.value_or(0),
      std::string(message)};
}

Sentence SentenceOf(const Refusal& refusal, const NamesOfKind& names) {
  const Reason reason = ReasonOf(refusal.message, names);
  const bool one = refusal.wanted == 1;
  const std::string who =
      refusal.wanted <= 1
          ? std::string(one ? "Its pod" : "Its pods")
          : fmt::format("{} of {} {}", refusal.missing, refusal.wanted,
                        refusal.workload.kind == "Job" || refusal.workload.kind == "DaemonSet"
                            ? "pods"
                            : "replicas");
  std::string how = reason.how;
  const bool singular = one || (refusal.wanted > 1 && refusal.missing == 1);
  if (singular && how.starts_with("were ")) how = "was " + how.substr(5);
  return {fmt::format("{} {}{}{}", who, how, reason.why.empty() ? "" : ": ", reason.why),
          reason.obstacle};
}

std::vector<Fix> FixesOf(const Refusal& refusal, const NamesOfKind& names) {
  std::vector<Fix> fixes;
  const auto add = [&](Change change) {
    fixes.emplace_back().changes.push_back(std::move(change));
  };
  const std::string& message = refusal.message;
  for (const Reference& reference : kReferences) {
    const std::string name = Between(message, reference.before, reference.after);
    if (name.empty()) continue;
    Suggestion suggestion(name);
    for (const std::string& known : names(reference.kind)) suggestion.Consider(known);
    if (!suggestion.best().empty() && HasTemplateOfPods(refusal.workload.kind)) {
      add(UseInstead(refusal.workload, reference, name, suggestion.best()));
    }
    if (reference.kind == "ServiceAccount") {
      add(CreateAccount({refusal.workload.key.namespace_, name}));
    }
    return fixes;
  }
  const std::string quota = Between(message, "exceeded quota: ", ",");
  if (quota.empty() || refusal.wanted == 0) return fixes;
  const int64_t made = refusal.wanted - refusal.missing;
  const bool has_replicas = refusal.workload.kind != "Job" &&
                            refusal.workload.kind != "DaemonSet" &&
                            refusal.workload.kind != "CronJob";
  if (made > 0 && has_replicas) {
    Change change =
        MakeChange(ChangeKind::kReduceReplicas, refusal.workload, "replicas",
                   fmt::format("reduce the replicas of {} {} from {} to {}", refusal.workload.kind,
                               refusal.workload.key.name, refusal.wanted, made));
    change.patch = {{"replace", "/spec/replicas", std::to_string(made)}};
    add(std::move(change));
  }
  if (auto change = RaiseQuota(refusal, quota)) add(*std::move(change));
  return fixes;
}

}  // namespace berth::explain
