// InterPodAffinity's explanations for users (which pod excludes a node, or which is missing) and
// its queueing hints. Both evaluate pods one by one, since counters do not record which pods they
// counted.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/selector.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/pod_counters.h"
#include "scheduler/plugins/changed_object.h"
#include "scheduler/plugins/explanation_text.h"
#include "scheduler/plugins/inter_pod_affinity/inter_pod_affinity.h"

namespace berth::scheduler::plugins {
namespace {

// A required term, over objects as they are written.
class WrittenTerm {
 public:
  WrittenTerm(const api::PodAffinityTerm& term, const std::string& owner_namespace)
      : term_(term), labels_(Compile(term.label_selector)), namespaces_(term.namespaces) {
    if (term.namespace_selector) {
      namespace_labels_ = Compile(term.namespace_selector);
    } else if (namespaces_.empty()) {
      namespaces_.push_back(owner_namespace);
    }
  }

  const std::string& key() const { return term_.topology_key; }
  std::string Labels() const { return FormatSelector(labels_); }

  // `incoming`: the term is one of the pod to be placed, see PodMatcher.
  bool Matches(const model::Cluster& cluster, const api::Pod& pod, bool incoming) const {
    return labels_.Matches(pod.metadata.labels) &&
           MatchesNamespace(cluster, pod.metadata.namespace_, incoming);
  }

 private:
  static api::Selector Compile(const std::optional<api::LabelSelector>& selector) {
    return api::Selector::FromLabelSelector(selector).value_or(api::Selector::Nothing());
  }

  bool MatchesNamespace(const model::Cluster& cluster, const std::string& name,
                        bool incoming) const {
    if (std::ranges::count(namespaces_, name) > 0) return true;
    if (!namespace_labels_) return false;
    const auto* object = cluster.objects<api::Namespace>().Find({"", name});
    return namespace_labels_->Matches(object == nullptr ? api::StringMap()
                                                        : object->metadata.labels) ||
           (incoming && namespace_labels_->Matches({}));
  }

  const api::PodAffinityTerm& term_;
  api::Selector labels_;
  std::vector<std::string> namespaces_;
  std::optional<api::Selector> namespace_labels_;
};

using WrittenTerms = std::vector<WrittenTerm>;

WrittenTerms WrittenRequiredTerms(const api::Pod& pod,
                                  std::optional<api::PodAffinity> api::Affinity::* kind) {
  WrittenTerms terms;
  if (!pod.spec.affinity || !((*pod.spec.affinity).*kind)) return terms;
  for (const api::PodAffinityTerm& term : ((*pod.spec.affinity).*kind)->required) {
    terms.emplace_back(term, pod.metadata.namespace_);
  }
  return terms;
}

// Finds pods around one node.
class Neighbourhood {
 public:
  Neighbourhood(const framework::Cycle& cycle, model::NodeRow node) : cycle_(cycle), node_(node) {}

  const model::Cluster& cluster() const { return cycle_.cluster(); }
  const api::StringMap& labels() const {
    return cycle_.nodes().info(node_).object->metadata.labels;
  }
  bool HasKey(const std::string& key) const { return labels().contains(key); }

  // in zone "a"
  std::string Where(const std::string& key) const { return InDomain(key, labels().at(key)); }

  // Returns a pod in the domain that the node has under `key` for which `matches` is true: the
  // first by name on the first such node. Null if there is none, or no domain.
  template <typename Matches>
  const model::PodRecord* Find(const std::string& key, Matches&& matches) const {
    const Symbol label = cluster().symbols().Find(key);
    if (!HasKey(key) || !label.valid()) return nullptr;
    const Symbol value = model::FindLabel(cycle_.nodes().info(node_).labels, label);
    return FindIf(
        [&](model::NodeRow row) {
          return model::FindLabel(cycle_.nodes().info(row).labels, label) == value;
        },
        matches);
  }
  template <typename Matches>
  const model::PodRecord* FindAnywhere(Matches&& matches) const {
    return FindIf([](model::NodeRow) { return true; }, matches);
  }

  const std::string& NodeOf(const model::PodRecord& pod) const {
    return cycle_.nodes().name(pod.node);
  }
  // "shop/db-0 on node a-2"
  std::string Name(const model::PodRecord& pod) const {
    return fmt::format("{} on node {}", pod.key().ToString(), NodeOf(pod));
  }

 private:
  template <typename Near, typename Matches>
  const model::PodRecord* FindIf(Near&& near, Matches&& matches) const {
    for (size_t r = 0; r < cycle_.nodes().rows(); ++r) {
      const model::NodeRow row{static_cast<uint32_t>(r)};
      if (!cycle_.nodes().present().Test(r) || cycle_.nodes().info(row).pods.empty() ||
          !near(row)) {
        continue;
      }
      if (const model::PodRecord* pod = FirstPodOn(cluster(), row, matches)) return pod;
    }
    return nullptr;
  }

  const framework::Cycle& cycle_;
  const model::NodeRow node_;
};

std::string JoinedLabels(const WrittenTerms& terms) {
  std::vector<std::string> words;
  for (const WrittenTerm& term : terms) {
    std::string labels = term.Labels();
    if (std::ranges::count(words, labels) == 0) words.push_back(std::move(labels));
  }
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " and ") + word;
  return text;
}

// Names the missing pod, if any.
std::string AffinityDetails(const Neighbourhood& around, const WrittenTerms& terms) {
  for (const WrittenTerm& term : terms) {
    if (around.HasKey(term.key())) continue;
    return fmt::format("the node has no label {}, by which the pod's affinity groups nodes",
                       term.key());
  }
  // One pod must match all terms.
  auto matches = [&](const model::PodRecord& pod) {
    return std::ranges::all_of(terms, [&](const WrittenTerm& term) {
      return term.Matches(around.cluster(), *pod.object, /*incoming=*/true);
    });
  };
  for (const WrittenTerm& term : terms) {
    if (around.Find(term.key(), matches) != nullptr) continue;
    const std::string text =
        fmt::format("no pod with {}, which the pod's affinity requires, runs {}",
                    JoinedLabels(terms), around.Where(term.key()));
    const model::PodRecord* elsewhere = around.FindAnywhere(matches);
    return text + (elsewhere == nullptr ? ", nor anywhere else"
                                        : fmt::format("; there is {}", around.Name(*elsewhere)));
  }
  return "";
}

// Returns which existing pod violates the anti-affinity of the incoming one; empty if none.
std::string AntiAffinityDetails(const Neighbourhood& around, const WrittenTerms& terms) {
  for (const WrittenTerm& term : terms) {
    const model::PodRecord* pod = around.Find(term.key(), [&](const model::PodRecord& other) {
      return term.Matches(around.cluster(), *other.object, /*incoming=*/true);
    });
    if (pod == nullptr) continue;
    return fmt::format("the pod has anti-affinity to pods with {} {}, where {} runs{}",
                       term.Labels(), around.Where(term.key()), pod->key().ToString(),
                       term.key() == kHostnameKey ? "" : " on node " + around.NodeOf(*pod));
  }
  return "";
}

// Returns which existing pod's anti-affinity matches the incoming one; empty if none.
std::string ExistingAntiAffinityDetails(const Neighbourhood& around, const api::Pod& pod) {
  std::optional<WrittenTerm> term;
  const model::PodRecord* objector = around.FindAnywhere([&](const model::PodRecord& other) {
    if (!around.cluster().class_of(other).has_pod_affinity) return false;
    const api::StringMap& there = around.cluster().nodes().info(other.node).object->metadata.labels;
    for (const WrittenTerm& own :
         WrittenRequiredTerms(*other.object, &api::Affinity::pod_anti_affinity)) {
      const auto value = there.find(own.key());
      if (value == there.end() || !around.HasKey(own.key()) ||
          around.labels().at(own.key()) != value->second ||
          !own.Matches(around.cluster(), pod, /*incoming=*/false)) {
        continue;
      }
      term.emplace(own);
      return true;
    }
    return false;
  });
  if (objector == nullptr) return "";
  return fmt::format("{} has anti-affinity to pods with {} {}", around.Name(*objector),
                     term->Labels(), around.Where(term->key()));
}

}  // namespace

std::string InterPodAffinity::Details(const framework::Cycle& cycle, model::NodeRow node) const {
  const api::Pod& pod = *cycle.pod().object;
  const Neighbourhood around(cycle, node);
  if (Judge(cycle, node).code() == framework::Code::kUnschedulableAndUnresolvable) {
    return AffinityDetails(around, WrittenRequiredTerms(pod, &api::Affinity::pod_affinity));
  }
  std::string text =
      AntiAffinityDetails(around, WrittenRequiredTerms(pod, &api::Affinity::pod_anti_affinity));
  if (text.empty()) text = ExistingAntiAffinityDetails(around, pod);
  return text;
}

// --- queueing hints ---
//
// Namespace selectors are not evaluated for the known namespaces here, as upstream: they are
// evaluated for no labels at all.
namespace {

struct Term {
  std::vector<std::string> namespaces;
  bool any_namespace = false;
  api::Selector labels;
  std::string topology_key;

  bool Matches(const api::Pod& pod) const {
    const api::ObjectMeta& meta = pod.metadata;
    return (any_namespace || std::ranges::count(namespaces, meta.namespace_) > 0) &&
           labels.Matches(meta.labels);
  }
};

using CompiledTerms = std::vector<Term>;

Result<Term> Compile(const api::PodAffinityTerm& source, const std::string& owner_namespace) {
  Term term{source.namespaces, false, {}, source.topology_key};
  auto labels = api::Selector::FromLabelSelector(source.label_selector);
  if (!labels) return std::unexpected(labels.error());
  term.labels = *std::move(labels);
  if (source.namespaces.empty() && !source.namespace_selector) {
    term.namespaces.push_back(owner_namespace);
  }
  const auto namespaces = api::Selector::FromLabelSelector(source.namespace_selector);
  if (!namespaces) return std::unexpected(namespaces.error());
  term.any_namespace = namespaces->Matches({});
  return term;
}

// Returns the required terms that `pod` has of one kind.
Result<CompiledTerms> CompiledRequiredTerms(const api::Pod& pod,
                                            std::optional<api::PodAffinity> api::Affinity::* kind) {
  CompiledTerms terms;
  if (!pod.spec.affinity || !((*pod.spec.affinity).*kind)) return terms;
  for (const api::PodAffinityTerm& source : ((*pod.spec.affinity).*kind)->required) {
    auto term = Compile(source, pod.metadata.namespace_);
    if (!term) return std::unexpected(term.error());
    terms.push_back(*std::move(term));
  }
  return terms;
}

Result<CompiledTerms> AffinityTermsOf(const api::Pod& pod) {
  return CompiledRequiredTerms(pod, &api::Affinity::pod_affinity);
}

Result<CompiledTerms> AntiAffinityTermsOf(const api::Pod& pod) {
  return CompiledRequiredTerms(pod, &api::Affinity::pod_anti_affinity);
}

// Reports whether one pod matches all affinity terms. No terms match no pod.
bool AllMatch(const CompiledTerms& terms, const api::Pod& pod) {
  return !terms.empty() &&
         std::ranges::all_of(terms, [&](const Term& term) { return term.Matches(pod); });
}

Result<bool> HintForPod(const api::Pod& pod, const CompiledTerms& near, const CompiledTerms& apart,
                        const Change<api::Pod>& other) {
  if (other.before != nullptr && other.after != nullptr) {
    return (!AllMatch(near, *other.before) && AllMatch(near, *other.after)) ||
           (AllMatch(apart, *other.before) && !AllMatch(apart, *other.after));
  }
  if (other.after != nullptr) return AllMatch(near, *other.after);
  if (AllMatch(apart, *other.before)) return true;
  const auto others = AntiAffinityTermsOf(*other.before);
  if (!others) return std::unexpected(others.error());
  return AllMatch(*others, pod);
}

// Returns the value of a node's label, or null.
const std::string* LabelOf(const api::Node& node, const std::string& key) {
  const auto found = node.metadata.labels.find(key);
  return found == node.metadata.labels.end() ? nullptr : &found->second;
}

bool HintForNode(const CompiledTerms& near, const CompiledTerms& apart,
                 const Change<api::Node>& node) {
  // Affinity may hold where the key is new or has another value.
  const bool nearer = std::ranges::any_of(near, [&](const Term& term) {
    const std::string* after = LabelOf(*node.after, term.topology_key);
    if (after == nullptr) return false;
    const std::string* before =
        node.before == nullptr ? nullptr : LabelOf(*node.before, term.topology_key);
    return before == nullptr || *before != *after;
  });
  if (nearer) return true;
  // Anti-affinity may hold where the key was removed or has another value.
  return std::ranges::any_of(apart, [&](const Term& term) {
    if (node.before == nullptr) return true;
    const std::string* before = LabelOf(*node.before, term.topology_key);
    if (before == nullptr) return false;
    const std::string* after = LabelOf(*node.after, term.topology_key);
    return after == nullptr || *before != *after;
  });
}

}  // namespace

std::vector<framework::ClusterEventWithHint> InterPodAffinity::EventsToRegister() const {
  return {{{framework::Resource::kPod,
            framework::kAdd | framework::kUpdatePodLabel | framework::kDelete}},
          {{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeLabel}}};
}

Result<bool> InterPodAffinity::QueueingHint(const model::Cluster&, const model::PodRecord& pod,
                                            const framework::ClusterEvent& event) const {
  const auto near = AffinityTermsOf(*pod.object);
  if (!near) return std::unexpected(near.error());
  const auto apart = AntiAffinityTermsOf(*pod.object);
  if (!apart) return std::unexpected(apart.error());
  if (KindOf(event) == framework::Resource::kNode) {
    const auto node = UpdateOf<api::Node>(event);
    if (!node) return std::unexpected(node.error());
    return HintForNode(*near, *apart, *node);
  }
  const auto other = ChangeOf<api::Pod>(event);
  if (!other) return std::unexpected(other.error());
  const bool updated = other->before != nullptr && other->after != nullptr;
  if (updated && IsSamePod(pod, *other->after)) return true;
  for (const api::Pod* version : {other->before, other->after}) {
    if (version != nullptr && !UsesCapacity(*version)) return false;
  }
  return HintForPod(*pod.object, *near, *apart, *other);
}

}  // namespace berth::scheduler::plugins
