#include "runtime/embedded/store_reflector.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/watched_resources.h"

namespace berth::runtime::embedded {

StoreReflector::StoreReflector(apiserver::store::Store& store, const api::scheme::Kind& kind,
                               client::ObjectCodec codec, std::function<void()> wake, Log log)
    : store_(store),
      kind_(kind),
      codec_(codec),
      wake_(std::move(wake)),
      log_(std::move(log)),
      phase_field_(kind.selectable_fields.size()) {
  if (kind.kind != "Pod") return;
  const auto phase = std::ranges::find(kind.selectable_fields, "status.phase");
  phase_field_ = static_cast<size_t>(phase - kind.selectable_fields.begin());
}

bool StoreReflector::Read(size_t limit, std::vector<StoreChange>& out) {
  read_.clear();
  if (cursor_ == nullptr || !cursor_->Read(limit, read_)) {
    List(out);
    return true;
  }
  for (const apiserver::store::Event& event : read_) Take(event, out);
  return !read_.empty();
}

bool StoreReflector::IsWanted(const apiserver::store::Object& object) const {
  if (phase_field_ >= object.fields.size()) return true;
  const std::string& phase = object.fields[phase_field_];
  return phase != "Succeeded" && phase != "Failed";
}

void StoreReflector::List(std::vector<StoreChange>& out) {
  ++lists_;
  const apiserver::store::ListResult list = store_.List(kind_.collection, {});
  cursor_ = store_.Watch(kind_.collection, list.version, wake_);
  client::ObjectList listed;
  listed.objects.reserve(list.objects.size());
  for (const apiserver::store::ObjectPtr& object : list.objects) {
    if (!IsWanted(*object)) continue;
    const api::Object* cached = cache_.Find(object->key.namespace_, object->key.name);
    if (cached != nullptr &&
        api::MetaOf(*cached).resource_version == std::to_string(object->version)) {
      listed.objects.push_back(*cached);
    } else if (auto decoded = Read(*object)) {
      listed.objects.push_back(*std::move(decoded));
    } else {
      listed.unreadable.push_back({object->key.namespace_, object->key.name});
    }
  }
  cache_.Replace(std::move(listed), changes_);
  HandOver(0, false, out);
}

void StoreReflector::Take(const apiserver::store::Event& event, std::vector<StoreChange>& out) {
  const apiserver::store::Object& object = *event.object;
  if (event.type == apiserver::store::EventType::kDeleted || !IsWanted(object)) {
    cache_.Gone(object.key.namespace_, object.key.name, changes_);
  } else if (auto decoded = Read(object)) {
    cache_.Put(*std::move(decoded), changes_);
  }
  HandOver(object.version, event.type == apiserver::store::EventType::kAdded, out);
}

std::optional<api::Object> StoreReflector::Read(const apiserver::store::Object& object) {
  client::Received received = client::ReceiveItem(object.json, client::WireForm::kJson, codec_);
  if (!received.object) {
    if (reported_.Add(object.uid, ""))
      log_(fmt::format("the scheduler does not see {}", received.object.error().message));
    return std::nullopt;
  }
  const std::string problems = client::NewProblems(object.uid, received.undecodable, reported_);
  if (!problems.empty()) {
    log_(fmt::format("{} \"{}\": what cannot be read is left out: {}", kind_.kind,
                     api::KeyOf(*received.object).ToString(), problems));
  }
  return *std::move(received.object);
}

void StoreReflector::HandOver(apiserver::store::Version version, bool created,
                              std::vector<StoreChange>& out) {
  for (api::ObjectChange& change : changes_) {
    const bool is_put = std::holds_alternative<api::ObjectPut>(change);
    out.push_back({std::move(change), version, created && is_put});
  }
  changes_.clear();
}

std::vector<StoreReflector> MakeStoreReflectors(apiserver::store::Store& store,
                                                const std::function<void()>& wake, const Log& log,
                                                bool raw_json,
                                                const scheduler::model::Features& features) {
  std::vector<StoreReflector> reflectors;
  for (const WatchedResource& watched : WatchedResources(features)) {
    const api::scheme::Kind* kind =
        api::scheme::FindKind(watched.group(), watched.version, watched.name());
    if (kind == nullptr) continue;  // A custom resource.
    const bool raw = raw_json && watched.raw_json_codec != nullptr;
    reflectors.emplace_back(store, *kind, raw ? watched.raw_json_codec() : watched.codec(), wake,
                            log);
  }
  return reflectors;
}

}  // namespace berth::runtime::embedded
