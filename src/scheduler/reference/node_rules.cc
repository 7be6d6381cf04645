#include <algorithm>
#include <charconv>

#include "api/selector.h"
#include "base/saturating.h"
#include "scheduler/reference/filter_and_score.h"
#include "scheduler/reference/rules.h"

namespace berth::scheduler::reference {
namespace {

// NodeUnschedulable rejects cordoned nodes unless the pod tolerates them.
class NodeUnschedulable final : public Rule {
 public:
  using Rule::Rule;

  framework::Verdict Filter(const NodeState& node_state) const override {
    const api::Taint cordoned = {"node.kubernetes.io/unschedulable", "", "NoSchedule"};
    if (!node_state.node().spec.unschedulable) return {};
    if (ToleratesTaint(pod_, cordoned, profile_.features)) return {};
    return Unresolvable("node(s) were unschedulable");
  }
};

// NodeName rejects nodes other than the pod's spec.nodeName.
class NodeName final : public Rule {
 public:
  using Rule::Rule;

  framework::Verdict Filter(const NodeState& node_state) const override {
    const std::string& wanted = pod_.spec.node_name;
    if (wanted.empty() || wanted == node_state.name()) return {};
    return Unresolvable("node(s) didn't match the requested node name");
  }
};

// TaintToleration rejects nodes with untolerated hard taints and prefers nodes with fewer soft
// ones.
class TaintToleration final : public Rule {
 public:
  using Rule::Rule;

  framework::Verdict Filter(const NodeState& node_state) const override {
    if (!HasUntoleratedTaint(node_state.node(), pod_, profile_.features)) return {};
    return Unresolvable("node(s) had untolerated taint(s)");
  }

  // Counts untolerated soft taints. Tolerations of hard effects cannot match those.
  int64_t Score(const api::Node& node) const override {
    return std::ranges::count_if(node.spec.taints, [&](const api::Taint& taint) {
      return taint.effect == "PreferNoSchedule" && !ToleratesTaint(pod_, taint, profile_.features);
    });
  }

  void Normalize(Scores& scores) const override { DefaultNormalize(scores, /*reverse=*/true); }
};

// Returns the node names that the term's matchFields allow; nullopt if it does not restrict them.
std::optional<std::set<std::string>> NamesIn(const api::NodeSelectorTerm& term) {
  std::optional<std::set<std::string>> names;
  for (const api::NodeSelectorRequirement& field : term.match_fields) {
    if (field.key != "metadata.name" || field.op != "In") continue;
    if (!names) {
      names.emplace(field.values.begin(), field.values.end());
    } else {
      std::erase_if(*names, [&](const auto& name) { return !Contains(field.values, name); });
    }
  }
  return names;
}

bool IsEmpty(const api::NodeSelectorTerm& term) {
  return term.match_expressions.empty() && term.match_fields.empty();
}

// Returns the sum of the weights of the terms that match the node.
int64_t WeightOfMatches(const std::vector<api::PreferredSchedulingTerm>& terms,
                        const api::Node& node) {
  int64_t sum = 0;
  for (const auto& [weight, preference] : terms) {
    if (weight == 0 || IsEmpty(preference)) continue;
    const auto term = api::CompiledNodeTerm::Make(preference);
    if (term && term->Matches(node.metadata.labels, node.metadata.name)) sum += weight;
  }
  return sum;
}

// NodeAffinity filters and scores by node selectors and node affinity.
class NodeAffinity final : public Rule {
 public:
  explicit NodeAffinity(const EvaluationInput& input) : Rule(input) {
    if (profile_.node_affinity.added_affinity) added_ = *profile_.node_affinity.added_affinity;
    if (pod_.spec.affinity && pod_.spec.affinity->node_affinity) {
      own_ = *pod_.spec.affinity->node_affinity;
    }
  }

  // Restricts the search if every term names nodes.
  PreFilterOutcome PreFilter() override {
    if (!own_.required && !added_.required && !pod_.spec.node_selector)
      return {framework::Verdict::Skip()};
    if (!own_.required || own_.required->terms.empty()) return {};
    std::set<std::string> all;
    for (const api::NodeSelectorTerm& term : own_.required->terms) {
      const auto names = NamesIn(term);
      if (!names) return {};
      all.insert(names->begin(), names->end());
    }
    if (all.empty()) return {Unresolvable("pod affinity terms conflict")};
    return {{}, all};
  }

  framework::Verdict Filter(const NodeState& node_state) const override {
    if (added_.required && !api::CompiledNodeSelector::MakeLazy(*added_.required)
                                .Matches(node_state.labels(), node_state.name())) {
      return Unresolvable("node(s) didn't match scheduler-enforced node affinity");
    }
    if (!MatchesNodeAffinity(node_state.node(), pod_)) {
      return Unresolvable("node(s) didn't match Pod's node affinity/selector");
    }
    return {};
  }

  framework::Verdict PreScore(const std::vector<const api::Node*>&) override {
    const std::vector<std::string> problems = ProblemsOfPreferredTerms();
    if (!problems.empty()) return framework::Verdict::Error(JoinErrors(problems));
    if (added_.preferred.empty() && own_.preferred.empty()) return framework::Verdict::Skip();
    return {};
  }

  int64_t Score(const api::Node& node) const override {
    const int64_t sum =
        WeightOfMatches(added_.preferred, node) + WeightOfMatches(own_.preferred, node);
    return sum < 0 ? 0 : sum;
  }

  void Normalize(Scores& scores) const override { DefaultNormalize(scores, /*reverse=*/false); }

 private:
  std::vector<std::string> ProblemsOfPreferredTerms() const {
    std::vector<std::string> all;
    for (size_t i = 0; i < own_.preferred.size(); ++i) {
      const auto& [weight, preference] = own_.preferred[i];
      if (weight == 0 || IsEmpty(preference)) continue;
      const std::string path = "[" + std::to_string(i) + "]";
      for (auto& problem : api::CompiledNodeTerm::Problems(preference, path)) {
        if (!Contains(all, problem)) all.push_back(std::move(problem));
      }
    }
    return all;
  }

  api::NodeAffinity added_;
  api::NodeAffinity own_;
};

// NodePorts rejects nodes where a host port of the pod is in use.
class NodePorts final : public Rule {
 public:
  using Rule::Rule;

  PreFilterOutcome PreFilter() override {
    wanted_ = HostPortsOf(pod_);
    return {wanted_.empty() ? framework::Verdict::Skip() : framework::Verdict()};
  }

  framework::Verdict Filter(const NodeState& node_state) const override {
    for (const HostPort& wanted : wanted_) {
      for (const HostPort& used : node_state.used_ports()) {
        if (Conflict(wanted, used)) {
          return Unschedulable("node(s) didn't have free ports for the requested pod ports");
        }
      }
    }
    return {};
  }

 private:
  static bool Conflict(const HostPort& a, const HostPort& b) {
    const bool same_ip = a.ip == b.ip || a.ip == "0.0.0.0" || b.ip == "0.0.0.0";
    return same_ip && a.protocol == b.protocol && a.port == b.port;
  }

  std::vector<HostPort> wanted_;
};

// NodeDeclaredFeatures rejects nodes that do not declare a feature that the pod requires.
class NodeDeclaredFeatures final : public Rule {
 public:
  using Rule::Rule;

  PreFilterOutcome PreFilter() override {
    if (!profile_.features.node_declared_features) return {framework::Verdict::Skip()};
    if (RestartsAllContainers()) required_.push_back("RestartAllContainersOnContainerExits");
    if (pod_.spec.host_network && pod_.spec.host_users == false) {
      required_.push_back("UserNamespacesHostNetworkSupport");
    }
    return {required_.empty() ? framework::Verdict::Skip() : framework::Verdict()};
  }

  framework::Verdict Filter(const NodeState& node_state) const override {
    for (const std::string& feature : required_) {
      if (!Contains(node_state.node().status.declared_features, feature)) {
        return Unresolvable("node(s) didn't match Pod's required features");
      }
    }
    return {};
  }

 private:
  bool RestartsAllContainers() const {
    for (const auto* containers : {&pod_.spec.init_containers, &pod_.spec.containers}) {
      for (const api::Container& container : *containers) {
        if (Contains(container.restart_policy_rule_actions, "RestartAllContainers")) return true;
      }
    }
    return false;
  }

  std::vector<std::string> required_;
};

// Returns the number whose usual decimal form the text is.
std::optional<int64_t> NumberIn(const std::string& text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::to_string(number) == text ? std::optional(number) : std::nullopt;
}

// Reports whether the toleration compares numbers, and the taint's is on the right side.
bool IsOnTheRightSide(const api::Toleration& toleration, const api::Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  const auto bound = NumberIn(toleration.value), value = NumberIn(taint.value);
  if (!bound || !value) return false;
  return (toleration.op == "Gt" && *value > *bound) || (toleration.op == "Lt" && *value < *bound);
}

}  // namespace

bool ToleratesTaint(const api::Pod& pod, const api::Taint& taint, const model::Features& features) {
  if (api::ToleratesAny(pod.spec.tolerations, taint)) return true;
  if (!features.taint_toleration_comparison_operators) return false;
  return std::ranges::any_of(pod.spec.tolerations, [&](const api::Toleration& toleration) {
    return IsOnTheRightSide(toleration, taint);
  });
}

bool HasUntoleratedTaint(const api::Node& node, const api::Pod& pod,
                         const model::Features& features) {
  return std::ranges::any_of(node.spec.taints, [&](const api::Taint& taint) {
    const bool hard = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    return hard && !ToleratesTaint(pod, taint, features);
  });
}

bool MatchesNodeAffinity(const api::Node& node, const api::Pod& pod) {
  const api::StringMap& labels = node.metadata.labels;
  if (pod.spec.node_selector && !api::Selector::FromMap(*pod.spec.node_selector).Matches(labels)) {
    return false;
  }
  if (!pod.spec.affinity || !pod.spec.affinity->node_affinity) return true;
  const auto& required = pod.spec.affinity->node_affinity->required;
  if (!required) return true;
  return api::CompiledNodeSelector::MakeLazy(*required).Matches(labels, node.metadata.name);
}

std::unique_ptr<Rule> MakeNodeUnschedulable(const EvaluationInput& input) {
  return std::make_unique<NodeUnschedulable>(input);
}
std::unique_ptr<Rule> MakeNodeName(const EvaluationInput& input) {
  return std::make_unique<NodeName>(input);
}
std::unique_ptr<Rule> MakeTaintToleration(const EvaluationInput& input) {
  return std::make_unique<TaintToleration>(input);
}
std::unique_ptr<Rule> MakeNodeAffinity(const EvaluationInput& input) {
  return std::make_unique<NodeAffinity>(input);
}
std::unique_ptr<Rule> MakeNodePorts(const EvaluationInput& input) {
  return std::make_unique<NodePorts>(input);
}
std::unique_ptr<Rule> MakeNodeDeclaredFeatures(const EvaluationInput& input) {
  return std::make_unique<NodeDeclaredFeatures>(input);
}

namespace {

constexpr int64_t kMegabyte = 1024 * 1024;

// Appends ":latest" if the image has no tag. A colon before the last slash belongs to a port.
std::string WithTag(const std::string& image) {
  const size_t colon = image.rfind(':');
  const size_t slash = image.rfind('/');
  const bool has_tag = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return has_tag ? image : image + ":latest";
}

const api::ContainerImage* FindImage(const api::Node& node, const std::string& name) {
  for (const api::ContainerImage& image : node.status.images) {
    if (Contains(image.names, name)) return &image;
  }
  return nullptr;
}

// ImageLocality prefers nodes that have the pod's images, weighted by size and spread.
class ImageLocality final : public Rule {
 public:
  using Rule::Rule;

  int64_t Score(const api::Node& node) const override {
    int64_t sum = 0;
    for (const std::string& image : ImagesOfPod()) {
      if (FindImage(node, image) != nullptr) sum = SaturatingAdd(sum, ImageScore(image));
    }
    const auto containers =
        static_cast<int64_t>(pod_.spec.init_containers.size() + pod_.spec.containers.size());
    const int64_t min_threshold = 23 * kMegabyte;
    const int64_t max_threshold = 1000 * kMegabyte * containers;
    if (sum < min_threshold) {
      sum = min_threshold;
    } else if (sum > max_threshold) {
      sum = max_threshold;
    }
    return 100 * (sum - min_threshold) / (max_threshold - min_threshold);
  }

 private:
  // Image volumes count here, but not as containers.
  std::vector<std::string> ImagesOfPod() const {
    std::vector<std::string> images;
    for (const auto* containers : {&pod_.spec.init_containers, &pod_.spec.containers}) {
      for (const api::Container& container : *containers)
        images.push_back(WithTag(container.image));
    }
    for (const api::Volume& volume : pod_.spec.volumes) {
      const auto* source = std::get_if<api::ImageSource>(&volume.source);
      if (source != nullptr) images.push_back(WithTag(source->reference));
    }
    return images;
  }

  // Returns the image's size, as the first node by name reports it, times the share of nodes that
  // have it.
  int64_t ImageScore(const std::string& name) const {
    int64_t size = 0;
    int64_t holders = 0;
    for (const auto& [key, node] : snapshot_.nodes) {
      const api::ContainerImage* image = FindImage(*node, name);
      if (image != nullptr && holders++ == 0) size = image->size_bytes;
    }
    const double share = static_cast<double>(holders) / static_cast<double>(snapshot_.nodes.size());
    constexpr int64_t kMaxSize = int64_t{1} << 53;  // More than any pod's threshold.
    size = std::clamp<int64_t>(size, 0, kMaxSize);
    return static_cast<int64_t>(static_cast<double>(size) * share);
  }
};

}  // namespace

std::unique_ptr<Rule> MakeImageLocality(const EvaluationInput& input) {
  return std::make_unique<ImageLocality>(input);
}

}  // namespace berth::scheduler::reference
