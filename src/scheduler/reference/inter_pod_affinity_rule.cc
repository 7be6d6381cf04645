#include <algorithm>
#include <limits>

#include "api/selector.h"
#include "scheduler/reference/rules.h"

namespace berth::scheduler::reference {
namespace {

// One compiled affinity term.
struct Term {
  api::Selector selector;
  std::string key;
  std::set<std::string> namespaces;
  api::Selector namespace_selector;
  int64_t weight = 1;

  bool Matches(const api::Pod& pod, const api::StringMap& namespace_labels) const {
    return (namespaces.contains(pod.metadata.namespace_) ||
            namespace_selector.Matches(namespace_labels)) &&
           selector.Matches(pod.metadata.labels);
  }
};

Result<Term> Compile(const api::PodAffinityTerm& spec, const api::Pod& owner, int64_t weight) {
  Term term;
  auto selector = api::Selector::FromLabelSelector(spec.label_selector);
  if (!selector) return std::unexpected(selector.error());
  auto namespace_selector = api::Selector::FromLabelSelector(spec.namespace_selector);
  if (!namespace_selector) return std::unexpected(namespace_selector.error());
  term.selector = *std::move(selector);
  term.namespace_selector = *std::move(namespace_selector);
  term.key = spec.topology_key;
  term.weight = weight;
  term.namespaces.insert(spec.namespaces.begin(), spec.namespaces.end());
  if (spec.namespaces.empty() && !spec.namespace_selector) {
    term.namespaces.insert(owner.metadata.namespace_);
  }
  return term;
}

// The compiled terms of a pod. A list with an invalid term is empty.
struct Terms {
  std::vector<Term> affinity;
  std::vector<Term> anti_affinity;
  std::vector<Term> preferred;  // Weights are positive for affinity, negative for anti-affinity.
  std::string error;
};

std::vector<Term> CompileAll(const std::vector<api::PodAffinityTerm>& specs, const api::Pod& owner,
                             std::string& error) {
  std::vector<Term> terms;
  for (const api::PodAffinityTerm& spec : specs) {
    auto term = Compile(spec, owner, 1);
    if (!term) {
      error = term.error().message;
      return {};
    }
    terms.push_back(*std::move(term));
  }
  return terms;
}

std::vector<Term> CompilePreferred(const std::vector<api::WeightedPodAffinityTerm>& specs,
                                   const api::Pod& owner, int64_t sign, std::string& error) {
  std::vector<Term> terms;
  for (const api::WeightedPodAffinityTerm& spec : specs) {
    auto term = Compile(spec.term, owner, sign * spec.limited_weight());
    if (!term) {
      error = term.error().message;
      return {};
    }
    terms.push_back(*std::move(term));
  }
  return terms;
}

Terms TermsOf(const api::Pod& pod) {
  Terms terms;
  if (!pod.spec.affinity) return terms;
  if (const auto& affinity = pod.spec.affinity->pod_affinity) {
    terms.affinity = CompileAll(affinity->required, pod, terms.error);
    terms.preferred = CompilePreferred(affinity->preferred, pod, 1, terms.error);
  }
  if (const auto& anti_affinity = pod.spec.affinity->pod_anti_affinity) {
    terms.anti_affinity = CompileAll(anti_affinity->required, pod, terms.error);
    const auto preferred = CompilePreferred(anti_affinity->preferred, pod, -1, terms.error);
    terms.preferred.insert(terms.preferred.end(), preferred.begin(), preferred.end());
  }
  return terms;
}

// Counts by topology domain: the label key and the node's value.
class DomainCounts {
 public:
  // Does nothing if the node does not have the label. Removes counts that become 0.
  void Add(const api::Node& node, const std::string& key, int64_t by) {
    const std::string* value = Find(node.metadata.labels, key);
    if (value == nullptr) return;
    int64_t& count = counts_[{key, *value}];
    count += by;
    if (count == 0) counts_.erase({key, *value});
  }
  int64_t At(const std::string& key, const std::string& value) const {
    const auto found = counts_.find({key, value});
    return found == counts_.end() ? 0 : found->second;
  }
  bool empty() const { return counts_.empty(); }

 private:
  std::map<std::pair<std::string, std::string>, int64_t> counts_;
};

// InterPodAffinity filters and scores by the affinity terms of the pod and of existing pods.
class InterPodAffinity final : public Rule {
 public:
  explicit InterPodAffinity(const EvaluationInput& input) : Rule(input), own_(TermsOf(pod_)) {
    if (const auto* own_namespace = Find(snapshot_.namespaces, pod_.metadata.namespace_)) {
      own_namespace_labels_ = own_namespace->metadata.labels;
    }
    for (auto* terms : {&own_.affinity, &own_.anti_affinity, &own_.preferred}) {
      for (Term& term : *terms) ResolveNamespaces(term);
    }
  }

  // Counts the required terms of all pods by domain.
  PreFilterOutcome PreFilter() override {
    if (!own_.error.empty()) return {Unresolvable("parsing pod: " + own_.error)};
    for (const auto& [key, node] : snapshot_.nodes) {
      for (const auto& [pod_key, pod] : snapshot_.PodsOn(node->metadata.name)) {
        CountPod(*pod, *node, 1, counts_);
      }
    }
    if (counts_.against_pod.empty() && own_.affinity.empty() && own_.anti_affinity.empty()) {
      return {framework::Verdict::Skip()};
    }
    return {};
  }

  framework::Verdict Filter(const NodeState& node_state) const override {
    Counts counts = counts_;
    for (const auto& [pod, by] : node_state.changes())
      CountPod(*pod, node_state.node(), by, counts);
    if (!SatisfiesAffinity(node_state, counts)) {
      return Unresolvable("node(s) didn't match pod affinity rules");
    }
    for (const Term& term : own_.anti_affinity) {
      const std::string* value = Find(node_state.labels(), term.key);
      if (value != nullptr && counts.anti_affinity.At(term.key, *value) > 0) {
        return Unschedulable("node(s) didn't match pod anti-affinity rules");
      }
    }
    for (const auto& [key, value] : node_state.labels()) {
      if (counts.against_pod.At(key, value) > 0) {
        return Unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");
      }
    }
    return {};
  }

  // Sums the preferred terms of all pods by domain, and required affinity, which also attracts.
  framework::Verdict PreScore(const std::vector<const api::Node*>&) override {
    if (profile_.pod_affinity.ignore_preferred_terms_of_existing_pods && own_.preferred.empty()) {
      return framework::Verdict::Skip();
    }
    if (!own_.error.empty()) return framework::Verdict::Error("failed to parse pod: " + own_.error);
    for (const auto& [key, node] : snapshot_.nodes) {
      for (const auto& [pod_key, pod] : snapshot_.PodsOn(node->metadata.name)) {
        WeighPod(*pod, *node);
      }
    }
    return weights_.empty() ? framework::Verdict::Skip() : framework::Verdict();
  }

  int64_t Score(const api::Node& node) const override {
    int64_t score = 0;
    for (const auto& [key, value] : node.metadata.labels) {
      const auto found = weights_.find({key, value});
      if (found != weights_.end()) score += found->second;
    }
    return score;
  }

  void Normalize(Scores& scores) const override {
    int64_t lowest = std::numeric_limits<int64_t>::max();
    int64_t highest = std::numeric_limits<int64_t>::min();
    for (const auto& [node, score] : scores) {
      lowest = std::min(lowest, score);
      highest = std::max(highest, score);
    }
    for (auto& [node, score] : scores) {
      if (highest == lowest) {
        score = 0;
      } else {
        const double part =
            static_cast<double>(score - lowest) / static_cast<double>(highest - lowest);
        score = static_cast<int64_t>(100.0 * part);
      }
    }
  }

 private:
  struct Counts {
    DomainCounts affinity;       // Pods that match all of the pod's affinity terms.
    DomainCounts anti_affinity;  // Pods that match one of its anti-affinity terms.
    DomainCounts against_pod;    // Anti-affinity terms of other pods that match the pod.
  };

  // Resolves the namespace selector of one of the pod's terms to names. The selector stays and is
  // matched against empty labels from then on: one that only requires absence selects every
  // namespace, as in kube-scheduler.
  void ResolveNamespaces(Term& term) const {
    for (const auto& [key, namespace_] : snapshot_.namespaces) {
      if (term.namespace_selector.Matches(namespace_->metadata.labels)) {
        term.namespaces.insert(key.name);
      }
    }
  }

  bool MatchesAllOwnAffinity(const api::Pod& pod) const {
    return !own_.affinity.empty() && std::ranges::all_of(own_.affinity, [&](const Term& term) {
      return term.Matches(pod, {});
    });
  }

  void CountPod(const api::Pod& pod, const api::Node& node, int by, Counts& counts) const {
    for (const Term& term : TermsOf(pod).anti_affinity) {
      if (term.Matches(pod_, own_namespace_labels_)) counts.against_pod.Add(node, term.key, by);
    }
    if (MatchesAllOwnAffinity(pod)) {
      for (const Term& term : own_.affinity) counts.affinity.Add(node, term.key, by);
    }
    for (const Term& term : own_.anti_affinity) {
      if (term.Matches(pod, {})) counts.anti_affinity.Add(node, term.key, by);
    }
  }

  bool SatisfiesAffinity(const NodeState& node_state, const Counts& counts) const {
    bool all_present = true;
    for (const Term& term : own_.affinity) {
      const std::string* value = Find(node_state.labels(), term.key);
      if (value == nullptr) return false;
      if (counts.affinity.At(term.key, *value) <= 0) all_present = false;
    }
    // The first pod of a group with affinity to itself is allowed anywhere.
    return all_present || (counts.affinity.empty() && MatchesAllOwnAffinity(pod_));
  }

  void WeighPod(const api::Pod& pod, const api::Node& node) {
    const auto weigh = [&](const Term& term, const api::Pod& other,
                           const api::StringMap& namespace_labels, int64_t weight) {
      const std::string* value = Find(node.metadata.labels, term.key);
      if (value == nullptr || !term.Matches(other, namespace_labels)) return;
      weights_[{term.key, *value}] += weight;
    };
    for (const Term& term : own_.preferred) weigh(term, pod, {}, term.weight);
    const Terms existing = TermsOf(pod);
    const int64_t hard = profile_.pod_affinity.hard_pod_affinity_weight;
    if (hard > 0) {
      for (const Term& term : existing.affinity) weigh(term, pod_, own_namespace_labels_, hard);
    }
    for (const Term& term : existing.preferred) {
      weigh(term, pod_, own_namespace_labels_, term.weight);
    }
  }

  Terms own_;
  api::StringMap own_namespace_labels_;
  Counts counts_;
  std::map<std::pair<std::string, std::string>, int64_t>
      weights_;  // By topology, as in DomainCounts.
};

}  // namespace

std::unique_ptr<Rule> MakeInterPodAffinity(const EvaluationInput& input) {
  return std::make_unique<InterPodAffinity>(input);
}

}  // namespace berth::scheduler::reference
