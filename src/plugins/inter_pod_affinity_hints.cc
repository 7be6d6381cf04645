// Which events InterPodAffinity's rejected pods wait for.
//
// Namespace selectors are not looked up among the namespaces here, as upstream: they are tried on
// no labels at all.
#include <algorithm>
#include <string>
#include <vector>

#include "api/selector.h"
#include "plugins/hints.h"
#include "plugins/inter_pod_affinity.h"

namespace berth {
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

using Terms = std::vector<Term>;

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

// The required terms that `pod` has of one kind.
Result<Terms> RequiredTerms(const api::Pod& pod,
                            std::optional<api::PodAffinity> api::Affinity::* kind) {
  Terms terms;
  if (!pod.spec.affinity || !((*pod.spec.affinity).*kind)) return terms;
  for (const api::PodAffinityTerm& source : ((*pod.spec.affinity).*kind)->required) {
    auto term = Compile(source, pod.metadata.namespace_);
    if (!term) return std::unexpected(term.error());
    terms.push_back(*std::move(term));
  }
  return terms;
}

Result<Terms> AffinityTermsOf(const api::Pod& pod) {
  return RequiredTerms(pod, &api::Affinity::pod_affinity);
}

Result<Terms> AntiAffinityTermsOf(const api::Pod& pod) {
  return RequiredTerms(pod, &api::Affinity::pod_anti_affinity);
}

// One pod must satisfy all affinity terms. No terms match nobody.
bool AllMatch(const Terms& terms, const api::Pod& pod) {
  return !terms.empty() &&
         std::ranges::all_of(terms, [&](const Term& term) { return term.Matches(pod); });
}

Result<bool> MayHelpByPod(const api::Pod& pod, const Terms& near, const Terms& apart,
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

// The value of a node's label, or null.
const std::string* LabelOf(const api::Node& node, const std::string& key) {
  const auto found = node.metadata.labels.find(key);
  return found == node.metadata.labels.end() ? nullptr : &found->second;
}

bool MayHelpByNode(const Terms& near, const Terms& apart, const Change<api::Node>& node) {
  // Pods can be near each other where the key has come up or has another value.
  const bool nearer = std::ranges::any_of(near, [&](const Term& term) {
    const std::string* after = LabelOf(*node.after, term.topology_key);
    if (after == nullptr) return false;
    const std::string* before =
        node.before == nullptr ? nullptr : LabelOf(*node.before, term.topology_key);
    return before == nullptr || *before != *after;
  });
  if (nearer) return true;
  // They can be apart where it is gone or has another value.
  return std::ranges::any_of(apart, [&](const Term& term) {
    if (node.before == nullptr) return true;
    const std::string* before = LabelOf(*node.before, term.topology_key);
    if (before == nullptr) return false;
    const std::string* after = LabelOf(*node.after, term.topology_key);
    return after == nullptr || *before != *after;
  });
}

}  // namespace

std::vector<Interest> InterPodAffinity::Interests() const {
  return {{{Resource::kPod, kAdd | kUpdatePodLabel | kDelete}},
          {{Resource::kNode, kAdd | kUpdateNodeLabel}}};
}

Result<bool> InterPodAffinity::MayHelp(const Cluster&, const PodRecord& pod,
                                       const ClusterEvent& event) const {
  const auto near = AffinityTermsOf(*pod.object);
  if (!near) return std::unexpected(near.error());
  const auto apart = AntiAffinityTermsOf(*pod.object);
  if (!apart) return std::unexpected(apart.error());
  if (KindOf(event) == Resource::kNode) {
    const auto node = UpdateOf<api::Node>(event);
    if (!node) return std::unexpected(node.error());
    return MayHelpByNode(*near, *apart, *node);
  }
  const auto other = ChangeOf<api::Pod>(event);
  if (!other) return std::unexpected(other.error());
  const bool updated = other->before != nullptr && other->after != nullptr;
  if (updated && IsSamePod(pod, *other->after)) return true;
  for (const api::Pod* version : {other->before, other->after}) {
    if (version != nullptr && !TakesRoom(*version)) return false;
  }
  return MayHelpByPod(*pod.object, *near, *apart, *other);
}

}  // namespace berth
