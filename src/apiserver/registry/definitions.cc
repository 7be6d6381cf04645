#include "apiserver/registry/definitions.h"

#include <utility>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::registry {

const api::scheme::Kind& DefinitionKind() {
  static const api::scheme::Kind& kind =
      api::scheme::KindOf("customresourcedefinitions.apiextensions.k8s.io");
  return kind;
}

Definitions::Definitions(store::Store& store, bool alpha_workloads)
    : store_(store),
      alpha_workloads_(alpha_workloads),
      kinds_(std::make_shared<api::scheme::KindSet>(std::vector<api::scheme::KindPtr>(), 0,
                                                    alpha_workloads)) {
  Refresh();
}

std::shared_ptr<const api::scheme::KindSet> Definitions::kinds() const {
  const std::lock_guard lock(mutex_);
  return kinds_;
}

void Definitions::WhenKindsChange(std::function<void()> changed) {
  const std::lock_guard lock(mutex_);
  listeners_.push_back(std::move(changed));
}

Definitions::ResourcePtr Definitions::Find(store::Collection collection) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_collection_.find(collection);
  return found == by_collection_.end() ? nullptr : found->second;
}

std::vector<Definitions::ResourcePtr> Definitions::Terminating() const {
  std::vector<ResourcePtr> found;
  const std::lock_guard lock(mutex_);
  for (const auto& [collection, resource] : by_collection_) {
    if (resource->terminating()) found.push_back(resource);
  }
  return found;
}

std::vector<std::string> Definitions::Unaccepted() const {
  std::vector<std::string> names;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, entry] : entries_) {
    if (!entry->accepted) names.push_back(name);
  }
  return names;
}

crd::TakenNames Definitions::TakenByOthers(std::string_view group, std::string_view name) const {
  crd::TakenNames taken;
  const std::lock_guard lock(mutex_);
  for (const auto& [other, entry] : entries_) {
    if (other == name || entry->group != group) continue;
    taken.resources.insert(entry->names.resources.begin(), entry->names.resources.end());
    taken.kinds.insert(entry->names.kinds.begin(), entry->names.kinds.end());
  }
  return taken;
}

Definitions::EntryPtr Definitions::Read(const store::ObjectPtr& object, const Entry* before) const {
  const api::Json parsed = store::Parse(*object);
  const api::JsonObject& definition = parsed.get_object();
  const api::JsonObject* spec = api::ObjectAt(&definition, "spec");
  const bool deleting = api::At(api::ObjectAt(&definition, "metadata"), "deletionTimestamp");
  auto entry = std::make_shared<Entry>();
  entry->object = object;
  entry->group = api::StringAt(spec, "group");
  entry->names.Add(definition);
  entry->accepted = deleting || crd::HasCondition(definition, "NamesAccepted");
  if (!crd::HasCondition(definition, "Established")) return entry;
  const std::string& group = entry->group;
  const std::string_view plural = api::StringAt(api::ObjectAt(spec, "names"), "plural");
  auto made = crd::CustomResource::Make(
      definition,
      {.object = object,
       .collection = store_.AddCollection(crd::CustomResource::CollectionName(group, plural)),
       .before = before != nullptr ? before->resource.get() : nullptr});
  // Definitions in the store have been validated, so this succeeds.
  if (made) entry->resource = *std::move(made);
  return entry;
}

void Definitions::Refresh() {
  const std::lock_guard refreshing(refresh_mutex_);
  Entries entries;
  for (const store::ObjectPtr& object : store_.List(DefinitionKind().collection, {}).objects) {
    // Only this function, one call at a time, changes entries_.
    const auto known = entries_.find(object->key.name);
    const EntryPtr before = known != entries_.end() ? known->second : nullptr;
    const bool same = before != nullptr && before->object->version == object->version;
    entries.emplace(object->key.name, same ? before : Read(object, before.get()));
  }
  std::vector<store::Collection> removed;
  {
    const std::lock_guard lock(mutex_);
    entries_.swap(entries);
    by_collection_.clear();
    bool terminating = false;
    for (const auto& [name, entry] : entries_) {
      if (entry->resource == nullptr) continue;
      by_collection_.emplace(entry->resource->collection(), entry->resource);
      terminating |= entry->resource->terminating();
    }
    any_terminating_ = terminating;
    for (const auto& [name, entry] : entries) {
      if (entry->resource == nullptr) continue;
      const store::Collection collection = entry->resource->collection();
      if (!by_collection_.contains(collection)) removed.push_back(collection);
    }
  }
  Publish();
  for (const store::Collection collection : removed) store_.RemoveCollection(collection);
}

void Definitions::Publish() {
  std::vector<std::function<void()>> listeners;
  {
    const std::lock_guard lock(mutex_);
    std::vector<api::scheme::KindPtr> custom;
    for (const auto& [name, entry] : entries_) {
      if (entry->resource == nullptr) continue;
      for (const crd::CustomVersion& version : entry->resource->versions()) {
        if (version.served) custom.emplace_back(entry->resource, &version.kind);
      }
    }
    kinds_ = std::make_shared<api::scheme::KindSet>(std::move(custom), kinds_->revision() + 1,
                                                    alpha_workloads_);
    listeners = listeners_;
  }
  for (const auto& changed : listeners) changed();
}

}  // namespace berth::apiserver::registry
