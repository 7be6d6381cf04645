#include "scheduler/model/attached_volumes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "scheduler/model/volume_claims.h"

namespace berth::scheduler::model {

std::expected<PodCsiVolumes::Volumes, PodCsiVolumes::Failure> PodCsiVolumes::Of(
    const api::Pod& pod, bool migrated, bool ignore_missing) const {
  auto fail = [](std::string message) {
    return std::unexpected(Failure{false, std::move(message)});
  };
  Volumes volumes;
  for (const api::Volume& volume : pod.spec.volumes) {
    const auto claim_ref = ClaimOf(pod.metadata.name, volume);
    if (!claim_ref) {
      const InTreePlugin* plugin = InTreePluginOf(volume);
      if (plugin == nullptr || !plugin->counted || !migrated) continue;
      auto translated = TranslateToCsi(volume);
      if (!translated) {
        return fail(fmt::format("converting volume({}) from inline to csi: {}", volume.name,
                                translated.error().message));
      }
      volumes.insert(*std::move(translated));
      continue;
    }
    if (claim_ref->name.empty()) return fail("PersistentVolumeClaim had no name");
    const auto* claim = claims_.Find({pod.metadata.namespace_, claim_ref->name});
    if (claim == nullptr) {
      if (ignore_missing) continue;
      return std::unexpected(Failure{
          true, fmt::format("looking up PVC {}/{}: {}", pod.metadata.namespace_, claim_ref->name,
                            NotFound("persistentvolumeclaim", claim_ref->name))});
    }
    if (claim_ref->ephemeral) {
      if (auto problem = NotMadeFor(pod, *claim)) return fail(*std::move(problem));
    }
    if (auto counted = OfClaim(*claim, migrated)) volumes.insert(*std::move(counted));
  }
  return volumes;
}

std::optional<CsiVolume> PodCsiVolumes::OfClaim(const api::PersistentVolumeClaim& claim,
                                                bool migrated) const {
  const auto* volume = claim.volume_name.empty() ? nullptr : catalog_.FindVolume(claim.volume_name);
  if (volume == nullptr) return OfUnboundClaim(claim, migrated);
  return volume->in_tree == nullptr || migrated ? volume->counted : std::nullopt;
}

// A volume that is yet to be provisioned gets a unique handle, which no volume of the driver has.
std::optional<CsiVolume> PodCsiVolumes::OfUnboundClaim(const api::PersistentVolumeClaim& claim,
                                                       bool migrated) const {
  const auto* storage_class = catalog_.FindClass(StorageClassOf(claim));
  if (storage_class == nullptr) return std::nullopt;
  std::string driver = storage_class->object->provisioner;
  if (const InTreePlugin* plugin = FindInTreePlugin(driver)) {
    if (!plugin->counted || !migrated) return std::nullopt;
    driver = plugin->driver;
  }
  if (driver.empty()) return std::nullopt;
  // DIFFERS: kube-scheduler makes the handle up with a random prefix. A control character does as
  // well, and repeats.
  return CsiVolume{std::move(driver),
                   fmt::format("\x01{}/{}", claim.metadata.namespace_, claim.metadata.name)};
}

namespace {

// Removes `value` from the set under `key`, which must exist.
template <typename Map>
void EraseFrom(Map& map, const typename Map::key_type& key,
               const typename Map::mapped_type::value_type& value) {
  const auto set = map.find(key);
  CHECK(set != map.end());
  set->second.erase(value);
  if (set->second.empty()) map.erase(set);
}

int64_t RemainingFor(const std::string& driver, int64_t limit, const AttachedVolumes::Node& node) {
  const auto count = node.counts.find(driver);
  return count == node.counts.end() ? limit : limit - count->second;
}

}  // namespace

const AttachedVolumes::Node* AttachedVolumes::Find(Symbol node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? nullptr : &found->second;
}

void AttachedVolumes::AddPod(PodId pod, Symbol node) {
  pods_on_[node].push_back(pod);
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  // Volumes of the pod may be counted already.
  if (attachments_on_.contains(node)) return Recount(node);
  Unlist(node, found->second);
  CountPod(pod, found->second);
  List(node, found->second);
}

void AttachedVolumes::RemovePod(PodId pod, Symbol node) {
  const auto pods = pods_on_.find(node);
  CHECK(pods != pods_on_.end());
  const auto found = std::ranges::find(pods->second, pod);
  CHECK(found != pods->second.end());
  pods->second.erase(found);
  if (pods->second.empty()) pods_on_.erase(pods);
  Recount(node);
}

void AttachedVolumes::PutLimits(const api::CsiNode& csi_node) {
  RemoveLimits(csi_node.metadata.name);
  std::map<std::string, int64_t> limits;
  for (const api::CsiNodeDriver& driver : csi_node.drivers) {
    if (driver.allocatable_count) limits[driver.name] = *driver.allocatable_count;
  }
  if (limits.empty()) return;
  SymbolHolder holder(symbols_);
  const Symbol name = holder.Intern(csi_node.metadata.name);
  node_holders_.emplace(name, std::move(holder));
  Node& node = nodes_[name];
  node.limits = std::move(limits);
  List(name, node);
  Recount(name);
}

void AttachedVolumes::RemoveLimits(const std::string& node) {
  const Symbol name = symbols_.Find(node);
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return;
  Unlist(name, found->second);
  nodes_.erase(found);
  node_holders_.erase(name);
}

void AttachedVolumes::Put(std::shared_ptr<const api::VolumeAttachment> object) {
  const std::string name = object->metadata.name;
  RemoveAttachment(name);
  SymbolHolder holder(symbols_);
  const Symbol node = holder.Intern(object->node_name);
  attachments_on_[node].insert(name);
  attachments_of_[object->persistent_volume_name.value_or("")].insert(name);
  attachments_.emplace(name, Attachment{std::move(holder), node, std::move(object)});
  Recount(node);
}

void AttachedVolumes::RemoveAttachment(const std::string& name) {
  const auto found = attachments_.find(name);
  if (found == attachments_.end()) return;
  const Attachment attachment = std::move(found->second);
  attachments_.erase(found);
  EraseFrom(attachments_on_, attachment.node, name);
  EraseFrom(attachments_of_, attachment.object->persistent_volume_name.value_or(""), name);
  Recount(attachment.node);
}

void AttachedVolumes::Recount(Symbol name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return;
  Node& node = found->second;
  Unlist(name, node);
  node.used.clear();
  node.counts.clear();
  node.error.clear();
  CountPods(name, node);
  CountAttachments(name, node);
  List(name, node);
}

void AttachedVolumes::RecountAttachmentsOf(const std::string& volume) {
  const auto found = attachments_of_.find(volume);
  if (found == attachments_of_.end()) return;
  for (const std::string& name : found->second) Recount(attachments_.at(name).node);
}

void AttachedVolumes::RecountAll() {
  for (const auto& [name, node] : nodes_) Recount(name);
}

void AttachedVolumes::CountPods(Symbol name, Node& node) const {
  const auto pods = pods_on_.find(name);
  if (pods == pods_on_.end()) return;
  for (PodId id : pods->second) CountPod(id, node);
}

void AttachedVolumes::CountPod(PodId pod, Node& node) const {
  auto volumes = volumes_.OfPlacedPod(*pods_.Get(pod).object);
  if (!volumes) {
    // Pods are in no order, so the first by text.
    if (node.error.empty() || volumes.error().message < node.error)
      node.error = std::move(volumes.error().message);
    return;
  }
  while (!volumes->empty()) {
    const auto inserted = node.used.insert(volumes->extract(volumes->begin()));
    if (inserted.inserted) ++node.counts[inserted.position->driver];
  }
}

void AttachedVolumes::CountAttachments(Symbol name, Node& node) const {
  const auto names = attachments_on_.find(name);
  if (names == attachments_on_.end()) return;
  PodCsiVolumes::Volumes attached;
  for (const std::string& attachment : names->second) {
    const api::VolumeAttachment& object = *attachments_.at(attachment).object;
    if (object.attacher.empty() || !object.persistent_volume_name) continue;
    const auto* volume = catalog_.FindVolume(*object.persistent_volume_name);
    if (volume == nullptr) continue;
    const auto* csi = std::get_if<api::CsiPersistentVolumeSource>(&volume->object->source);
    if (csi != nullptr) attached.insert({object.attacher, csi->volume_handle});
  }
  for (const CsiVolume& volume : attached) {
    if (!node.used.contains(volume)) ++node.counts[volume.driver];
  }
}

void AttachedVolumes::List(Symbol name, const Node& node) {
  for (const auto& [driver, limit] : node.limits) {
    by_remaining_[driver].emplace(RemainingFor(driver, limit, node), name);
  }
  if (!node.error.empty()) uncountable_.insert(name);
}

void AttachedVolumes::Unlist(Symbol name, const Node& node) {
  for (const auto& [driver, limit] : node.limits) {
    EraseFrom(by_remaining_, driver, {RemainingFor(driver, limit, node), name});
  }
  uncountable_.erase(name);
}

}  // namespace berth::scheduler::model
