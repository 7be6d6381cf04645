#include "scheduler/plugins/volume_restrictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "scheduler/framework/cycle.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/storage_model.h"
#include "scheduler/model/volume_claims.h"
#include "scheduler/plugins/changed_object.h"
#include "scheduler/plugins/explanation_text.h"

namespace berth::scheduler::plugins {
namespace {

// The inline disks that are checked.
struct Disks final : framework::ClassState {
  std::vector<api::Volume> disks;
};

struct RestrictionsState final : framework::CycleState {
  std::vector<Symbol> exclusive;  // The pod's ReadWriteOncePod claims, by name; sorted, unique.
  int64_t conflicts = 0;          // How many of them are in use.

  std::unique_ptr<framework::CycleState> Clone() const override {
    return std::make_unique<RestrictionsState>(*this);
  }
};

bool IsChecked(const api::Volume& volume) {
  return std::holds_alternative<api::GcePersistentDiskSource>(volume.source) ||
         std::holds_alternative<api::AwsElasticBlockStoreSource>(volume.source) ||
         std::holds_alternative<api::RbdSource>(volume.source) ||
         std::holds_alternative<api::IscsiSource>(volume.source);
}

// Reports whether two pods on one node may not both have their volume.
struct Clash {
  bool operator()(const api::GcePersistentDiskSource& a,
                  const api::GcePersistentDiskSource& b) const {
    return a.pd_name == b.pd_name && !(a.read_only && b.read_only);
  }
  bool operator()(const api::AwsElasticBlockStoreSource& a,
                  const api::AwsElasticBlockStoreSource& b) const {
    return a.volume_id == b.volume_id;
  }
  bool operator()(const api::IscsiSource& a, const api::IscsiSource& b) const {
    return a.iqn == b.iqn && !(a.read_only && b.read_only);
  }
  bool operator()(const api::RbdSource& a, const api::RbdSource& b) const {
    return a.pool == b.pool && a.image == b.image && !(a.read_only && b.read_only) &&
           std::ranges::find_first_of(a.monitors, b.monitors) != a.monitors.end();
  }
  bool operator()(const auto&, const auto&) const { return false; }
};

bool AnyClash(const std::vector<api::Volume>& disks, const std::vector<api::Volume>& others) {
  for (const api::Volume& disk : disks) {
    for (const api::Volume& other : others) {
      if (std::visit(Clash{}, disk.source, other.source)) return true;
    }
  }
  return false;
}

// Reports whether volumes of two pods of one namespace are the same claim.
bool ShareClaim(const std::vector<api::Volume>& a, const std::vector<api::Volume>& b) {
  for (const api::Volume& volume : a) {
    const auto* claim = std::get_if<api::PersistentVolumeClaimSource>(&volume.source);
    if (claim == nullptr) continue;
    for (const api::Volume& other_volume : b) {
      const auto* other = std::get_if<api::PersistentVolumeClaimSource>(&other_volume.source);
      if (other != nullptr && other->claim_name == claim->claim_name) return true;
    }
  }
  return false;
}

// Reports whether this use of a claim counts: by a pod that names it, on a node that exists.
bool Counts(const model::Cluster& cluster, const model::ClaimUsers::User& user) {
  if (user.ephemeral) return false;
  const model::NodeRow row = cluster.nodes().Find(user.node);
  return row.valid() && cluster.nodes().present().Test(row.index());
}

bool IsInUse(const model::Cluster& cluster, const api::ObjectKey& claim) {
  return std::ranges::any_of(cluster.storage().users().Of(claim),
                             [&](const auto& user) { return Counts(cluster, user); });
}

// Returns the first by name of the pods that use the claim: "shop/db on node a"; empty if there is
// none.
std::string UserOf(const model::Cluster& cluster, const api::ObjectKey& claim) {
  const model::ClaimUsers::User* first = nullptr;
  for (const model::ClaimUsers::User& user : cluster.storage().users().Of(claim)) {
    if (!Counts(cluster, user)) continue;
    if (first == nullptr || cluster.pod(user.pod).key() < cluster.pod(first->pod).key()) {
      first = &user;
    }
  }
  if (first == nullptr) return "";
  return fmt::format("{} on node {}", cluster.pod(first->pod).key().ToString(),
                     cluster.symbols().Text(first->node));
}

// Claims are compared by name alone here, whatever the other pod's namespace, as upstream.
int64_t CountShared(const RestrictionsState& state, const model::PodClass& other) {
  return std::ranges::count_if(other.claims, [&](Symbol claim) {
    return std::ranges::binary_search(state.exclusive, claim);
  });
}

}  // namespace

std::unique_ptr<framework::ClassState> VolumeRestrictions::Compile(
    model::Cluster&, const model::PodClass& pod_class) const {
  auto compiled = std::make_unique<Disks>();
  std::ranges::copy_if(pod_class.spec().volumes, std::back_inserter(compiled->disks), IsChecked);
  return compiled;
}

framework::PreFilterResult VolumeRestrictions::PreFilter(framework::Cycle& cycle) const {
  const model::Cluster& cluster = cycle.cluster();
  const model::PodClass& pod_class = cycle.pod_class();
  auto state = std::make_unique<RestrictionsState>();
  for (Symbol name : pod_class.claims) {
    const api::ObjectKey key{cluster.symbols().Text(pod_class.namespace_),
                             cluster.symbols().Text(name)};
    const auto* claim = cluster.objects<api::PersistentVolumeClaim>().Find(key);
    if (claim == nullptr) {
      return {framework::Verdict(framework::Code::kUnschedulableAndUnresolvable,
                                 model::NotFound("persistentvolumeclaim", key.name)),
              {}};
    }
    const bool known = std::ranges::find(state->exclusive, name) != state->exclusive.end();
    if (known ||
        std::ranges::find(claim->access_modes, "ReadWriteOncePod") == claim->access_modes.end()) {
      continue;
    }
    state->exclusive.push_back(name);
    if (IsInUse(cluster, key)) ++state->conflicts;
  }
  if (cycle.compiled<Disks>(*this).disks.empty() && state->conflicts == 0) {
    return {framework::Verdict::Skip(), {}};
  }
  std::ranges::sort(state->exclusive);
  cycle.SetState(*this, std::move(state));
  return {};
}

void VolumeRestrictions::PodAdded(framework::Cycle& cycle, const model::PodRecord& pod,
                                  model::NodeRow) const {
  auto& state = cycle.state<RestrictionsState>(*this);
  state.conflicts += CountShared(state, cycle.cluster().class_of(pod));
}

void VolumeRestrictions::PodRemoved(framework::Cycle& cycle, const model::PodRecord& pod,
                                    model::NodeRow) const {
  auto& state = cycle.state<RestrictionsState>(*this);
  state.conflicts -= CountShared(state, cycle.cluster().class_of(pod));
}

framework::Verdict VolumeRestrictions::FilterNode(const framework::Cycle& cycle,
                                                  model::NodeRow node) const {
  const std::vector<api::Volume>& disks = cycle.compiled<Disks>(*this).disks;
  if (!disks.empty()) {
    for (model::PodId id : cycle.nodes().info(node).pods) {
      const model::PodClass& other = cycle.cluster().class_of(cycle.cluster().pod(id));
      if (AnyClash(disks, other.spec().volumes)) {
        return {framework::Code::kUnschedulable, "node(s) had no available disk"};
      }
    }
  }
  if (cycle.state<RestrictionsState>(*this).conflicts > 0) {
    return {framework::Code::kUnschedulable,
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
            "already in-use by another pod"};
  }
  return {};
}

framework::Conditions VolumeRestrictions::Require(const framework::Cycle& cycle) const {
  const bool passes_nowhere = cycle.state<RestrictionsState>(*this).conflicts > 0;
  if (!passes_nowhere && cycle.compiled<Disks>(*this).disks.empty()) return {};
  return {framework::Opaque{.filter = this, .evaluates_all = passes_nowhere}};
}

std::string VolumeRestrictions::Details(const framework::Cycle& cycle, model::NodeRow node) const {
  const model::Cluster& cluster = cycle.cluster();
  for (const api::Volume& disk : cycle.compiled<Disks>(*this).disks) {
    const model::PodRecord* holder = FirstPodOn(cluster, node, [&](const model::PodRecord& other) {
      return AnyClash({disk}, cluster.class_of(other).spec().volumes);
    });
    if (holder == nullptr) continue;
    return fmt::format("the disk of the pod's volume \"{}\" is in use by {}", disk.name,
                       holder->key().ToString());
  }
  for (Symbol name : cycle.state<RestrictionsState>(*this).exclusive) {
    const api::ObjectKey claim{cycle.pod().object->metadata.namespace_,
                               cluster.symbols().Text(name)};
    const std::string user = UserOf(cluster, claim);
    if (user.empty()) continue;
    return fmt::format("claim \"{}\" is for one pod at a time (ReadWriteOncePod) and in use by {}",
                       claim.name, user);
  }
  return "";
}

std::vector<framework::ClusterEventWithHint> VolumeRestrictions::EventsToRegister() const {
  return {{{framework::Resource::kPod, framework::kDelete}},
          {{framework::Resource::kNode, framework::kAdd}, /*conditional=*/false},
          {{framework::Resource::kPersistentVolumeClaim, framework::kAdd}}};
}

Result<bool> VolumeRestrictions::QueueingHint(const model::Cluster&, const model::PodRecord& pod,
                                              const framework::ClusterEvent& event) const {
  if (KindOf(event) == framework::Resource::kPersistentVolumeClaim) {
    const auto claim = UpdateOf<api::PersistentVolumeClaim>(event);
    if (!claim) return std::unexpected(claim.error());
    return NamesClaim(*pod.object, *claim->after);
  }
  const auto deleted = RemovalOf<api::Pod>(event);
  if (!deleted) return std::unexpected(deleted.error());
  if ((*deleted)->metadata.namespace_ != pod.object->metadata.namespace_) return false;
  const std::vector<api::Volume>& own = pod.object->spec.volumes;
  const std::vector<api::Volume>& freed = (*deleted)->spec.volumes;
  return AnyClash(own, freed) || ShareClaim(own, freed);
}

}  // namespace berth::scheduler::plugins
