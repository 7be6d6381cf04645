#include "world/object_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "api/decode.h"
#include "kinds/kept_text.h"

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
  ObjectFeed::Decode decode_kept = nullptr;  // Null: its objects' texts are never kept.
};
constexpr Source kSources[] = {
    {"namespaces", DecodeAs<api::Namespace>},
    {"nodes", DecodeAs<api::Node>, apiserver::DecodeKeepingText<api::Node>},
    {"csinodes.storage.k8s.io", DecodeAs<api::CsiNode>},
    {"csidrivers.storage.k8s.io", DecodeAs<api::CsiDriver>},
    {"storageclasses.storage.k8s.io", DecodeAs<api::StorageClass>},
    {"csistoragecapacities.storage.k8s.io", DecodeAs<api::CsiStorageCapacity>},
    {"volumeattachments.storage.k8s.io", DecodeAs<api::VolumeAttachment>},
    {"resourceclaims.resource.k8s.io", DecodeAs<api::ResourceClaim>},
    {"deviceclasses.resource.k8s.io", DecodeAs<api::DeviceClass>},
    {"resourceslices.resource.k8s.io", DecodeAs<api::ResourceSlice>},
    {"persistentvolumes", DecodeAs<api::PersistentVolume>},
    {"persistentvolumeclaims", DecodeAs<api::PersistentVolumeClaim>},
    {"services", DecodeAs<api::Service>},
    {"replicationcontrollers", DecodeAs<api::ReplicationController>},
    {"replicasets.apps", DecodeAs<api::ReplicaSet>},
    {"statefulsets.apps", DecodeAs<api::StatefulSet>},
    {"poddisruptionbudgets.policy", DecodeAs<api::PodDisruptionBudget>},
    {"pods", DecodeAs<api::Pod>, apiserver::DecodeKeepingText<api::Pod>},
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

bool ObjectFeed::Read(size_t limit, std::vector<FeedChange>& out) {
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

void ObjectFeed::List(std::vector<FeedChange>& out) {
  ++lists_;
  const store::ListResult list = store_.List(kind_.collection, {});
  cursor_ = store_.Watch(kind_.collection, list.version, wake_);
  driver::Listed listed;
  listed.objects.reserve(list.objects.size());
  std::map<store::ObjectName, std::string> unreadable;
  for (const store::ObjectPtr& object : list.objects) {
    if (!IsWanted(*object)) continue;
    const api::Object* told = told_.Find(object->key.namespace_, object->key.name);
    if (told != nullptr && api::MetaOf(*told).resource_version == std::to_string(object->version)) {
      listed.objects.push_back(*told);
    } else if (auto decoded = Read(*object)) {
      listed.objects.push_back(*std::move(decoded));
    } else {
      listed.unreadable.push_back({object->key.namespace_, object->key.name});
      unreadable.emplace(object->key, object->uid);
    }
  }
  unreadable_ = std::move(unreadable);
  told_.Replace(std::move(listed), events_);
  HandOver(0, false, out);
}

void ObjectFeed::Take(const store::Event& event, std::vector<FeedChange>& out) {
  const store::Object& object = *event.object;
  if (event.type == store::EventType::kDeleted || !IsWanted(object)) {
    unreadable_.erase(object.key);
    told_.Gone(object.key.namespace_, object.key.name, events_);
  } else if (auto decoded = Read(object)) {
    told_.Put(*std::move(decoded), events_);
  }
  HandOver(object.version, event.type == store::EventType::kAdded, out);
}

std::optional<api::Object> ObjectFeed::Read(const store::Object& object) {
  auto decoded = decode_(object.json);
  if (decoded) return *std::move(decoded);
  const auto [seen, is_new] = unreadable_.try_emplace(object.key, object.uid);
  if (is_new || seen->second != object.uid) {
    seen->second = object.uid;
    log_(fmt::format("the scheduler does not see {}", decoded.error().message));
  }
  return std::nullopt;
}

void ObjectFeed::HandOver(store::Version version, bool created, std::vector<FeedChange>& out) {
  for (Event& event : events_) {
    const bool is_put = std::holds_alternative<ObjectPut>(event);
    out.push_back({std::move(event), version, created && is_put});
  }
  events_.clear();
}

std::vector<ObjectFeed> EngineFeeds(store::Store& store, const std::function<void()>& wake,
                                    const Log& log, bool keep_texts) {
  std::vector<ObjectFeed> feeds;
  for (const Source& source : kSources) {
    const bool keep = keep_texts && source.decode_kept != nullptr;
    feeds.emplace_back(store, apiserver::KindOf(source.resource),
                       keep ? source.decode_kept : source.decode, wake, log);
  }
  return feeds;
}

}  // namespace berth::world
