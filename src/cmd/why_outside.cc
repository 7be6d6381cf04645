#include "cmd/why_outside.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/scheme/scheme.h"
#include "client/escaping.h"
#include "client/rest_client.h"
#include "explain/outside.h"

namespace berth::cmd {
namespace {

using api::JsonObject;

std::optional<JsonObject> Get(LiveCluster& live, const std::string& path) {
  auto body = client::GetIfFound(live.client(), path);
  if (!body || !*body) return std::nullopt;
  auto document = api::ParseJson(**body);
  if (!document || !document->is_object()) return std::nullopt;
  return std::move(document->get_object());
}

bool IsNamed(const JsonObject& object, const explain::ObjectName& name) {
  const JsonObject* metadata = api::ObjectAt(&object, "metadata");
  const std::string_view home = api::StringAt(metadata, "namespace");
  return api::StringAt(&object, "kind") == name.kind &&
         api::StringAt(metadata, "name") == name.key.name &&
         (home.empty() ? "default" : home) == name.key.namespace_;
}

// Returns the raw JSON of the object, if it may be read.
std::optional<JsonObject> RawObject(WhyCluster& cluster, const explain::ObjectName& name) {
  if (cluster.live() == nullptr) {
    const auto found = std::ranges::find_if(
        cluster.raw(), [&](const JsonObject& object) { return IsNamed(object, name); });
    return found == cluster.raw().end() ? std::nullopt : std::optional(*found);
  }
  const auto* kind = api::scheme::FindKindByName(name.api_version, name.kind);
  if (kind == nullptr) return std::nullopt;
  const std::string group = kind->group.empty()
                                ? fmt::format("/api/{}", kind->version)
                                : fmt::format("/apis/{}/{}", kind->group, kind->version);
  auto object =
      Get(*cluster.live(),
          fmt::format("{}/namespaces/{}/{}/{}", group, client::QueryEscape(name.key.namespace_),
                      kind->resource, client::QueryEscape(name.key.name)));
  if (object) object->insert_or_assign("kind", name.kind);
  return object;
}

std::string_view TimeOf(const JsonObject& event) {
  for (const char* field : {"lastTimestamp", "eventTime", "firstTimestamp"}) {
    if (const auto time = api::StringAt(&event, field); !time.empty()) return time;
  }
  return "";
}

// Reports whether the event is about the object, or about a ReplicaSet of the Deployment.
bool IsAbout(const JsonObject& event, const explain::ObjectName& name) {
  const JsonObject* about = api::ObjectAt(&event, "involvedObject");
  const std::string_view home = api::StringAt(about, "namespace");
  if ((home.empty() ? "default" : home) != name.key.namespace_) return false;
  const std::string_view kind = api::StringAt(about, "kind");
  const std::string_view of = api::StringAt(about, "name");
  if (kind == name.kind) return of == name.key.name;
  const size_t dash = of.rfind('-');
  return name.kind == "Deployment" && kind == "ReplicaSet" && of.substr(0, dash) == name.key.name;
}

explain::Events EventsOf(WhyCluster& cluster, const explain::ObjectName& name) {
  explain::Events events;
  const auto add = [&](const JsonObject& event) {
    if (IsAbout(event, name)) events.push_back(event);
  };
  if (cluster.live() == nullptr) {
    for (const JsonObject& object : cluster.raw()) {
      if (api::StringAt(&object, "kind") == "Event") add(object);
    }
  } else {
    std::string path = fmt::format("/api/v1/namespaces/{}/events?limit=500",
                                   client::QueryEscape(name.key.namespace_));
    if (name.kind == "Pod") {
      path += "&fieldSelector=" +
              client::QueryEscape(fmt::format("involvedObject.name={}", name.key.name));
    }
    const auto list = Get(*cluster.live(), path);
    const api::JsonArray* items = list ? api::ArrayAt(&*list, "items") : nullptr;
    for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
      if (const JsonObject* event = api::AsObject((*items)[i])) add(*event);
    }
  }
  std::ranges::stable_sort(events, {}, TimeOf);
  return events;
}

}  // namespace

void AddOutside(WhyCluster& cluster, explain::PodExplanation& pod) {
  using explain::PodState;
  const explain::ObjectName name{"v1", "Pod", pod.pod};
  const bool stuck = pod.state == PodState::kPending && pod.decision &&
                     pod.decision->outcome == explain::Outcome::kUnschedulable;
  if (stuck && !pod.terminating) {
    pod.sentence = explain::WithAutoscaler(pod.sentence, EventsOf(cluster, name));
  }
  const bool acts = pod.state == PodState::kRunning || pod.state == PodState::kFailed;
  if (!acts && !pod.terminating) return;
  const auto raw = RawObject(cluster, name);
  if (!raw) return;
  if (auto trouble = explain::TroubleOf(*raw, EventsOf(cluster, name))) {
    pod.sentence = *std::move(trouble);
  }
}

std::optional<explain::Sentence> WhyNotCreated(WhyCluster& cluster,
                                               const explain::ObjectName& workload) {
  const auto raw = RawObject(cluster, workload);
  if (!raw) return std::nullopt;
  return explain::NotCreated(*raw, EventsOf(cluster, workload));
}

}  // namespace berth::cmd
