#include "localcluster/workload_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "base/saturating.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

// Pending first, then unknown phases, then Running.
int PhaseRank(const PodRecord& pod) {
  if (pod.phase() == "Pending") return 0;
  return pod.phase() == "Running" ? 2 : 1;
}

}  // namespace

void SortForDeletion(std::vector<const PodRecord*>& pods) {
  std::map<std::string_view, int> crowd;
  for (const PodRecord* pod : pods) ++crowd[pod->node()];
  // The complement reverses the order of any number; the least one has no negative.
  const auto rank = [&](const PodRecord* pod) {
    return std::tuple(!pod->node().empty(), PhaseRank(*pod), pod->ready, pod->deletion_cost,
                      ~crowd[pod->node()], ~pod->ready_since.nanos, ~pod->restarts,
                      ~pod->created.nanos);
  };
  std::ranges::stable_sort(pods, [&](const PodRecord* a, const PodRecord* b) {
    const auto first = rank(a);
    const auto second = rank(b);
    return first != second ? first < second : a->name() < b->name();
  });
}

bool IsAvailable(const PodRecord& pod, int64_t seconds, Instant now, std::optional<Instant>& due) {
  if (!pod.ready) return false;
  if (seconds <= 0) return true;
  const Instant at = pod.ready_since + Duration::Seconds(seconds);
  if (at <= now) return true;
  if (!due || at < *due) due = at;
  return false;
}

namespace {

struct Revision {
  ObjectName name;
  std::string hash;
  int64_t number = 0;
};

std::vector<Revision> RevisionsOf(const Context& context, const JsonObject* owner) {
  apiserver::store::ListQuery query;
  query.namespace_ = StringAt(owner, "namespace");
  std::vector<Revision> revisions;
  for (const auto& object : context.store().List(ControllerRevisions().collection, query).objects) {
    const Json document = apiserver::store::Parse(*object);
    const JsonObject* controller = ControllerOf(ObjectAt(AsObject(document), "metadata"));
    if (StringAt(controller, "uid") != StringAt(owner, "uid")) continue;
    const std::string* hash = LabelOf(*object, kRevisionHash);
    revisions.push_back(
        {object->key, hash ? *hash : "", IntAt(AsObject(document), "revision").value_or(0)});
  }
  std::ranges::stable_sort(revisions, {}, &Revision::number);
  return revisions;
}

// Returns the value with the members of all objects in the order of their names.
Json Sorted(const Json& value) {
  if (const JsonArray* array = value.if_array()) {
    JsonArray sorted;
    for (const Json& item : *array) sorted.push_back(Sorted(item));
    return sorted;
  }
  const JsonObject* object = value.if_object();
  if (!object) return value;
  std::map<std::string_view, const Json*> members;
  for (const auto& member : *object) members[member.key()] = &member.value();
  JsonObject sorted;
  for (const auto& [key, member] : members) sorted[key] = Sorted(*member);
  return sorted;
}

// Returns what a revision stores of a template: a patch, byte by byte as kube-controller-manager
// writes it, since clients find a workload's revision by comparing with that.
Json RevisionData(const JsonObject& pod_template) {
  JsonObject copy = pod_template;
  SetString(copy, "$patch", "replace");
  JsonObject& spec = EnsureObject(copy, "spec");
  for (const std::string_view list : {"containers", "initContainers"}) {
    JsonArray* containers = ArrayAt(&spec, list);
    for (size_t i = 0; containers && i < containers->size(); ++i) {
      if (JsonObject* container = (*containers)[i].if_object()) {
        EnsureObject(*container, "resources");
      }
    }
  }
  JsonObject data;
  EnsureObject(data, "spec")["template"] = Sorted(copy);
  return data;
}

void CreateRevision(Context& context, const Kind& kind, const JsonObject& workload,
                    const ObjectName& name, const std::string& hash, int64_t number) {
  const JsonObject* pod_template = ObjectAt(ObjectAt(&workload, "spec"), "template");
  JsonObject revision;
  JsonObject& metadata = EnsureObject(revision, "metadata");
  SetString(metadata, "name", name.name);
  if (const Json* labels = At(ObjectAt(pod_template, "metadata"), "labels")) {
    metadata["labels"] = *labels;
  }
  SetString(EnsureObject(metadata, "labels"), kRevisionHash, hash);
  SetController(metadata, kind, workload);
  SetInt(revision, "revision", number);
  if (pod_template) revision["data"] = RevisionData(*pod_template);
  // If it already exists, the next sync finds it.
  (void)context.api.Create(ControllerRevisions(), name.namespace_, std::move(revision));
}

}  // namespace

std::string TemplateHash(const JsonObject& workload) {
  const Json* pod_template = At(ObjectAt(&workload, "spec"), "template");
  return SafeHash(pod_template ? CanonicalText(*pod_template) : "");
}

std::string EnsureRevision(Context& context, const Kind& kind, const JsonObject& workload,
                           const std::string& hash, const std::set<std::string>& live) {
  const JsonObject* owner = ObjectAt(&workload, "metadata");
  const ObjectName name{std::string(StringAt(owner, "namespace")),
                        fmt::format("{}-{}", StringAt(owner, "name"), hash)};
  const JsonObject* status = ObjectAt(&workload, "status");
  const bool settled = IntAt(status, "observedGeneration") == IntAt(owner, "generation");
  if (settled && context.store().Get(ControllerRevisions().collection, name)) return name.name;
  std::vector<Revision> revisions = RevisionsOf(context, owner);
  const int64_t newest = revisions.empty() ? 0 : revisions.back().number;
  const int64_t next = SaturatingAdd(newest, 1);
  const auto own = std::ranges::find(revisions, name, &Revision::name);
  if (own == revisions.end()) {
    CreateRevision(context, kind, workload, name, hash, next);
  } else if (own->number < newest) {
    (void)context.api.Modify(ControllerRevisions(), name, [&](Json& document) {
      SetInt(document.get_object(), "revision", next);
      return true;
    });
  }
  std::erase_if(revisions, [&](const Revision& revision) {
    return revision.hash == hash || live.contains(revision.hash);
  });
  const auto limit = static_cast<size_t>(std::max<int64_t>(
      0, IntAt(ObjectAt(&workload, "spec"), "revisionHistoryLimit").value_or(10)));
  for (size_t i = 0; i + limit < revisions.size(); ++i) {
    (void)context.api.Delete(ControllerRevisions(), revisions[i].name);
  }
  return name.name;
}

JsonObject TemplateOfRevision(const Context& context, const JsonObject& workload,
                              const std::string& revision) {
  const std::string namespace_(StringAt(ObjectAt(&workload, "metadata"), "namespace"));
  const apiserver::store::ObjectPtr object =
      context.store().Get(ControllerRevisions().collection, {namespace_, revision});
  const Json document = object ? apiserver::store::Parse(*object) : Json();
  const JsonObject* spec = ObjectAt(ObjectAt(AsObject(document), "data"), "spec");
  const JsonObject* found = ObjectAt(spec, "template");
  if (!found) found = ObjectAt(ObjectAt(&workload, "spec"), "template");
  JsonObject copy = found ? *found : JsonObject();
  copy.erase("$patch");
  return copy;
}

}  // namespace berth::localcluster
