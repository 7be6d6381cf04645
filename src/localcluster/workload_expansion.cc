#include "localcluster/workload_expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "apiserver/store/codec.h"
#include "base/check.h"
#include "localcluster/cron_job.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {
namespace {

using api::scheme::Kind;

constexpr uint64_t kSeed = 1;
// The length of the suffix that an API server appends to generateName.
constexpr size_t kSuffixLength = 5;

const Kind& CronJobKind() {
  static const Kind& kind = api::scheme::KindOf("cronjobs.batch");
  return kind;
}

// Removes what an API server sets, so that a workload of a dump is created anew.
void MakeNew(const Kind& kind, JsonObject& workload) {
  workload.erase("status");
  JsonObject& metadata = EnsureObject(workload, "metadata");
  for (const std::string_view key :
       {"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"}) {
    metadata.erase(key);
  }
  JsonObject& spec = EnsureObject(workload, "spec");
  if (&kind != &Jobs() || BoolAt(&spec, "manualSelector")) return;
  spec.erase("selector");
  JsonObject* labels = ObjectAt(ObjectAt(ObjectAt(&spec, "template"), "metadata"), "labels");
  if (labels == nullptr) return;
  for (const std::string_view key : {"controller-uid", "batch.kubernetes.io/controller-uid",
                                     "job-name", "batch.kubernetes.io/job-name"}) {
    labels->erase(key);
  }
}

// Returns the number of pods that the workload has at first; for a DaemonSet, at least.
int64_t WantedPods(const Kind& kind, const JsonObject& workload, size_t nodes) {
  const JsonObject* spec = ObjectAt(&workload, "spec");
  if (&kind == &DaemonSets()) return nodes == 0 ? 0 : 1;
  if (&kind == &Jobs()) {
    if (BoolAt(spec, "suspend")) return 0;
    constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
    return std::min(IntAt(spec, "parallelism").value_or(1),
                    IntAt(spec, "completions").value_or(kNoLimit));
  }
  return IntAt(spec, "replicas").value_or(1);
}

}  // namespace

bool IsWorkload(const Kind& kind) {
  const std::array all = {&Deployments(),  &ReplicaSets(), &ReplicationControllers(),
                          &StatefulSets(), &DaemonSets(),  &Jobs(),
                          &CronJobKind()};
  return std::ranges::find(all, &kind) != all.end();
}

WorkloadExpansion::WorkloadExpansion(Instant now) : clock_(now) {
  auto opened = apiserver::store::Store::Open({.collections = api::scheme::CollectionNames()},
                                              /*journal=*/nullptr);
  CHECK(opened.has_value());  // Only a journal can fail.
  store_ = *std::move(opened);
}

WorkloadExpansion::~WorkloadExpansion() = default;

void WorkloadExpansion::AddObject(const Kind& kind, const JsonObject& document) {
  auto draft = apiserver::store::MakeDraft(kind, document);
  if (!draft) return;  // Nested deeper than a server accepts: nothing depends on it.
  const auto created = store_->Create(kind.collection, std::move(*draft));
  if (!created) return;
  known_.emplace(kind.collection, (*created)->key);
  nodes_ += &kind == &Nodes();
}

Result<WorkloadExpansion::Expanded> WorkloadExpansion::Expand(const Kind& kind, Json workload) {
  if (!api_) {
    // Pods have the groups of their templates; a scheduler without the feature ignores them.
    constexpr apiserver::admission::WorkloadGates kOn{.generic_workload = true,
                                                      .topology_aware_workload_scheduling = true,
                                                      .workload_aware_preemption = true};
    api_ = std::make_unique<apiserver::registry::Api>(*store_, clock_, kSeed, kOn);
    cluster_ = std::make_unique<LocalCluster>(
        *api_, clock_, LocalClusterOptions{.kubelets = false, .workloads_only = true});
  }
  JsonObject& document = workload.get_object();
  MakeNew(kind, document);
  std::string namespace_(StringAt(ObjectAt(&document, "metadata"), "namespace"));
  if (namespace_.empty()) namespace_ = "default";
  if (&kind == &StatefulSets()) {
    SetString(EnsureObject(document, "spec"), "podManagementPolicy", "Parallel");
  }
  Expanded expanded;
  if (&kind != &CronJobKind()) {
    if (const Status status = Create(kind, namespace_, workload, expanded); !status) {
      return std::unexpected(status.error());
    }
  } else {
    const auto created = api_->Create(kind, namespace_, workload);
    if (!created) return Fail(created.error().message);
    const Json stored = apiserver::store::Parse(*created->object);
    if (!BoolAt(ObjectAt(AsObject(stored), "spec"), "suspend")) {
      const Status status =
          Create(Jobs(), namespace_, JobOfCronJob(stored.get_object(), clock_.Now()), expanded);
      if (!status) return std::unexpected(status.error());
    }
  }
  std::vector<Json>& created = expanded.objects;
  for (const Kind* made : {&ReplicaSets(), &Claims(), &Pods()}) {
    for (Json& object : TakeNew(*made)) {
      // A ReplicaSet that was given is not new to the caller.
      if (made != &kind) created.push_back(std::move(object));
    }
  }
  seen_ = store_->version();
  return expanded;
}

Status WorkloadExpansion::Create(const Kind& kind, const std::string& namespace_, Json workload,
                                 Expanded& expanded) {
  const int64_t wanted = WantedPods(kind, workload.get_object(), nodes_);
  if (wanted > kMaxExpandedPods - pods_) {
    return Fail(fmt::format("it has {} pods; at most {} are created for all workloads together",
                            wanted, kMaxExpandedPods));
  }
  const size_t before = store_->Count(Pods().collection);
  const auto created = api_->Create(kind, namespace_, std::move(workload));
  if (!created) return Fail(created.error().message);
  cluster_->RunUntilIdle();
  const auto made = static_cast<int64_t>(store_->Count(Pods().collection) - before);
  pods_ += made;
  if (made >= wanted) return {};
  const Json stored = apiserver::store::Parse(*created->object);
  const auto checked = CheckPod(kind, namespace_, stored.get_object());
  if (checked) return {};
  const api::scheme::ApiError& error = checked.error();
  constexpr int kForbidden = 403;
  if (error.code != kForbidden) return Fail(fmt::format("its pods: {}", error.message));
  expanded.refused = error.message;
  expanded.wanted = wanted;
  expanded.created = made;
  return {};
}

api::scheme::ApiResult<void> WorkloadExpansion::CheckPod(const Kind& kind,
                                                         const std::string& namespace_,
                                                         const JsonObject& workload) {
  const JsonObject* spec = ObjectAt(&workload, "spec");
  const JsonObject* pod_template = ObjectAt(spec, "template");
  if (pod_template == nullptr) return {};
  JsonObject pod = PodFromTemplate(*pod_template, kind, workload);
  SetString(EnsureObject(pod, "metadata"), "generateName", "pod-");
  for (const JsonObject& claim : ObjectsAt(spec, "volumeClaimTemplates")) {
    JsonObject& volume = EnsureArray(EnsureObject(pod, "spec"), "volumes")
                             .emplace_back(boost::json::object_kind)
                             .get_object();
    SetString(volume, "name", StringAt(ObjectAt(&claim, "metadata"), "name"));
    EnsureObject(volume, "emptyDir");
  }
  const auto created = api_->Create(Pods(), namespace_, std::move(pod), {.dry_run = true});
  if (!created) return std::unexpected(created.error());
  return {};
}

std::vector<Json> WorkloadExpansion::TakeNew(const Kind& kind) {
  apiserver::store::ListQuery query;
  query.matches = [&](const apiserver::store::Object& object) {
    return object.version > seen_ && !known_.contains({kind.collection, object.key});
  };
  std::vector<std::pair<apiserver::store::Version, Json>> objects;
  for (const auto& object : store_->List(kind.collection, query).objects) {
    known_.emplace(kind.collection, object->key);
    objects.emplace_back(object->version, apiserver::store::Parse(*object));
  }
  // A list is in the order of names.
  std::ranges::stable_sort(objects, {}, [](const auto& object) { return object.first; });
  std::vector<Json> documents;
  for (auto& [version, document] : objects) {
    JsonObject& metadata = EnsureObject(document.get_object(), "metadata");
    NumberName(metadata);
    for (const std::string_view key : {"uid", "resourceVersion", "creationTimestamp"}) {
      if (&kind == &Pods() || key == "resourceVersion") metadata.erase(key);
    }
    documents.push_back(std::move(document));
  }
  return documents;
}

void WorkloadExpansion::NumberName(JsonObject& metadata) {
  const std::string_view name = StringAt(&metadata, "name");
  if (StringAt(&metadata, "generateName").empty() || name.size() < kSuffixLength) return;
  const std::string prefix(name.substr(0, name.size() - kSuffixLength));
  SetString(metadata, "name", fmt::format("{}{}", prefix, ++numbers_[prefix]));
}

}  // namespace berth::localcluster
