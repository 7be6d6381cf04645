#include "world/object_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "api/decode.h"

namespace berth::world {
namespace {

template <typename T>
Result<api::Object> DecodeAs(std::string_view json) {
  auto object = api::DecodeJsonAs<T>(json);
  if (!object) return std::unexpected(object.error());
  return api::Object(*std::move(object));
}

struct Source {
  std::string_view resource;
  ObjectFeed::Decode decode;
};
constexpr Source kSources[] = {
    {"namespaces", DecodeAs<api::Namespace>},
    {"nodes", DecodeAs<api::Node>},
    {"csinodes.storage.k8s.io", DecodeAs<api::CsiNode>},
    {"csidrivers.storage.k8s.io", DecodeAs<api::CsiDriver>},
    {"storageclasses.storage.k8s.io", DecodeAs<api::StorageClass>},
    {"csistoragecapacities.storage.k8s.io", DecodeAs<api::CsiStorageCapacity>},
    {"volumeattachments.storage.k8s.io", DecodeAs<api::VolumeAttachment>},
    {"resourceclaims.resource.k8s.io", DecodeAs<api::ResourceClaim>},
    {"deviceclasses.resource.k8s.io", DecodeAs<api::DeviceClass>},
    {"persistentvolumes", DecodeAs<api::PersistentVolume>},
    {"persistentvolumeclaims", DecodeAs<api::PersistentVolumeClaim>},
    {"services", DecodeAs<api::Service>},
    {"replicationcontrollers", DecodeAs<api::ReplicationController>},
    {"replicasets.apps", DecodeAs<api::ReplicaSet>},
    {"statefulsets.apps", DecodeAs<api::StatefulSet>},
    {"poddisruptionbudgets.policy", DecodeAs<api::PodDisruptionBudget>},
    {"pods", DecodeAs<api::Pod>},
};

}  // namespace

ObjectFeed::ObjectFeed(store::Store& store, const apiserver::Kind& kind, Decode decode,
                       std::function<void()> wake, Log log)
    : store_(store),
      kind_(kind),
      decode_(decode),
      wake_(std::move(wake)),
      log_(std::move(log)),
      phase_field_(kind.selectable.size()) {
  if (kind.kind != "Pod") return;
  const auto phase = std::ranges::find(kind.selectable, "status.phase");
  phase_field_ = static_cast<size_t>(phase - kind.selectable.begin());
}

bool ObjectFeed::Read(size_t limit, std::vector<Change>& out) {
  read_.clear();
  if (cursor_ == nullptr || !cursor_->Read(limit, read_)) {
    List(out);
    return true;
  }
  for (const store::Event& event : read_) Take(event, out);
  return !read_.empty();
}

bool ObjectFeed::IsWanted(const store::Object& object) const {
  if (phase_field_ >= object.fields.size()) return true;
  const std::string& phase = object.fields[phase_field_];
  return phase != "Succeeded" && phase != "Failed";
}

void ObjectFeed::List(std::vector<Change>& out) {
  ++lists_;
  const store::ListResult list = store_.List(kind_.collection, {});
  cursor_ = store_.Watch(kind_.collection, list.version, wake_);
  std::set<store::ObjectName> there;
  for (const store::ObjectPtr& object : list.objects) {
    if (IsWanted(*object)) there.insert(object->key);
  }
  std::erase_if(unreadable_, [&](const auto& entry) { return !there.contains(entry.first); });
  for (auto told = told_.begin(); told != told_.end();) {
    const auto next = std::next(told);
    if (!there.contains(told->first)) Gone(told, 0, out);
    told = next;
  }
  for (const store::ObjectPtr& object : list.objects) {
    if (!there.contains(object->key)) continue;
    const auto told = told_.find(object->key);
    const bool is_news = told == told_.end() || told->second.version != object->version;
    if (is_news) Put(*object, {}, out);
  }
}

void ObjectFeed::Take(const store::Event& event, std::vector<Change>& out) {
  const store::Object& object = *event.object;
  if (event.type != store::EventType::kDeleted && IsWanted(object)) {
    Change change;
    change.version = object.version;
    change.created = event.type == store::EventType::kAdded;
    return Put(object, std::move(change), out);
  }
  unreadable_.erase(object.key);
  const auto told = told_.find(object.key);
  if (told != told_.end()) Gone(told, object.version, out);
}

void ObjectFeed::Put(const store::Object& object, Change change, std::vector<Change>& out) {
  auto decoded = decode_(object.json);
  if (!decoded) {
    const auto [seen, is_new] = unreadable_.try_emplace(object.key, object.uid);
    if (is_new || seen->second != object.uid) {
      seen->second = object.uid;
      log_(fmt::format("the scheduler does not see {}", decoded.error().message));
    }
    return;
  }
  const auto told = told_.find(object.key);
  if (told != told_.end() && told->second.uid != object.uid) Gone(told, change.version, out);
  told_.insert_or_assign(object.key, Told{object.uid, object.version, *decoded});
  change.event = ObjectPut{*std::move(decoded)};
  out.push_back(std::move(change));
}

void ObjectFeed::Gone(Known::iterator told, store::Version version, std::vector<Change>& out) {
  out.push_back({ObjectGone{std::move(told->second.object)}, version});
  told_.erase(told);
}

std::vector<ObjectFeed> EngineFeeds(store::Store& store, const std::function<void()>& wake,
                                    const Log& log) {
  std::vector<ObjectFeed> feeds;
  for (const Source& source : kSources) {
    feeds.emplace_back(store, apiserver::KindOf(source.resource), source.decode, wake, log);
  }
  return feeds;
}

}  // namespace berth::world
