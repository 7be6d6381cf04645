// The sentence about nodes that suit a pod and are open to it, where other pods are in the way.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/selector.h"
#include "explain/node_sentence.h"
#include "explain/request_changes.h"
#include "explain/workload.h"
#include "scheduler/plugins/explanation_text.h"

namespace berth::explain {
namespace {

using scheduler::model::Cluster;

constexpr const char* kFit = "NodeResourcesFit";
constexpr const char* kSpread = "PodTopologySpread";

// The plugin by which other pods keep the pod off the node; empty for pods that are nominated.
std::string ObstacleOn(const NodeStanding& standing) {
  for (const auto& verdict : standing.rejections) {
    if (verdict.plugin() != "NodeUnschedulable" && verdict.plugin() != "TaintToleration") {
      return verdict.plugin();
    }
  }
  return "";
}

std::string Decapitalized(std::string text) {
  if (text.starts_with("No ") || text.starts_with("None ") || text.starts_with("The ")) {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

// --- resources ---

// What the nodes lack of what the pod requests.
class Lack {
 public:
  Lack(const Cluster& cluster, const api::Pod& pod, const Nodes& nodes)
      : cluster_(cluster), requests_(RequestsOf(cluster, pod)), nodes_(nodes) {
    for (const NodeStanding* standing : nodes.list()) {
      for (const Shortage& shortage : ShortagesOf(cluster, requests_, standing->row)) {
        Tally& tally = TallyOf(shortage.resource);
        ++tally.nodes;
        tally.requested = shortage.requested;
        if (tally.nodes > 1 && shortage.free <= tally.most_free) continue;
        tally.most_free = shortage.free;
        tally.freest = standing->node->metadata.name;
      }
    }
  }

  Sentence Text(const Nodes::List& others) const {
    if (tallies_.empty()) return NoMorePods();
    const auto everywhere = std::ranges::find(tallies_, nodes_.size(), &Tally::nodes);
    if (everywhere == tallies_.end()) return NotAtOnce();
    return Missing(*everywhere, others);
  }

 private:
  struct Tally {
    std::string resource;
    size_t nodes = 0;  // That lack it.
    int64_t requested = 0;
    int64_t most_free = 0;
    std::string freest;  // Of those that lack it.
  };

  Tally& TallyOf(const std::string& resource) {
    const auto found = std::ranges::find(tallies_, resource, &Tally::resource);
    if (found != tallies_.end()) return *found;
    tallies_.push_back({.resource = resource, .freest = {}});
    return tallies_.back();
  }

  Sentence Missing(const Tally& tally, const Nodes::List& others) const {
    const std::string amount = AmountText(tally.resource, tally.requested);
    std::string text;
    if (nodes_.size() == 1) {
      text = fmt::format("{} has {} free, and the pod needs {}", nodes_.None(),
                         AmountText(tally.resource, tally.most_free),
                         BareAmount(tally.resource, tally.requested));
    } else {
      text = fmt::format("{} has {} free", nodes_.None(), amount);
      text += tally.most_free == 0
                  ? std::string("; all of it is in use")
                  : fmt::format("; the largest free amount is {} on {}",
                                BareAmount(tally.resource, tally.most_free), tally.freest);
    }
    return {text + ClosedThatHas(tally.resource, others),
            fmt::format("{} {}", kFit, tally.resource)};
  }

  // Names a node that would have enough, but is closed.
  std::string ClosedThatHas(const std::string& resource, const Nodes::List& others) const {
    // One that somebody closed on purpose, and may open.
    const NodeStanding* closed = nullptr;
    for (const NodeStanding* other : others) {
      if (!other->IsOnlyClosed()) continue;
      const bool cordoned = other->node->spec.unschedulable;
      if (closed == nullptr || (cordoned && !closed->node->spec.unschedulable)) closed = other;
    }
    if (closed == nullptr) return "";
    return fmt::format(" ({} has enough {}, but {})", closed->node->metadata.name, resource,
                       WhyClosed(*closed));
  }

  Sentence NotAtOnce() const {
    std::vector<std::string> amounts;
    std::string key = kFit;
    for (const Tally& tally : tallies_) {
      amounts.push_back(AmountText(tally.resource, tally.requested));
      key += " " + tally.resource;
    }
    const Tally& most = *std::ranges::max_element(tallies_, {}, &Tally::nodes);
    return {fmt::format("{} has {} free at once: {} of them lack {}", nodes_.None(),
                        SomeOf(amounts), most.nodes, most.resource),
            std::move(key)};
  }

  Sentence NoMorePods() const {
    const size_t row = nodes_.first().row.index();
    const auto& columns = cluster_.nodes().columns();
    const std::string most = scheduler::plugins::FormatCount(columns.allocatable_pods[row], "pod");
    return {nodes_.size() == 1
                ? fmt::format("{} takes {} and has {}", nodes_.None(), most, columns.pod_count[row])
                : fmt::format("{} takes one more pod: {} takes {} and has {}", nodes_.None(),
                              nodes_.names()[0], most, columns.pod_count[row]),
            fmt::format("{} pods", kFit)};
  }

  const Cluster& cluster_;
  const api::ResourceList requests_;
  const Nodes& nodes_;
  std::vector<Tally> tallies_;  // By resource, in the order of importance.
};

// --- anti-affinity among replicas ---

// Reports whether the pod's own required anti-affinity is about pods like itself.
const api::PodAffinityTerm* TermAgainstItself(const api::Pod& pod) {
  if (!pod.spec.affinity || !pod.spec.affinity->pod_anti_affinity) return nullptr;
  for (const api::PodAffinityTerm& term : pod.spec.affinity->pod_anti_affinity->required) {
    const auto selector = api::Selector::FromLabelSelector(term.label_selector);
    if (term.is_about_own_namespace() && selector && selector->Matches(pod.metadata.labels)) {
      return &term;
    }
  }
  return nullptr;
}

size_t ReplicasOf(const Cluster& cluster, const api::Pod& pod) {
  const Workload workload = WorkloadOf(cluster, pod);
  if (workload.name.kind == "Pod") return 1;
  size_t replicas = 0;
  cluster.pods().ForEach([&](const scheduler::model::PodRecord& other) {
    replicas += BelongsTo(cluster, *other.object, workload.name.kind, workload.name.key);
  });
  return replicas;
}

std::set<std::string> DomainsOf(const Nodes::List& nodes, const std::string& key) {
  std::set<std::string> domains;
  for (const NodeStanding* standing : nodes) {
    const auto label = standing->node->metadata.labels.find(key);
    if (label != standing->node->metadata.labels.end()) domains.insert(label->second);
  }
  return domains;
}

std::optional<Sentence> ReplicasSentence(const Cluster& cluster, const api::Pod& pod,
                                         const Nodes& nodes, const Nodes::List& others) {
  const api::PodAffinityTerm* term = TermAgainstItself(pod);
  if (term == nullptr) return std::nullopt;
  const size_t replicas = ReplicasOf(cluster, pod);
  const std::string noun = DomainNoun(term->topology_key);
  const size_t usable = DomainsOf(nodes.list(), term->topology_key).size();
  if (replicas <= usable || usable == 0) return std::nullopt;
  Nodes::List every = nodes.list();
  every.insert(every.end(), others.begin(), others.end());
  const size_t all = DomainsOf(every, term->topology_key).size();
  std::string text = fmt::format("The {} exclude one another per {}, and there {} {}",
                                 Count(replicas, "replica"), noun, all == 1 ? "is" : "are",
                                 all == 1 ? "1 " + noun : fmt::format("{} {}s", all, noun));
  if (usable < all) text += fmt::format(", of which they may use {}", usable);
  return Sentence{std::move(text), "InterPodAffinity replicas"};
}

// --- spread ---

const api::TopologySpreadConstraint* HardSpread(const api::Pod& pod) {
  const auto& all = pod.spec.topology_spread_constraints;
  const auto found =
      std::ranges::find(all, "DoNotSchedule", &api::TopologySpreadConstraint::when_unsatisfiable);
  return found == all.end() ? nullptr : &*found;
}

// The spread leaves some domains: what keeps the pod off those decides.
std::optional<Sentence> SpreadSentence(const Cluster& cluster, const api::Pod& pod,
                                       const Nodes& nodes, const Nodes::List& others) {
  const api::TopologySpreadConstraint* spread = HardSpread(pod);
  if (spread == nullptr) return std::nullopt;
  const auto is_left = [&](const NodeStanding* standing) {
    return !standing->IsRejectedBy(kSpread) && !standing->IsRejectedBy("NodeAffinity") &&
           standing->node->metadata.labels.contains(spread->topology_key);
  };
  Nodes::List room_left, others_left;
  std::ranges::copy_if(nodes.list(), std::back_inserter(room_left), is_left);
  std::ranges::copy_if(others, std::back_inserter(others_left), is_left);
  if (room_left.size() == nodes.size()) return std::nullopt;
  const bool has_room_left = !room_left.empty();
  if (!has_room_left && others_left.empty()) return std::nullopt;
  std::vector<NodeStanding> left;
  for (const NodeStanding* standing : has_room_left ? room_left : others_left) {
    left.push_back(*standing);
  }
  const std::set<std::string> domains =
      DomainsOf(has_room_left ? room_left : others_left, spread->topology_key);
  const Sentence rest = NodeSentence(cluster, pod, left);
  std::string rest_text = rest.text;
  if (rest_text.starts_with("No node")) rest_text = "no node there" + rest_text.substr(7);
  const std::string noun = DomainNoun(spread->topology_key);
  return Sentence{fmt::format("Its topology spread leaves only {}{} {}, and {}", noun,
                              domains.size() == 1 ? "" : "s",
                              SomeOf({domains.begin(), domains.end()}), Decapitalized(rest_text)),
                  fmt::format("{} {}", kSpread, rest.obstacle)};
}

// The spread asks for more domains than the pod may use.
std::optional<Sentence> DomainsSentence(const api::Pod& pod, const Nodes& nodes) {
  const api::TopologySpreadConstraint* spread = HardSpread(pod);
  if (spread == nullptr || !spread->min_domains) return std::nullopt;
  const std::set<std::string> usable = DomainsOf(nodes.list(), spread->topology_key);
  if (std::ssize(usable) >= *spread->min_domains) return std::nullopt;
  const std::string noun = DomainNoun(spread->topology_key);
  return Sentence{
      fmt::format("Its topology spread asks for {} {}s at least (minDomains), and it may "
                  "use {}: {}",
                  *spread->min_domains, noun, usable.size(),
                  SomeOf({usable.begin(), usable.end()})),
      "PodTopologySpread minDomains"};
}

// --- different obstacles ---

Sentence MixedSentence(const Cluster& cluster, const api::Pod& pod,
                       const std::map<std::string, Nodes::List>& by_plugin, size_t nodes) {
  std::vector<std::pair<std::string, Nodes::List>> groups(by_plugin.begin(), by_plugin.end());
  std::ranges::stable_sort(groups, std::greater<>(),
                           [](const auto& group) { return group.second.size(); });
  std::vector<std::string> parts;
  std::string key;
  for (const auto& [plugin, list] : groups) {
    const Nodes some(list, false);
    key += (key.empty() ? "" : " ") + plugin;
    if (plugin == kFit) {
      const std::vector<Shortage> shortages =
          ShortagesOf(cluster, RequestsOf(cluster, pod), some.first().row);
      const std::string what =
          shortages.empty()
              ? std::string("take no more pods")
              : fmt::format("have too little {} ({} has {} of {} free)", shortages[0].resource,
                            some.names()[0], BareAmount(shortages[0].resource, shortages[0].free),
                            BareAmount(shortages[0].resource, shortages[0].requested));
      parts.push_back(fmt::format("{} {}", list.size(), what));
    } else {
      parts.push_back(fmt::format("{} {} out ({}: {})", list.size(),
                                  list.size() == 1 ? "is" : "are", some.names()[0],
                                  some.first().DetailsBy("")));
    }
  }
  return {fmt::format("Of the {} nodes that it may use, {}", nodes, SomeOf(parts)), std::move(key)};
}

}  // namespace

Sentence RoomSentence(const Cluster& cluster, const api::Pod& pod, const Nodes& nodes,
                      const Nodes::List& others) {
  if (auto spread = SpreadSentence(cluster, pod, nodes, others)) return *std::move(spread);
  std::map<std::string, Nodes::List> by_plugin;
  for (const NodeStanding* standing : nodes.list()) {
    by_plugin[ObstacleOn(*standing)].push_back(standing);
  }
  if (by_plugin.contains("InterPodAffinity")) {
    auto replicas = ReplicasSentence(cluster, pod, nodes, others);
    if (replicas) return *std::move(replicas);
  }
  if (by_plugin.size() > 1) return MixedSentence(cluster, pod, by_plugin, nodes.size());
  const std::string& plugin = by_plugin.begin()->first;
  if (plugin == kFit) return Lack(cluster, pod, nodes).Text(others);
  if (plugin == kSpread) {
    if (auto domains = DomainsSentence(pod, nodes)) return *std::move(domains);
  }
  if (plugin.empty()) {
    return {fmt::format("Its place is reserved for others: on {}, {}", nodes.names()[0],
                        nodes.first().DetailsBy("")),
            "Nominated"};
  }
  return SentenceOfPlugin(plugin, nodes);
}

}  // namespace berth::explain
