#include "testing/cluster_dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "scheduler/model/pod_counters.h"
#include "scheduler/model/pod_groups.h"
#include "scheduler/model/storage_model.h"

namespace berth {
namespace {

class Dumper {
 public:
  explicit Dumper(const scheduler::model::Cluster& cluster)
      : cluster_(cluster), nodes_(cluster.nodes()) {}

  std::string All() {
    for (uint32_t row = 0; row < nodes_.rows(); ++row) {
      if (nodes_.info(scheduler::model::NodeRow{row}).name.valid())
        Node(scheduler::model::NodeRow{row});
    }
    Order();
    cluster_.pods().ForEach([&](const scheduler::model::PodRecord& pod) { Pod(pod); });
    Line("pods: {}", cluster_.pods().size());
    Nominations();
    Groups();
    Claims();
    Attached();
    ObjectsOf<api::Namespace, api::Service, api::ReplicationController, api::ReplicaSet,
              api::StatefulSet, api::PersistentVolume, api::PersistentVolumeClaim,
              api::StorageClass, api::CsiNode, api::CsiDriver, api::CsiStorageCapacity,
              api::VolumeAttachment, api::PodDisruptionBudget, api::PriorityClass,
              api::ResourceClaim, api::DeviceClass, api::ResourceSlice, api::PodGroup>();
    return Text();
  }

  std::string OneNode(scheduler::model::NodeRow row) {
    Node(row);
    return Text();
  }

 private:
  using Texts = std::vector<std::string>;

  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    lines_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  std::string Text() {
    std::ranges::sort(lines_);
    return fmt::format("{}\n", fmt::join(lines_, "\n"));
  }

  const std::string& Text(Symbol symbol) const { return cluster_.symbols().Text(symbol); }

  static std::string Joined(Texts texts) {
    std::ranges::sort(texts);
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }

  std::string Joined(const scheduler::model::Labels& labels) const {
    Texts texts;
    for (const scheduler::model::Label& label : labels)
      texts.push_back(Text(label.key) + "=" + Text(label.value));
    return Joined(std::move(texts));
  }

  std::string Joined(const std::vector<scheduler::model::HostPort>& ports) const {
    Texts texts;
    for (const scheduler::model::HostPort& port : ports) {
      texts.push_back(fmt::format("{}/{}/{}", Text(port.ip), Text(port.protocol), port.port));
    }
    return Joined(std::move(texts));
  }

  std::string Joined(const scheduler::model::ResourceVector& resources) const {
    Texts texts = {fmt::format("cpu={}", resources.milli_cpu),
                   fmt::format("memory={}", resources.memory),
                   fmt::format("ephemeral={}", resources.ephemeral_storage)};
    for (const auto& scalar : resources.scalars) {
      texts.push_back(fmt::format("{}={}", cluster_.scalars().Text(scalar.id), scalar.amount));
    }
    return Joined(std::move(texts));
  }

  std::string NameOf(scheduler::model::PodId pod) const {
    return cluster_.pod(pod).key().ToString();
  }

  // Of a node that may not be present.
  std::string NameOf(scheduler::model::NodeRow row) const {
    return row.valid() ? nodes_.name(row) : "-";
  }

  void Node(scheduler::model::NodeRow row) {
    const size_t r = row.index();
    const std::string node = "node " + nodes_.name(row);
    const scheduler::model::NodeInfo& info = nodes_.info(row);
    const scheduler::model::NodeColumns& columns = nodes_.columns();
    Line("{} present: {}, has an object: {}", node, nodes_.present().Test(r),
         info.object != nullptr);
    Line("{} found by name: {}", node, nodes_.Find(info.name) == row);
    Line("{} offers: cpu={} memory={} ephemeral={} pods={}", node, columns.allocatable_cpu[r],
         columns.allocatable_memory[r], columns.allocatable_ephemeral[r],
         columns.allocatable_pods[r]);
    Line("{} counts: cpu={} memory={} ephemeral={} pods={} nonzero cpu={} memory={}", node,
         columns.requested_cpu[r], columns.requested_memory[r], columns.requested_ephemeral[r],
         columns.pod_count[r], columns.nonzero_cpu[r], columns.nonzero_memory[r]);
    Line("{} cordoned: {}", node, columns.unschedulable.Test(r));
    Line("{} labels: {}", node, Joined(info.labels));
    Line("{} ports: {}", node, Joined(info.used_ports));
    Scalars(node, r);
    Taints(node, columns.taints[r]);

    Texts pods, features;
    for (scheduler::model::PodId pod : info.pods) pods.push_back(NameOf(pod));
    for (Symbol feature : info.declared_features) features.push_back(Text(feature));
    Line("{} pods: {}", node, Joined(std::move(pods)));
    Line("{} declares: {}", node, Joined(std::move(features)));
    Images(node, row);
    Domains(node, r);
  }

  void Scalars(const std::string& node, size_t row) {
    for (scheduler::model::ScalarId id : nodes_.columns().listed) {
      const auto& scalar = *nodes_.columns().scalar(id);
      Line("{} scalar {}: offers {}, counts {}, listed by {} nodes", node,
           cluster_.scalars().Text(id), scalar.allocatable[row], scalar.requested[row],
           scalar.nodes);
    }
  }

  void Taints(const std::string& node, scheduler::model::TaintSetId set) {
    Texts taints;  // Their order counts.
    for (const api::Taint& taint : nodes_.taint_sets().Get(set)) {
      taints.push_back(fmt::format("{}={}:{}", taint.key, taint.value, taint.effect));
    }
    Line("{} taints: {}", node, fmt::join(taints, ", "));
  }

  // Asks for every string ever seen, so that images which should be gone show up too.
  void Images(const std::string& node, scheduler::model::NodeRow row) {
    const berth::scheduler::model::Images& images = nodes_.images();
    for (uint32_t symbol = 0; symbol < cluster_.symbols().capacity(); ++symbol) {
      const scheduler::model::ImageId id = images.Find(Symbol{symbol});
      if (!id.valid() || !images.Holds(row, id)) continue;
      const berth::scheduler::model::Images::Image& image = images.image(id);
      Line("{} holds {}: {} bytes, on {} nodes", node, Text(image.name), image.size, image.nodes);
    }
  }

  void Domains(const std::string& node, size_t row) {
    for (const scheduler::model::Topology::KeyRef& key : nodes_.topology().keys()) {
      const scheduler::model::DomainId domain = key->domain_of()[row];
      if (!domain.valid()) continue;
      const scheduler::model::Topology::Domain& facts = key->domains()[domain.index()];
      Line("{} domain {}={}: {} nodes, {} domains, found by value: {}", node, Text(key->label()),
           Text(facts.value), facts.nodes, key->domain_count(), key->Find(facts.value) == domain);
    }
  }

  void Order() {
    Texts names;
    for (scheduler::model::NodeRow row : nodes_.order().rows()) {
      names.push_back(fmt::format("{}@{}", nodes_.name(row), nodes_.order().rank()[row.index()]));
    }
    Line("order: {}", fmt::join(names, " "));
    Line("present: {} = {}", nodes_.present_count(), nodes_.present().Count());
  }

  void Pod(const scheduler::model::PodRecord& pod) {
    static constexpr std::string_view kStates[] = {"pending", "assumed", "bound"};
    const std::string name = "pod " + pod.key().ToString();
    const scheduler::model::PodClass& pod_class = cluster_.class_of(pod);
    Line("{} is {} on {}", name, kStates[static_cast<size_t>(pod.state)], NameOf(pod.node));
    Line("{} uid {}, version {}", name, pod.uid(), pod.object->metadata.resource_version);
    Line("{} found by key: {}", name,
         cluster_.pods().Find(pod.key().namespace_, pod.key().name) == pod.id);
    Line("{} labels: {}", name, Joined(cluster_.labels_of(pod)));
    Line("{} class: namespace {}, priority {}, ports {}", name, Text(pod_class.namespace_),
         pod_class.priority, Joined(pod_class.host_ports));
    Line("{} class requests: {}", name, Joined(pod_class.requests));
    Line("{} class counts: {}, nonzero cpu={} memory={}", name, Joined(pod_class.placed),
         pod_class.placed_nonzero.milli_cpu, pod_class.placed_nonzero.memory);
    Texts claims;
    for (Symbol claim : pod_class.claims) claims.push_back(Text(claim));
    Line("{} class claims: {}", name, fmt::join(claims, ", "));
    AffinityTermsOn(name, pod);
  }

  // What placed pods have to say about the pod.
  void AffinityTermsOn(const std::string& name, const scheduler::model::PodRecord& pod) {
    const scheduler::model::AffinityTerms& terms = cluster_.affinity_terms();
    for (uint32_t i : terms.Matching(pod.labels)) {
      const scheduler::model::AffinityTerms::Term& term = terms.term(i);
      if (term.in_domains == 0) continue;
      const scheduler::model::Topology::Key& key = *term.key;
      Texts domains;
      term.carriers.ForEach([&](size_t domain, int32_t carriers) {
        if (carriers == 0) return;
        domains.push_back(fmt::format("{}: {}", Text(key.domains()[domain].value), carriers));
      });
      Line("{} meets {} terms of kind {}, weight {}, by {}: {}", name, term.in_domains,
           static_cast<int>(term.kind), term.weight, Text(key.label()), Joined(std::move(domains)));
    }
  }

  void Nominations() {
    for (const auto& [node, pods] : cluster_.nominations().by_node()) {
      Texts names;  // In order of nomination.
      for (scheduler::model::PodId pod : pods) {
        names.push_back(NameOf(pod));
        Line("nomination of {}: {}", NameOf(pod), Text(cluster_.nominations().NodeOf(pod)));
      }
      Line("nominated to {}: {}", Text(node), fmt::join(names, " "));
    }
    Line("no nominations: {}", cluster_.nominations().empty());
  }

  // The members of the groups that pods name.
  void Groups() {
    std::set<api::ObjectKey> groups;
    cluster_.pods().ForEach([&](const scheduler::model::PodRecord& pod) {
      if (const auto group = scheduler::model::GroupNamedBy(*pod.object)) groups.insert(*group);
    });
    for (const api::ObjectKey& group : groups) {
      const auto& members = cluster_.groups().Of(group);
      const auto names = [&](const std::set<scheduler::model::PodId>& ids) {
        Texts all;
        for (scheduler::model::PodId id : ids) all.push_back(NameOf(id));
        return Joined(std::move(all));
      };
      Line("group {}: pending {}, scheduled {}", group.ToString(), names(members.pending),
           names(members.scheduled));
    }
  }

  // The claims that pods name or that are there, and who uses them.
  void Claims() {
    std::set<api::ObjectKey> claims;
    for (const auto& [key, claim] : cluster_.objects<api::PersistentVolumeClaim>().all()) {
      claims.insert(key);
    }
    cluster_.pods().ForEach([&](const scheduler::model::PodRecord& pod) {
      for (const api::Volume& volume : pod.object->spec.volumes) {
        if (const auto* claim = std::get_if<api::PersistentVolumeClaimSource>(&volume.source)) {
          claims.insert({pod.key().namespace_, claim->claim_name});
        }
      }
    });
    for (const api::ObjectKey& claim : claims) {
      Texts users;
      for (const scheduler::model::ClaimUsers::User& user : cluster_.storage().users().Of(claim)) {
        users.push_back(NameOf(user.pod) + " on " + Text(user.node));
      }
      Line("claim {} used by {}", claim.ToString(), Joined(std::move(users)));
    }
  }

  // What is attached where there are limits.
  void Attached() {
    const scheduler::model::AttachedVolumes& attached = cluster_.storage().attached();
    std::set<std::string> drivers;
    for (const auto& [key, csi_node] : cluster_.objects<api::CsiNode>().all()) {
      const scheduler::model::AttachedVolumes::Node* node =
          attached.Find(cluster_.symbols().Find(key.name));
      if (node == nullptr) continue;
      for (const auto& [driver, limit] : node->limits) {
        drivers.insert(driver);
        auto count = node->counts.find(driver);
        Line("{} at {}: {} of {} attached", driver, key.name,
             count == node->counts.end() ? 0 : count->second, limit);
      }
      Line("volumes at {}: {} used by pods, error: {}", key.name, node->used.size(), node->error);
    }
    for (const std::string& driver : drivers) {
      Texts full;
      attached.ForEachFull(driver, 1, [&](Symbol node) { full.push_back(Text(node)); });
      Line("{} full at {}", driver, Joined(std::move(full)));
    }
    Texts uncountable;
    for (Symbol node : attached.uncountable()) uncountable.push_back(Text(node));
    Line("uncountable: {}", Joined(std::move(uncountable)));
  }

  template <typename... Ts>
  void ObjectsOf() {
    (ObjectsOfKind<Ts>(), ...);
  }

  template <typename T>
  void ObjectsOfKind() {
    for (const auto& [key, object] : cluster_.objects<T>().all()) {
      Line("{} {} version {}", api::KindOf<T>().kind, key.ToString(),
           object->metadata.resource_version);
    }
  }

  const scheduler::model::Cluster& cluster_;
  const scheduler::model::NodeTable& nodes_;
  Texts lines_;
};

}  // namespace

std::string Dump(const scheduler::model::Cluster& cluster) { return Dumper(cluster).All(); }

std::string DumpNode(const scheduler::model::Cluster& cluster, scheduler::model::NodeRow row) {
  return Dumper(cluster).OneNode(row);
}

}  // namespace berth
