#include "client/informers.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace berth::client {
namespace {

struct Source {
  std::string_view resource;
  std::string_view path;
  ObjectCodec (*codec)();
  ObjectCodec (*raw_json_codec)() = nullptr;  // Null: the raw JSON of its objects is never needed.
  std::string_view field_selector = {};
};

// Those that src/api decodes; pods come last, so that what they need is on its way first.
constexpr Source kSources[] = {
    {"namespaces", "/api/v1/namespaces", CodecOf<api::Namespace>},
    {"nodes", "/api/v1/nodes", CodecOf<api::Node>, RawJsonCodecOf<api::Node>},
    {"csinodes.storage.k8s.io", "/apis/storage.k8s.io/v1/csinodes", CodecOf<api::CsiNode>},
    {"csidrivers.storage.k8s.io", "/apis/storage.k8s.io/v1/csidrivers", CodecOf<api::CsiDriver>},
    {"storageclasses.storage.k8s.io", "/apis/storage.k8s.io/v1/storageclasses",
     CodecOf<api::StorageClass>},
    {"csistoragecapacities.storage.k8s.io", "/apis/storage.k8s.io/v1/csistoragecapacities",
     CodecOf<api::CsiStorageCapacity>},
    {"volumeattachments.storage.k8s.io", "/apis/storage.k8s.io/v1/volumeattachments",
     CodecOf<api::VolumeAttachment>},
    {"persistentvolumes", "/api/v1/persistentvolumes", CodecOf<api::PersistentVolume>},
    {"persistentvolumeclaims", "/api/v1/persistentvolumeclaims",
     CodecOf<api::PersistentVolumeClaim>},
    {"services", "/api/v1/services", CodecOf<api::Service>},
    {"replicationcontrollers", "/api/v1/replicationcontrollers",
     CodecOf<api::ReplicationController>},
    {"replicasets.apps", "/apis/apps/v1/replicasets", CodecOf<api::ReplicaSet>},
    {"statefulsets.apps", "/apis/apps/v1/statefulsets", CodecOf<api::StatefulSet>},
    {"resourceclaims.resource.k8s.io", "/apis/resource.k8s.io/v1/resourceclaims",
     CodecOf<api::ResourceClaim>},
    {"deviceclasses.resource.k8s.io", "/apis/resource.k8s.io/v1/deviceclasses",
     CodecOf<api::DeviceClass>},
    {"resourceslices.resource.k8s.io", "/apis/resource.k8s.io/v1/resourceslices",
     CodecOf<api::ResourceSlice>},
    {"poddisruptionbudgets.policy", "/apis/policy/v1/poddisruptionbudgets",
     CodecOf<api::PodDisruptionBudget>},
    {"pods", "/api/v1/pods", CodecOf<api::Pod>, RawJsonCodecOf<api::Pod>,
     "status.phase!=Succeeded,status.phase!=Failed"},
};

}  // namespace

Informers::Informers(RestClient& client, net::Executor& executor, const InformersOptions& options,
                     Reflector::Sink sink, std::function<void()> on_synced, Warn warn)
    : on_synced_(std::move(on_synced)), unsynced_(std::size(kSources)) {
  Random seeds(options.seed);
  for (const Source& source : kSources) {
    const bool keep = options.keep_raw_json && source.raw_json_codec != nullptr;
    ReflectorOptions one{.resource = std::string(source.resource),
                         .path = std::string(source.path),
                         .field_selector = std::string(source.field_selector),
                         .codec = keep ? source.raw_json_codec() : source.codec(),
                         .protobuf = options.protobuf,
                         .watch_list = options.watch_list,
                         .seed = seeds.Next()};
    reflectors_.push_back(std::make_unique<Reflector>(
        client, executor, std::move(one), sink, [this] { OnSynced(); }, warn));
  }
}

Informers::~Informers() = default;

void Informers::Start() {
  for (const auto& reflector : reflectors_) reflector->Start();
}

void Informers::Refresh(std::string_view resource, std::function<void()> done) {
  const auto found = std::ranges::find(reflectors_, resource, [](const auto& reflector) {
    return std::string_view(reflector->options().resource);
  });
  CHECK(found != reflectors_.end());
  (*found)->Refresh(std::move(done));
}

void Informers::OnSynced() {
  if (--unsynced_ == 0 && on_synced_) on_synced_();
}

std::vector<CollectionState> Informers::states() const {
  std::vector<CollectionState> states;
  for (const auto& reflector : reflectors_) {
    states.push_back({.resource = reflector->options().resource,
                      .resource_version = reflector->resource_version(),
                      .objects = reflector->cache().size(),
                      .lists = reflector->lists(),
                      .synced = reflector->synced()});
  }
  return states;
}

const ObjectCache* Informers::cache(std::string_view resource) const {
  for (const auto& reflector : reflectors_) {
    if (reflector->options().resource == resource) return &reflector->cache();
  }
  return nullptr;
}

std::vector<std::string> WatchedPaths() {
  std::vector<std::string> paths;
  for (const Source& source : kSources) paths.emplace_back(source.path);
  return paths;
}

}  // namespace berth::client
