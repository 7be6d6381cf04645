#include "localcluster/device_taint_eviction.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "apiserver/store/codec.h"
#include "localcluster/node_lifecycle.h"
#include "localcluster/object_json.h"
#include "localcluster/pod_claims.h"

namespace berth::localcluster {
namespace {

bool EvictsPods(const JsonObject& taint) { return StringAt(&taint, "effect") == "NoExecute"; }

bool HasEvictingDevice(const JsonObject& slice) {
  return std::ranges::any_of(ObjectsAt(ObjectAt(&slice, "spec"), "devices"),
                             [](const JsonObject& device) {
                               return std::ranges::any_of(ObjectsAt(&device, "taints"), EvictsPods);
                             });
}

bool ToleratesTaint(const JsonObject& toleration, const JsonObject& taint) {
  const auto matches = [&](std::string_view key) {
    const std::string_view own = StringAt(&toleration, key);
    return own.empty() || own == StringAt(&taint, key);
  };
  return matches("effect") && matches("key") &&
         (StringAt(&toleration, "operator") == "Exists" ||
          StringAt(&toleration, "value") == StringAt(&taint, "value"));
}

// Returns when the taint takes effect for an allocated device; nullopt if the result tolerates it.
std::optional<Instant> EffectOf(const JsonObject& taint, const JsonObject& result, Instant now) {
  const Instant since = TimeAt(&taint, "timeAdded").value_or(now);
  std::optional<int64_t> seconds;
  for (const JsonObject& toleration : ObjectsAt(&result, "tolerations")) {
    // Only a toleration of this very effect keeps a pod.
    if (StringAt(&toleration, "effect") != "NoExecute" || !ToleratesTaint(toleration, taint))
      continue;
    const auto own = IntAt(&toleration, "tolerationSeconds");
    if (!own) return std::nullopt;
    const int64_t least = std::max<int64_t>(0, *own);
    seconds = seconds ? std::min(*seconds, least) : least;
  }
  return since + Duration::Seconds(seconds.value_or(0));
}

std::vector<std::reference_wrapper<const JsonObject>> ResultsOf(const JsonObject& claim) {
  const JsonObject* allocation = ObjectAt(ObjectAt(&claim, "status"), "allocation");
  return ObjectsAt(ObjectAt(allocation, "devices"), "results");
}

}  // namespace

void DeviceTaintEviction::Observe(const Change& change) {
  if (&change.kind == &ResourceSlices()) return ObserveSlice(change);
  if (&change.kind == &ResourceClaims()) return ObserveClaim(change);
  if (&change.kind == &Pods() && change.deleted) queue_.Forget(change.object.key);
}

bool DeviceTaintEviction::Pool::evicts() const {
  return std::ranges::any_of(slices, [](const auto& slice) { return slice.second.evicts; });
}

std::vector<std::string> DeviceTaintEviction::Pool::EvictingSlices() const {
  int64_t newest = 0;
  for (const auto& [name, slice] : slices) newest = std::max(newest, slice.generation);
  std::vector<std::string> names;
  for (const auto& [name, slice] : slices) {
    if (slice.evicts && slice.generation == newest) names.push_back(name);
  }
  return names;
}

void DeviceTaintEviction::DropIfUnused(const PoolName& pool) {
  const auto found = pools_.find(pool);
  if (found != pools_.end() && found->second.slices.empty() && found->second.claims.empty())
    pools_.erase(found);
}

void DeviceTaintEviction::ObserveSlice(const Change& change) {
  const std::string& name = change.object.key.name;
  if (const auto known = pool_of_slice_.find(name); known != pool_of_slice_.end()) {
    const PoolName before = known->second;
    pool_of_slice_.erase(known);
    pools_[before].slices.erase(name);
    DropIfUnused(before);
  }
  if (change.deleted) return;
  const JsonObject* spec = ObjectAt(&change.document, "spec");
  const JsonObject* pool = ObjectAt(spec, "pool");
  const PoolName pool_name(StringAt(spec, "driver"), StringAt(pool, "name"));
  pool_of_slice_.emplace(name, pool_name);
  Pool& state = pools_[pool_name];
  state.slices[name] = {IntAt(pool, "generation").value_or(0), HasEvictingDevice(change.document)};
  if (!state.evicts()) return;
  for (const ObjectName& claim : state.claims) {
    const auto object = context_.store().Get(ResourceClaims().collection, claim);
    if (object) QueueConsumersOf(claim, apiserver::store::Parse(*object).get_object());
  }
}

void DeviceTaintEviction::ObserveClaim(const Change& change) {
  const ObjectName& name = change.object.key;
  std::set<PoolName> pools;
  if (!change.deleted) {
    for (const JsonObject& result : ResultsOf(change.document))
      pools.emplace(StringAt(&result, "driver"), StringAt(&result, "pool"));
  }
  if (const auto known = pools_of_claim_.find(name); known != pools_of_claim_.end()) {
    for (const PoolName& before : known->second) {
      if (pools.contains(before)) continue;
      pools_[before].claims.erase(name);
      DropIfUnused(before);
    }
    pools_of_claim_.erase(known);
  }
  if (pools.empty()) return;
  bool evicts = false;
  for (const PoolName& pool : pools) {
    Pool& state = pools_[pool];
    state.claims.insert(name);
    evicts = evicts || state.evicts();
  }
  pools_of_claim_.emplace(name, std::move(pools));
  if (evicts) QueueConsumersOf(name, change.document);
}

void DeviceTaintEviction::QueueConsumersOf(const ObjectName& name, const JsonObject& claim) {
  for (const JsonObject& consumer : ObjectsAt(ObjectAt(&claim, "status"), "reservedFor"))
    queue_.Add({name.namespace_, std::string(StringAt(&consumer, "name"))});
}

std::optional<Instant> DeviceTaintEviction::EvictionTime(const JsonObject& claim) const {
  std::optional<Instant> earliest;
  for (const JsonObject& result : ResultsOf(claim)) {
    const auto pool = pools_.find(PoolName(StringAt(&result, "driver"), StringAt(&result, "pool")));
    if (pool == pools_.end()) continue;
    const auto due = EvictionTime(pool->second, result);
    if (due && (!earliest || *due < *earliest)) earliest = due;
  }
  return earliest;
}

std::optional<Instant> DeviceTaintEviction::EvictionTime(const Pool& pool,
                                                         const JsonObject& result) const {
  std::optional<Instant> earliest;
  for (const std::string& name : pool.EvictingSlices()) {
    const auto object = context_.store().Get(ResourceSlices().collection, {"", name});
    if (!object) continue;
    const Json document = apiserver::store::Parse(*object);
    for (const JsonObject& device : ObjectsAt(ObjectAt(AsObject(document), "spec"), "devices")) {
      if (StringAt(&device, "name") != StringAt(&result, "device")) continue;
      for (const JsonObject& taint : ObjectsAt(&device, "taints")) {
        if (!EvictsPods(taint)) continue;
        const auto due = EffectOf(taint, result, context_.now());
        if (due && (!earliest || *due < *earliest)) earliest = due;
      }
    }
  }
  return earliest;
}

void DeviceTaintEviction::Sync(const ObjectName& key) {
  const PodRecord* pod = context_.pods.Find(key);
  if (!pod || pod->deleting || pod->finished() || pod->node().empty()) return;
  const Json document = apiserver::store::Parse(*pod->object);
  std::optional<Instant> due;
  for (const PodClaims::Entry& entry : PodClaims::Of(document.get_object()).entries) {
    if (!entry.claim) continue;
    const auto object =
        context_.store().Get(ResourceClaims().collection, {key.namespace_, *entry.claim});
    if (!object) continue;
    const Json claim = apiserver::store::Parse(*object);
    if (!IsReservedFor(claim.get_object(), pod->uid())) continue;
    const auto own = EvictionTime(claim.get_object());
    if (own && (!due || *own < *due)) due = own;
  }
  if (!due) return;
  if (context_.now() < *due) return queue_.AddAt(key, *due);
  MarkDisrupted(context_, *pod, "DeletionByDeviceTaintManager",
                "Device Taint manager: deleting due to NoExecute taint", false);
  const auto deleted = context_.api.Delete(Pods(), key, {.uid = pod->uid()});
  if (deleted) Wrote(key, deleted->object);
}

}  // namespace berth::localcluster
