#include "world/revisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "world/documents.h"

namespace berth::world {

namespace {

struct Revision {
  ObjectName name;
  std::string hash;
  int64_t number = 0;
};

std::vector<Revision> RevisionsOf(const Context& context, const JsonObject* owner) {
  store::ListQuery query;
  query.namespace_ = StringAt(owner, "namespace");
  std::vector<Revision> revisions;
  for (const auto& object : context.store().List(ControllerRevisions().collection, query).objects) {
    const Json document = apiserver::Parse(*object);
    const JsonObject* controller = ControllerOf(ObjectAt(AsObject(document), "metadata"));
    if (StringAt(controller, "uid") != StringAt(owner, "uid")) continue;
    const std::string* hash = LabelOf(*object, kRevisionHash);
    revisions.push_back(
        {object->key, hash ? *hash : "", IntAt(AsObject(document), "revision").value_or(0)});
  }
  std::ranges::stable_sort(revisions, {}, &Revision::number);
  return revisions;
}

void CreateRevision(Context& context, const Kind& kind, const JsonObject& workload,
                    const ObjectName& name, const std::string& hash, int64_t number) {
  const JsonObject* pod_template = ObjectAt(ObjectAt(&workload, "spec"), "template");
  JsonObject revision;
  JsonObject& metadata = ObjectIn(revision, "metadata");
  SetString(metadata, "name", name.name);
  if (const Json* labels = At(ObjectAt(pod_template, "metadata"), "labels")) {
    metadata["labels"] = *labels;
  }
  SetString(ObjectIn(metadata, "labels"), kRevisionHash, hash);
  SetController(metadata, kind, workload);
  SetInt(revision, "revision", number);
  if (pod_template) {
    JsonObject& data = ObjectIn(ObjectIn(revision, "data"), "spec");
    data["template"] = *pod_template;
    SetString(ObjectIn(data, "template"), "$patch", "replace");
  }
  // If it is there already, the next look finds it.
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
  const auto own = std::ranges::find(revisions, name, &Revision::name);
  if (own == revisions.end()) {
    CreateRevision(context, kind, workload, name, hash, newest + 1);
  } else if (own->number < newest) {
    (void)context.api.Modify(ControllerRevisions(), name, [&](Json& document) {
      SetInt(document.get_object(), "revision", newest + 1);
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
  const store::ObjectPtr object =
      context.store().Get(ControllerRevisions().collection, {namespace_, revision});
  const Json document = object ? apiserver::Parse(*object) : Json();
  const JsonObject* spec = ObjectAt(ObjectAt(AsObject(document), "data"), "spec");
  const JsonObject* found = ObjectAt(spec, "template");
  if (!found) found = ObjectAt(ObjectAt(&workload, "spec"), "template");
  JsonObject copy = found ? *found : JsonObject();
  copy.erase("$patch");
  return copy;
}

}  // namespace berth::world
