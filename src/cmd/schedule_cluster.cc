#include "cmd/schedule_cluster.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <variant>

#include "api/json/decode.h"
#include "api/json/document.h"
#include "api/json/encode.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/quantity.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/defaulting.h"
#include "apiserver/admission/pod_limits.h"
#include "apiserver/admission/quota_usage.h"
#include "base/suggestion.h"
#include "client/escaping.h"
#include "client/rest_client.h"
#include "cmd/offline_admission.h"
#include "localcluster/workload_expansion.h"

namespace berth::cmd {
namespace {

using api::AsObject;
using api::JsonObject;
using api::ObjectAt;
using api::StringAt;

Instant LatestTime(const std::vector<api::Object>& objects) {
  Instant latest = kEarliestStart;
  auto consider = [&](const std::optional<Instant>& time) {
    if (time) latest = std::max(latest, *time);
  };
  for (const api::Object& object : objects) {
    consider(api::MetaOf(object).creation_timestamp);
    if (const auto* pod = std::get_if<api::Ref<api::Pod>>(&object))
      consider((*pod)->status.start_time);
  }
  return latest;
}

const api::scheme::Kind& SchemeKindOf(const api::Object& object) {
  const api::KindInfo& info = api::KindOf(object);
  return *api::scheme::FindKindByName(info.api_version, info.kind);
}

bool IsPod(const api::Object& object) { return std::holds_alternative<api::Ref<api::Pod>>(object); }

// Identifies an object: kind, namespace and name.
using Identity = std::tuple<std::string, std::string, std::string>;

std::string HomeOf(std::string_view namespace_) {
  return namespace_.empty() ? "default" : std::string(namespace_);
}

Identity IdentityOf(const Manifest& manifest) {
  const JsonObject* metadata = ObjectAt(AsObject(manifest.document), "metadata");
  return {std::string(manifest.workload->kind), HomeOf(StringAt(metadata, "namespace")),
          std::string(StringAt(metadata, "name"))};
}

// Collects the controllers of objects.
class Owners {
 public:
  void Add(const api::Object& object) {
    const api::ObjectMeta& meta = api::MetaOf(object);
    for (const api::OwnerReference& owner : meta.owner_references) {
      if (owner.controller.value_or(false))
        owners_.insert({owner.kind, HomeOf(meta.namespace_), owner.name});
    }
  }
  void Add(const Manifest& manifest) {
    const JsonObject* metadata = ObjectAt(AsObject(manifest.document), "metadata");
    const api::JsonArray* owners = api::ArrayAt(metadata, "ownerReferences");
    for (size_t i = 0; owners != nullptr && i < owners->size(); ++i) {
      const JsonObject* owner = (*owners)[i].if_object();
      if (!api::BoolAt(owner, "controller")) continue;
      owners_.insert({std::string(StringAt(owner, "kind")), HomeOf(StringAt(metadata, "namespace")),
                      std::string(StringAt(owner, "name"))});
    }
  }
  bool Contains(const Identity& owner) const { return owners_.contains(owner); }

 private:
  std::set<Identity> owners_;
};

// Reports whether the workload has ended or is being deleted: no pods are created for it.
bool IsOver(const JsonObject& workload) {
  if (api::At(ObjectAt(&workload, "metadata"), "deletionTimestamp") != nullptr) return true;
  const api::JsonArray* conditions = api::ArrayAt(ObjectAt(&workload, "status"), "conditions");
  return StringAt(&workload, "kind") == "Job" && conditions != nullptr &&
         std::ranges::any_of(*conditions, [](const api::Json& condition) {
           const JsonObject* fields = AsObject(condition);
           const std::string_view type = StringAt(fields, "type");
           return (type == "Complete" || type == "Failed") && StringAt(fields, "status") == "True";
         });
}

// What limits the creation of pods: a LimitRange, ResourceQuota or RuntimeClass, as it is given.
struct Limit {
  const api::scheme::Kind* kind;
  JsonObject document;
};

// Sets status.used of the quota to what the objects use, unless it says so itself.
void CountUse(const std::vector<api::Object>& objects, Instant now, JsonObject& quota) {
  const JsonObject* spec = ObjectAt(&quota, "spec");
  const JsonObject* hard = ObjectAt(spec, "hard");
  if (hard == nullptr) return;
  api::ResourceList used =
      apiserver::admission::QuantitiesOf(ObjectAt(ObjectAt(&quota, "status"), "used"));
  const bool known = std::ranges::all_of(
      *hard, [&](const auto& entry) { return used.contains(std::string(entry.key())); });
  const std::string home = HomeOf(StringAt(ObjectAt(&quota, "metadata"), "namespace"));
  if (!known) {
    used.clear();
    for (const auto& entry : *hard) used[std::string(entry.key())];
  }
  for (const api::Object& object : objects) {
    if (known || api::MetaOf(object).namespace_ != home) continue;
    const api::scheme::Kind& kind = SchemeKindOf(object);
    const auto document = api::ParseJson(api::EncodeJson(object));
    if (!document) continue;
    const JsonObject& fields = document->get_object();
    if (!apiserver::admission::MatchesQuotaScopes(spec, kind, fields)) continue;
    for (const auto& [resource, amount] : apiserver::admission::QuotaUsageOf(kind, fields, now)) {
      const auto total = used.find(resource);
      if (total != used.end()) total->second += amount;
    }
  }
  const api::Json limits = *hard;
  JsonObject& status = api::EnsureObject(quota, "status");
  status["hard"] = limits;
  JsonObject& out = api::EnsureObject(status, "used");
  for (const auto& [resource, amount] : used) api::SetString(out, resource, amount.ToString());
}

class ClusterMaker {
 public:
  ClusterMaker(Manifests manifests, const scheduler::model::Features& features)
      : manifests_(std::move(manifests)), features_(features) {}

  // Checks that the files go with the cluster, and adds the cluster's objects.
  Status AddLive(std::vector<api::Object> live, LiveCluster& cluster) {
    std::set<Identity> given;
    std::set<std::string> namespaces;
    for (const Manifest& manifest : manifests_.objects) {
      if (!manifest.object) continue;
      const api::ObjectMeta& meta = api::MetaOf(*manifest.object);
      const std::string kind(api::KindOf(*manifest.object).kind);
      given.insert({kind, meta.namespace_, meta.name});
      if (kind == "Namespace") namespaces.insert(meta.name);
    }
    for (api::Object& object : live) {
      const api::ObjectMeta& meta = api::MetaOf(object);
      if (std::holds_alternative<api::Ref<api::Namespace>>(object)) namespaces.insert(meta.name);
      if (!given.contains({std::string(api::KindOf(object).kind), meta.namespace_, meta.name})) {
        objects_.push_back(std::move(object));
      } else if (IsPod(object)) {
        return Fail(fmt::format("Pod \"{}\" exists in the cluster; give the new pod another name",
                                api::KeyOf(object).ToString()));
      }
    }
    std::set<std::string> homes;  // Of workloads.
    for (const Manifest& manifest : manifests_.objects) {
      if (Status status = CheckNew(manifest, namespaces, cluster); !status) return status;
      if (manifest.workload != nullptr) homes.insert(std::get<1>(IdentityOf(manifest)));
    }
    for (const std::string& home : homes) AddLimitsOf(home, cluster);
    live_ = objects_.size();
    return {};
  }

  Result<ScheduledCluster> Make() {
    made_.start = LatestTime(AllGiven());
    for (const Manifest& manifest : manifests_.objects) {
      if (manifest.object) owners_.Add(*manifest.object);
      if (manifest.workload != nullptr) owners_.Add(manifest);
      if (manifest.limit != nullptr) {
        limits_.push_back({manifest.limit, manifest.document.get_object()});
      }
    }
    for (const api::Object& object : objects_) owners_.Add(object);
    const bool expands = std::ranges::any_of(
        manifests_.objects, [&](const Manifest& manifest) { return IsExpanded(manifest); });
    if (expands) {
      if (Status status = PrepareExpansion(); !status) return std::unexpected(status.error());
    }
    for (Manifest& manifest : manifests_.objects) {
      if (manifest.object) Add(*manifest.object);
      if (manifest.workload == nullptr) continue;
      if (Status status = Expand(manifest); !status) return std::unexpected(status.error());
    }
    AddNotes();
    auto admitted = AdmitAll(objects_, made_.start, features_, live_);
    if (!admitted) return std::unexpected(admitted.error());
    made_.objects = *std::move(admitted);
    return std::move(made_);
  }

 private:
  // Reads what limits new pods in the namespace of a live cluster; nothing that may not be read.
  void AddLimitsOf(const std::string& home, LiveCluster& cluster) {
    for (const char* resource : {"limitranges", "resourcequotas"}) {
      const api::scheme::Kind& kind = api::scheme::KindOf(resource);
      const auto body = client::GetIfFound(
          cluster.client(),
          fmt::format("/api/v1/namespaces/{}/{}", client::QueryEscape(home), resource));
      if (!body || !*body) continue;
      const auto list = api::ParseJson(**body);
      const api::JsonArray* items = list ? api::ArrayAt(AsObject(*list), "items") : nullptr;
      for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
        if (const JsonObject* item = AsObject((*items)[i])) limits_.push_back({&kind, *item});
      }
    }
  }

  static Status CheckNew(const Manifest& manifest, const std::set<std::string>& namespaces,
                         LiveCluster& cluster) {
    const bool is_pod = manifest.object && IsPod(*manifest.object);
    if (!is_pod && manifest.workload == nullptr) return {};
    const std::string home =
        is_pod ? api::MetaOf(*manifest.object).namespace_ : std::get<1>(IdentityOf(manifest));
    if (!namespaces.contains(home)) {
      Suggestion suggestion(home);
      for (const std::string& name : namespaces) suggestion.Consider(name);
      return Fail(fmt::format("{}: namespace \"{}\" not found in the cluster or the files{}",
                              manifest.place, home, suggestion.Text()));
    }
    if (manifest.workload == nullptr) return {};
    const auto& [kind, namespace_, name] = IdentityOf(manifest);
    const auto exists = cluster.Has(*manifest.workload, {namespace_, name});
    if (!exists) return std::unexpected(exists.error());
    if (!*exists) return {};
    return Fail(
        fmt::format("{}: it exists in the cluster; berth schedule places the pods of new "
                    "workloads only, so give it another name",
                    manifest.place));
  }

  std::vector<api::Object> AllGiven() const {
    std::vector<api::Object> all = objects_;
    for (const Manifest& manifest : manifests_.objects) {
      if (manifest.object) all.push_back(*manifest.object);
    }
    return all;
  }

  bool IsExpanded(const Manifest& manifest) const {
    return manifest.workload != nullptr && !owners_.Contains(IdentityOf(manifest)) &&
           !IsOver(manifest.document.get_object());
  }

  void Add(api::Object object) {
    if (IsPod(object)) made_.pods.push_back(api::KeyOf(object));
    objects_.push_back(std::move(object));
  }

  // Gives the expansion the objects that decide which pods are created.
  Status PrepareExpansion() {
    const auto complete = AdmitAll(AllGiven(), made_.start, features_, live_);
    if (!complete) return std::unexpected(complete.error());
    expansion_.emplace(made_.start);
    std::set<std::string> kinds = {"Namespace", "PriorityClass", "StorageClass",
                                   "PersistentVolumeClaim"};
    std::set<std::string> namespaces;
    for (const Manifest& manifest : manifests_.objects) {
      if (!IsExpanded(manifest)) continue;
      const auto& [kind, namespace_, name] = IdentityOf(manifest);
      if (kind == "DaemonSet") kinds.insert("Node");
      // They adopt pods without a controller.
      if (kind.starts_with("Replica")) kinds.insert("Pod");
      namespaces.insert(namespace_);
    }
    for (const api::Object& object : *complete) {
      if (!kinds.contains(std::string(api::KindOf(object).kind))) continue;
      const api::ObjectMeta& meta = api::MetaOf(object);
      if (IsPod(object) &&
          (!meta.owner_references.empty() || !namespaces.contains(meta.namespace_))) {
        continue;
      }
      AddToExpansion(object);
    }
    for (const std::string& name : namespaces) {
      auto created = std::make_shared<api::Namespace>();
      created->metadata.name = name;
      AddToExpansion(api::Ref<api::Namespace>(std::move(created)));
    }
    for (Limit& limit : limits_) {
      apiserver::admission::ApplyDefaults(*limit.kind, limit.document);
      if (limit.kind->namespaced) {
        JsonObject& metadata = api::EnsureObject(limit.document, "metadata");
        api::SetString(metadata, "namespace", HomeOf(StringAt(&metadata, "namespace")));
      }
      if (limit.kind->IsBuiltIn("ResourceQuota")) {
        CountUse(*complete, made_.start, limit.document);
      }
      expansion_->AddObject(*limit.kind, limit.document);
    }
    return {};
  }

  void AddToExpansion(const api::Object& object) {
    const auto document = api::ParseJson(api::EncodeJson(object));
    if (document) expansion_->AddObject(SchemeKindOf(object), document->get_object());
  }

  Status Expand(Manifest& manifest) {
    const auto& [kind, namespace_, name] = IdentityOf(manifest);
    const std::string shown = fmt::format("{} {}/{}", kind, namespace_, name);
    if (owners_.Contains(IdentityOf(manifest))) {
      given_.push_back(shown);
      return {};
    }
    if (IsOver(manifest.document.get_object())) {
      empty_.push_back(shown);
      return {};
    }
    const size_t before = made_.pods.size();
    auto created = expansion_->Expand(*manifest.workload, std::move(manifest.document));
    if (!created) return Fail(fmt::format("{}: {}", manifest.place, created.error().message));
    if (!created->refused.empty()) {
      made_.refusals.push_back(
          {{std::string(manifest.workload->api_version()), kind, {namespace_, name}},
           created->wanted - created->created,
           created->wanted,
           created->refused});
      if (created->created == 0) return {};
    }
    for (const api::Json& document : created->objects) {
      auto decoded = api::DecodeJson(api::ToJsonText(document));
      if (!decoded) return Fail(fmt::format("{}: {}", manifest.place, decoded.error().message));
      for (api::Object& object : *decoded) Add(std::move(object));
    }
    if (made_.pods.size() == before) empty_.push_back(shown);
    return {};
  }

  void AddNotes() {
    const auto note = [&](const std::vector<std::string>& workloads, std::string_view text) {
      constexpr size_t kMaxNames = 5;
      if (workloads.empty()) return;
      const auto shown = std::span(workloads).first(std::min(kMaxNames, workloads.size()));
      const size_t more = workloads.size() - shown.size();
      made_.notes.push_back(fmt::format("{}: {}{}", text, fmt::join(shown, ", "),
                                        more == 0 ? "" : fmt::format(" and {} more", more)));
    };
    note(empty_, "no pods to create for");
    note(given_, "no pods were created for workloads whose pods are given");
  }

  Manifests manifests_;
  const scheduler::model::Features features_;
  std::vector<api::Object> objects_;
  size_t live_ = 0;  // How many of them, the first ones, are of a live cluster.
  Owners owners_;
  std::optional<localcluster::WorkloadExpansion> expansion_;
  std::vector<Limit> limits_;
  std::vector<std::string> given_;  // Workloads whose pods are given.
  std::vector<std::string> empty_;  // Workloads without pods to create.
  ScheduledCluster made_;
};

}  // namespace

Result<ScheduledCluster> MakeCluster(Manifests manifests,
                                     const scheduler::model::Features& features,
                                     std::vector<api::Object>* live, LiveCluster* cluster) {
  ClusterMaker maker(std::move(manifests), features);
  if (live != nullptr) {
    if (Status status = maker.AddLive(std::move(*live), *cluster); !status) {
      return std::unexpected(status.error());
    }
  }
  return maker.Make();
}

}  // namespace berth::cmd
