#include "scheduler/plugins/volume_binding/volume_matching.h"

#include <algorithm>
#include <optional>

#include "api/selector.h"
#include "scheduler/model/storage_model.h"
#include "scheduler/model/volume_claims.h"

namespace berth::scheduler::plugins {
namespace {

const api::Quantity& StorageIn(const api::ResourceList& resources) {
  static const api::Quantity kNothing;
  const auto found = resources.find("storage");
  return found == resources.end() ? kNothing : found->second;
}

bool IsMeantFor(const api::ObjectReference& reference, const api::PersistentVolumeClaim& claim) {
  return reference.name == claim.metadata.name &&
         reference.namespace_ == claim.metadata.namespace_ &&
         (reference.uid.empty() || reference.uid == claim.metadata.uid);
}

// Reports whether a volume can serve the claim at all, even if it is pre-bound to it.
bool Suits(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  if (volume.claim_ref && !IsMeantFor(*volume.claim_ref, claim)) return false;
  return StorageIn(volume.capacity) >= StorageIn(claim.requests) &&
         volume.volume_mode.value_or("Filesystem") == claim.volume_mode.value_or("Filesystem") &&
         volume.volume_attributes_class_name.value_or("") ==
             claim.volume_attributes_class_name.value_or("") &&
         !volume.metadata.deletion_timestamp;
}

bool IsFree(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim,
            const std::optional<api::Selector>& selector) {
  return volume.phase == "Available" && (!selector || selector->Matches(volume.metadata.labels)) &&
         std::ranges::all_of(claim.access_modes, [&](const std::string& mode) {
           return std::ranges::find(volume.access_modes, mode) != volume.access_modes.end();
         });
}

}  // namespace

const NodesByLabel::Lists& NodesByLabel::ListsOf(const model::Topology::Key& key) {
  const auto [found, added] = by_key_.try_emplace(&key);
  Lists& lists = found->second;
  if (!added) return lists;
  uint32_t end = 0;
  for (const model::Topology::Domain& domain : key.domains())
    lists.ends.push_back(end += domain.nodes);
  lists.rows.resize(end);
  std::vector<uint32_t> left = lists.ends;  // Of the entries of each domain, those that are empty.
  for (size_t row = nodes_.rows(); row-- > 0;) {
    const model::DomainId domain = key.domain_of()[row];
    if (domain.valid()) lists.rows[--left[domain.index()]] = static_cast<uint32_t>(row);
  }
  return lists;
}

Result<VolumeMatching> VolumeMatching::Make(const model::Cluster& cluster,
                                            const api::PersistentVolumeClaim& claim, size_t claims,
                                            NodesByLabel& nodes) {
  std::optional<api::Selector> selector;
  if (claim.selector) {
    auto compiled = api::Selector::FromLabelSelector(claim.selector);
    if (!compiled) {
      return Fail("error creating internal label selector for claim: " + claim.metadata.namespace_ +
                  "/" + claim.metadata.name + ": " + compiled.error().message);
    }
    selector = *std::move(compiled);
  }
  VolumeMatching matching;
  const model::Storage& storage = cluster.storage();
  // DIFFERS: among volumes of one size the first by name is taken; kube-scheduler takes any.
  for (const Volume* volume : storage.catalog().VolumesFor(model::StorageClassOf(claim),
                                                           model::ObjectName(claim.metadata))) {
    const model::Storage::VolumeRef current = storage.Current(*volume);
    if (!Suits(*current, claim)) continue;
    if (current->claim_ref) {
      matching.prebound_.push_back(volume);
    } else if (IsFree(*current, claim, selector)) {
      matching.candidates_.push_back(volume);
    }
  }
  std::ranges::stable_sort(matching.candidates_, [](const Volume* a, const Volume* b) {
    return StorageIn(a->object->capacity) < StorageIn(b->object->capacity);
  });
  matching.Spread(cluster.nodes().rows(), claims, nodes);
  return matching;
}

void VolumeMatching::Spread(size_t rows, size_t claims, NodesByLabel& nodes) {
  reachable_.Resize(rows);
  for (uint32_t i = 0; i < candidates_.size(); ++i) {
    auto add_to = [&](std::vector<uint32_t>& list) {
      if (list.size() < claims) list.push_back(i);
    };
    if (candidates_[i]->affinity) {
      on_row_.resize(rows);
      nodes.ForEachMatch(*candidates_[i]->affinity, candidates_[i]->pivot_key, [&](size_t row) {
        add_to(on_row_[row]);
        reachable_.Set(row);
      });
    } else {
      add_to(anywhere_);
    }
  }
}

const VolumeMatching::Volume* VolumeMatching::Best(const model::NodeInfo& info, model::NodeRow node,
                                                   std::span<const Volume* const> taken,
                                                   const SymbolTable& symbols) const {
  auto is_taken = [&](const Volume* volume) {
    return std::ranges::find(taken, volume) != taken.end();
  };
  for (const Volume* volume : prebound_) {
    if (is_taken(volume)) continue;
    const bool reachable = !volume->affinity || volume->affinity->Match(info.labels, symbols);
    return reachable ? volume : nullptr;
  }
  std::optional<uint32_t> best;
  static const std::vector<uint32_t> kNone;
  for (const auto* list : {&anywhere_, on_row_.empty() ? &kNone : &on_row_[node.index()]}) {
    const auto first =
        std::ranges::find_if(*list, [&](uint32_t i) { return !is_taken(candidates_[i]); });
    if (first != list->end() && (!best || *first < *best)) best = *first;
  }
  return best ? candidates_[*best] : nullptr;
}

}  // namespace berth::scheduler::plugins
