// What InterPodAffinity tells users about a node that it rejected: which pod is in the way, or
// which is missing. It looks at pods one by one, since counters do not know who they counted.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/selector.h"
#include "plugins/inter_pod_affinity.h"
#include "plugins/wording.h"

namespace berth {
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
  std::string Labels() const { return Words(labels_); }

  // `incoming`: the term is one of the pod to be placed, see PodMatcher.
  bool Matches(const Cluster& cluster, const api::Pod& pod, bool incoming) const {
    return labels_.Matches(pod.metadata.labels) &&
           MatchesNamespace(cluster, pod.metadata.namespace_, incoming);
  }

 private:
  static api::Selector Compile(const std::optional<api::LabelSelector>& selector) {
    return api::Selector::FromLabelSelector(selector).value_or(api::Selector::Nothing());
  }

  bool MatchesNamespace(const Cluster& cluster, const std::string& name, bool incoming) const {
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

using Terms = std::vector<WrittenTerm>;

Terms RequiredTerms(const api::Pod& pod, std::optional<api::PodAffinity> api::Affinity::* kind) {
  Terms terms;
  if (!pod.spec.affinity || !((*pod.spec.affinity).*kind)) return terms;
  for (const api::PodAffinityTerm& term : ((*pod.spec.affinity).*kind)->required) {
    terms.emplace_back(term, pod.metadata.namespace_);
  }
  return terms;
}

// Finds pods around one node.
class Neighbourhood {
 public:
  Neighbourhood(const Cycle& cycle, NodeRow node) : cycle_(cycle), node_(node) {}

  const Cluster& cluster() const { return cycle_.cluster(); }
  const api::StringMap& labels() const {
    return cycle_.nodes().info(node_).object->metadata.labels;
  }
  bool HasKey(const std::string& key) const { return labels().contains(key); }

  // in zone "a"
  std::string Where(const std::string& key) const { return InDomain(key, labels().at(key)); }

  // A pod in the domain that the node has under `key` for which `matches` holds: the first by name
  // on the first such node. Null if there is none, or no domain.
  template <typename Matches>
  const PodRecord* Find(const std::string& key, Matches&& matches) const {
    const Symbol label = cluster().symbols().Find(key);
    if (!HasKey(key) || !label.valid()) return nullptr;
    const Symbol value = FindLabel(cycle_.nodes().info(node_).labels, label);
    return FindIf(
        [&](NodeRow row) { return FindLabel(cycle_.nodes().info(row).labels, label) == value; },
        matches);
  }
  template <typename Matches>
  const PodRecord* FindAnywhere(Matches&& matches) const {
    return FindIf([](NodeRow) { return true; }, matches);
  }

  const std::string& NodeOf(const PodRecord& pod) const { return cycle_.nodes().name(pod.node); }
  // "shop/db-0 on node a-2"
  std::string Name(const PodRecord& pod) const {
    return fmt::format("{} on node {}", pod.key().ToString(), NodeOf(pod));
  }

 private:
  template <typename Near, typename Matches>
  const PodRecord* FindIf(Near&& near, Matches&& matches) const {
    for (size_t r = 0; r < cycle_.nodes().rows(); ++r) {
      const NodeRow row{static_cast<uint32_t>(r)};
      if (!cycle_.nodes().present().Test(r) || cycle_.nodes().info(row).pods.empty() ||
          !near(row)) {
        continue;
      }
      if (const PodRecord* pod = FirstPodOn(cluster(), row, matches)) return pod;
    }
    return nullptr;
  }

  const Cycle& cycle_;
  const NodeRow node_;
};

std::string JoinedLabels(const Terms& terms) {
  std::vector<std::string> words;
  for (const WrittenTerm& term : terms) {
    std::string labels = term.Labels();
    if (std::ranges::count(words, labels) == 0) words.push_back(std::move(labels));
  }
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " and ") + word;
  return text;
}

// Who is missing, if somebody is.
std::string Missing(const Neighbourhood& around, const Terms& terms) {
  for (const WrittenTerm& term : terms) {
    if (around.HasKey(term.key())) continue;
    return fmt::format("the node has no label {}, by which the pod's affinity groups nodes",
                       term.key());
  }
  // One pod must match all terms.
  auto matches = [&](const PodRecord& pod) {
    return std::ranges::all_of(terms, [&](const WrittenTerm& term) {
      return term.Matches(around.cluster(), *pod.object, /*incoming=*/true);
    });
  };
  for (const WrittenTerm& term : terms) {
    if (around.Find(term.key(), matches) != nullptr) continue;
    const std::string text = fmt::format("no pod with {}, which the pod wants to be near, runs {}",
                                         JoinedLabels(terms), around.Where(term.key()));
    const PodRecord* elsewhere = around.FindAnywhere(matches);
    return text + (elsewhere == nullptr ? ", nor anywhere else"
                                        : fmt::format("; there is {}", around.Name(*elsewhere)));
  }
  return "";
}

// Whom the pod cannot bear, if anybody.
std::string Shunned(const Neighbourhood& around, const Terms& terms) {
  for (const WrittenTerm& term : terms) {
    const PodRecord* pod = around.Find(term.key(), [&](const PodRecord& other) {
      return term.Matches(around.cluster(), *other.object, /*incoming=*/true);
    });
    if (pod == nullptr) continue;
    return fmt::format("the pod wants no pod with {} {}, where {} runs{}", term.Labels(),
                       around.Where(term.key()), pod->key().ToString(),
                       term.key() == kHostnameKey ? "" : " on node " + around.NodeOf(*pod));
  }
  return "";
}

// Who cannot bear the pod, if anybody.
std::string Objector(const Neighbourhood& around, const api::Pod& pod) {
  std::optional<WrittenTerm> term;
  const PodRecord* objector = around.FindAnywhere([&](const PodRecord& other) {
    if (!around.cluster().class_of(other).has_pod_affinity) return false;
    const api::StringMap& there = around.cluster().nodes().info(other.node).object->metadata.labels;
    for (const WrittenTerm& own : RequiredTerms(*other.object, &api::Affinity::pod_anti_affinity)) {
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
  return fmt::format("{} wants no pod with {} {}", around.Name(*objector), term->Labels(),
                     around.Where(term->key()));
}

}  // namespace

std::string InterPodAffinity::Details(const Cycle& cycle, NodeRow node) const {
  const api::Pod& pod = *cycle.pod().object;
  const Neighbourhood around(cycle, node);
  if (Explain(cycle, node).code() == Code::kUnschedulableAndUnresolvable) {
    return Missing(around, RequiredTerms(pod, &api::Affinity::pod_affinity));
  }
  std::string text = Shunned(around, RequiredTerms(pod, &api::Affinity::pod_anti_affinity));
  if (text.empty()) text = Objector(around, pod);
  return text;
}

}  // namespace berth
