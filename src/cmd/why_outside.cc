#include "cmd/why_outside.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/scheme/scheme.h"
#include "client/escaping.h"
#include "client/rest_client.h"
#include "explain/obstacle.h"
#include "explain/outside.h"
#include "scheduler/model/objects.h"

namespace berth::cmd {
namespace {

using api::JsonObject;

// What is read of one collection: the latest events of a busy cluster are many.
constexpr size_t kMostObjects = 10'000;
// Workloads that are asked about, each with a request or two.
constexpr size_t kMostRefused = 50;

std::optional<JsonObject> Get(LiveCluster& live, const std::string& path) {
  auto body = client::GetIfFound(live.client(), path);
  if (!body || !*body) return std::nullopt;
  auto document = api::ParseJson(**body);
  if (!document || !document->is_object()) return std::nullopt;
  return std::move(document->get_object());
}

// Returns the items of a list, page by page; none if it may not be read.
std::vector<JsonObject> List(LiveCluster& live, const std::string& path, std::string query) {
  std::vector<JsonObject> objects;
  std::string next;
  do {
    std::string page = fmt::format("{}?limit=500{}", path, query);
    if (!next.empty()) page += "&continue=" + client::QueryEscape(next);
    auto list = Get(live, page);
    if (!list) break;
    next = api::StringAt(api::ObjectAt(&*list, "metadata"), "continue");
    api::JsonArray* items = api::ArrayAt(&*list, "items");
    for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
      if ((*items)[i].is_object()) objects.push_back(std::move((*items)[i].get_object()));
    }
  } while (!next.empty() && objects.size() < kMostObjects);
  return objects;
}

std::string HomeOf(std::string_view namespace_name) {
  return namespace_name.empty() ? "default" : std::string(namespace_name);
}

// Reports whether the event is about the object, or about a ReplicaSet of the Deployment.
bool IsAbout(const JsonObject& event, const explain::ObjectName& name) {
  const JsonObject* about = api::ObjectAt(&event, "involvedObject");
  if (HomeOf(api::StringAt(about, "namespace")) != name.key.namespace_) return false;
  const std::string_view kind = api::StringAt(about, "kind");
  const std::string_view of = api::StringAt(about, "name");
  if (kind == name.kind) return of == name.key.name;
  const size_t dash = of.rfind('-');
  return name.kind == "Deployment" && kind == "ReplicaSet" && of.substr(0, dash) == name.key.name;
}

std::string GroupPath(const api::scheme::Kind& kind) {
  return kind.group.empty() ? fmt::format("/api/{}", kind.version)
                            : fmt::format("/apis/{}/{}", kind.group, kind.version);
}

// Returns the names of the existing objects of a kind, of `home` if it has namespaces.
std::vector<std::string> NamesOf(WhyCluster& cluster, std::string_view kind_name,
                                 const std::string& home) {
  std::vector<JsonObject> objects;
  if (cluster.live() != nullptr) {
    const auto found = std::ranges::find(api::scheme::Kinds(), kind_name, &api::scheme::Kind::kind);
    if (found == api::scheme::Kinds().end()) return {};
    const std::string place =
        found->namespaced ? "/namespaces/" + client::QueryEscape(home) : std::string();
    objects = List(*cluster.live(),
                   fmt::format("{}{}/{}", GroupPath(*found), place, found->resource), "");
  } else {
    for (const JsonObject& object : cluster.raw()) {
      if (api::StringAt(&object, "kind") == kind_name) objects.push_back(object);
    }
  }
  std::vector<std::string> names;
  for (const JsonObject& object : objects) {
    names.emplace_back(api::StringAt(api::ObjectAt(&object, "metadata"), "name"));
  }
  return names;
}

// The Deployment of a ReplicaSet, otherwise the object itself.
explain::ObjectName OutermostOf(const scheduler::model::Cluster& cluster,
                                explain::ObjectName name) {
  if (name.kind != "ReplicaSet") return name;
  const auto* set = cluster.objects<api::ReplicaSet>().Find(name.key);
  const api::OwnerReference* owner =
      set == nullptr ? nullptr : explain::ControllerOf(set->metadata);
  if (owner == nullptr) return name;
  return {owner->api_version, owner->kind, {name.key.namespace_, owner->name}};
}

}  // namespace

std::optional<JsonObject> WhyOutside::Raw(const explain::ObjectName& name) {
  if (cluster_.live() == nullptr) {
    const auto key = [](std::string_view kind, std::string_view home, std::string_view of) {
      return fmt::format("{} {}/{}", kind, home, of);
    };
    if (named_.empty()) {
      for (const JsonObject& object : cluster_.raw()) {
        const JsonObject* metadata = api::ObjectAt(&object, "metadata");
        named_.emplace(
            key(api::StringAt(&object, "kind"), HomeOf(api::StringAt(metadata, "namespace")),
                api::StringAt(metadata, "name")),
            &object);
      }
    }
    const auto found = named_.find(key(name.kind, name.key.namespace_, name.key.name));
    return found == named_.end() ? std::nullopt : std::optional(*found->second);
  }
  const auto* kind = api::scheme::FindKindByName(name.api_version, name.kind);
  if (kind == nullptr) return std::nullopt;
  auto object =
      Get(*cluster_.live(), fmt::format("{}/namespaces/{}/{}/{}", GroupPath(*kind),
                                        client::QueryEscape(name.key.namespace_), kind->resource,
                                        client::QueryEscape(name.key.name)));
  if (object) {
    object->insert_or_assign("kind", name.kind);
    object->insert_or_assign("apiVersion", name.api_version);
  }
  return object;
}

// All events of the namespace; of one object if `name` is not empty.
const explain::Events& WhyOutside::EventsIn(const std::string& namespace_name,
                                            const std::string& name) {
  const auto [found, is_new] = events_.try_emplace(namespace_name + "/" + name);
  explain::Events& events = found->second;
  if (!is_new) return events;
  if (cluster_.live() == nullptr) {
    for (const JsonObject& object : cluster_.raw()) {
      if (api::StringAt(&object, "kind") == "Event") events.push_back(object);
    }
  } else {
    events = List(
        *cluster_.live(),
        fmt::format("/api/v1/namespaces/{}/events", client::QueryEscape(namespace_name)),
        name.empty() ? "" : "&fieldSelector=" + client::QueryEscape("involvedObject.name=" + name));
  }
  explain::SortByTime(events);
  return events;
}

explain::Events WhyOutside::EventsOf(const explain::ObjectName& name) {
  const bool one = !many_ && name.kind == "Pod";
  explain::Events events;
  for (const JsonObject& event :
       EventsIn(name.key.namespace_, one ? name.key.name : std::string())) {
    if (IsAbout(event, name)) events.push_back(event);
  }
  return events;
}

explain::AutoscalerFacts WhyOutside::FactsFor(const explain::ObjectName& pod) {
  // Of the ConfigMap in which cluster-autoscaler says how it is.
  const explain::ObjectName status{"v1", "ConfigMap", {"kube-system", "cluster-autoscaler-status"}};
  explain::AutoscalerFacts facts;
  facts.of_pod = EventsOf(pod);
  facts.now = cluster_.now();
  const auto concerns = [&](std::string_view reason) {
    return explain::LatestEvent(facts.of_pod, {reason}) != nullptr;
  };
  if (concerns("TriggeredScaleUp") || concerns("NotTriggerScaleUp")) {
    for (const JsonObject& event : EventsIn(status.key.namespace_, status.key.name)) {
      if (IsAbout(event, status)) facts.of_autoscaler.push_back(event);
    }
  }
  if (concerns("Nominated")) {
    if (!node_claims_) {
      node_claims_.emplace();
      if (cluster_.live() != nullptr) {
        node_claims_ = List(*cluster_.live(), "/apis/karpenter.sh/v1/nodeclaims", "");
      }
      for (const JsonObject& object : cluster_.raw()) {
        if (api::StringAt(&object, "kind") == "NodeClaim") node_claims_->push_back(object);
      }
    }
    facts.node_claims = *node_claims_;
  }
  if (cluster_.live() != nullptr) return facts;
  // Files say when they were written by what happened last.
  for (const explain::Events* events : {&facts.of_pod, &facts.of_autoscaler}) {
    for (const JsonObject& event : *events) {
      facts.now = std::max(facts.now, explain::TimeOfEvent(event).value_or(facts.now));
    }
  }
  return facts;
}

void WhyOutside::AddTo(explain::PodExplanation& pod) {
  using explain::PodState;
  const explain::ObjectName name{"v1", "Pod", pod.pod};
  const bool stuck = pod.state == PodState::kPending && pod.decision &&
                     pod.decision->outcome == explain::Outcome::kUnschedulable;
  if (stuck && !pod.terminating) {
    pod.sentence = explain::WithAutoscaler(pod.sentence, FactsFor(name));
  }
  const bool acts = pod.state == PodState::kRunning || pod.state == PodState::kFailed;
  if (!acts && !pod.terminating) return;
  if (auto trouble = TroubleOf(pod.pod)) pod.sentence = *std::move(trouble);
}

std::optional<JsonObject> WhyOutside::RawPod(const api::ObjectKey& pod) {
  const explain::ObjectName name{"v1", "Pod", pod};
  if (!many_ || cluster_.live() == nullptr) return Raw(name);
  const auto [pods, is_new] = pods_.try_emplace(pod.namespace_);
  if (is_new) {
    for (JsonObject& object :
         List(*cluster_.live(),
              fmt::format("/api/v1/namespaces/{}/pods", client::QueryEscape(pod.namespace_)), "")) {
      std::string key(api::StringAt(api::ObjectAt(&object, "metadata"), "name"));
      pods->second.emplace(std::move(key), std::move(object));
    }
  }
  const auto found = pods->second.find(pod.name);
  return found == pods->second.end() ? Raw(name) : std::optional(found->second);
}

std::optional<explain::Sentence> WhyOutside::TroubleOf(const api::ObjectKey& pod) {
  const auto raw = RawPod(pod);
  if (!raw) return std::nullopt;
  return explain::TroubleOf(*raw, EventsOf({"v1", "Pod", pod}), cluster_.engine().cluster());
}

std::optional<explain::Refusal> WhyOutside::RefusalOf(const explain::ObjectName& workload) {
  const auto found = std::ranges::find(cluster_.refusals(), workload, &explain::Refusal::workload);
  if (found != cluster_.refusals().end()) return *found;
  const auto raw = Raw(workload);
  return raw ? explain::RefusalOf(*raw, EventsOf(workload)) : std::nullopt;
}

explain::Sentence WhyOutside::SentenceOf(const explain::Refusal& refusal) {
  return explain::SentenceOf(refusal, [&](std::string_view kind) {
    return NamesOf(cluster_, kind, refusal.workload.key.namespace_);
  });
}

std::optional<explain::Sentence> WhyOutside::NotCreated(const explain::ObjectName& workload) {
  const auto refusal = RefusalOf(workload);
  return refusal ? std::optional(SentenceOf(*refusal)) : std::nullopt;
}

std::vector<explain::Fix> WhyOutside::FixesOfNotCreated(const explain::ObjectName& workload) {
  const auto refusal = RefusalOf(workload);
  if (!refusal) return {};
  return explain::FixesOf(*refusal, [&](std::string_view kind) {
    return NamesOf(cluster_, kind, workload.key.namespace_);
  });
}

std::vector<explain::ObjectName> WhyOutside::Refused(const std::string& in_namespace) {
  std::set<explain::ObjectName> names;
  explain::Events events;
  if (cluster_.live() != nullptr) {
    const std::string place =
        in_namespace.empty() ? "" : "/namespaces/" + client::QueryEscape(in_namespace);
    events = List(*cluster_.live(), fmt::format("/api/v1{}/events", place), "");
  } else {
    for (const explain::Refusal& refusal : cluster_.refusals()) names.insert(refusal.workload);
    for (const JsonObject& object : cluster_.raw()) {
      const std::string_view kind = api::StringAt(&object, "kind");
      if (kind == "Event") events.push_back(object);
      constexpr std::string_view kWorkloads[] = {
          "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController"};
      if (std::ranges::find(kWorkloads, kind) == std::end(kWorkloads)) continue;
      const JsonObject* metadata = api::ObjectAt(&object, "metadata");
      names.insert(OutermostOf(cluster_.engine().cluster(),
                               {std::string(api::StringAt(&object, "apiVersion")),
                                std::string(kind),
                                {HomeOf(api::StringAt(metadata, "namespace")),
                                 std::string(api::StringAt(metadata, "name"))}}));
    }
  }
  for (const JsonObject& event : events) {
    if (api::StringAt(&event, "reason") != "FailedCreate") continue;
    const JsonObject* about = api::ObjectAt(&event, "involvedObject");
    names.insert(OutermostOf(
        cluster_.engine().cluster(),
        {std::string(api::StringAt(about, "apiVersion")),
         std::string(api::StringAt(about, "kind")),
         {HomeOf(api::StringAt(about, "namespace")), std::string(api::StringAt(about, "name"))}}));
  }
  std::vector<explain::ObjectName> refused(names.begin(), names.end());
  std::erase_if(refused, [&](const explain::ObjectName& name) {
    return !in_namespace.empty() && name.key.namespace_ != in_namespace;
  });
  return refused;
}

std::vector<explain::PodGroups::NotCreated> WhyOutside::AllNotCreated(
    const std::string& in_namespace) {
  std::vector<explain::PodGroups::NotCreated> all;
  for (const explain::ObjectName& name : Refused(in_namespace)) {
    if (all.size() >= kMostRefused) break;
    if (const auto refusal = RefusalOf(name)) all.push_back({name, SentenceOf(*refusal)});
  }
  std::ranges::sort(all, {}, [](const auto& one) { return one.workload.key; });
  return all;
}

}  // namespace berth::cmd
