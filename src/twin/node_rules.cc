#include "twin/node_rules.h"

#include <algorithm>

#include "api/selector.h"
#include "twin/scoring.h"

namespace berth::twin {
namespace {

class NodeUnschedulable final : public Rule {
 public:
  using Rule::Rule;

  Verdict Filter(const Trial& trial) const override {
    const api::Taint cordoned = {"node.kubernetes.io/unschedulable", "", "NoSchedule"};
    if (!trial.node().spec.unschedulable) return {};
    if (api::ToleratesAny(pod_.spec.tolerations, cordoned)) return {};
    return Unresolvable("node(s) were unschedulable");
  }
};

class NodeName final : public Rule {
 public:
  using Rule::Rule;

  Verdict Filter(const Trial& trial) const override {
    const std::string& wanted = pod_.spec.node_name;
    if (wanted.empty() || wanted == trial.name()) return {};
    return Unresolvable("node(s) didn't match the requested node name");
  }
};

class TaintToleration final : public Rule {
 public:
  using Rule::Rule;

  Verdict Filter(const Trial& trial) const override {
    if (!HasUntoleratedTaint(trial.node(), pod_)) return {};
    return Unresolvable("node(s) had untolerated taint(s)");
  }

  // How many soft taints are not tolerated. Tolerations of hard effects cannot match those.
  int64_t Score(const api::Node& node) const override {
    return std::ranges::count_if(node.spec.taints, [&](const api::Taint& taint) {
      return taint.effect == "PreferNoSchedule" && !api::ToleratesAny(pod_.spec.tolerations, taint);
    });
  }

  void Normalize(Scores& scores) const override { DefaultNormalize(scores, /*reverse=*/true); }
};

// The names that the term's matchFields allow; nullopt if it does not restrict them.
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

// The sum of the weights of the terms that the node meets.
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

class NodeAffinity final : public Rule {
 public:
  explicit NodeAffinity(const Question& question) : Rule(question) {
    if (rules_.node_affinity.added_affinity) added_ = *rules_.node_affinity.added_affinity;
    if (pod_.spec.affinity && pod_.spec.affinity->node_affinity) {
      own_ = *pod_.spec.affinity->node_affinity;
    }
  }

  // A pod that names its nodes in every term is tried on those alone.
  PreFilterAnswer PreFilter() override {
    if (!own_.required && !added_.required && !pod_.spec.node_selector) return {Verdict::Skip()};
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

  Verdict Filter(const Trial& trial) const override {
    if (added_.required && !api::CompiledNodeSelector::MakeLazy(*added_.required)
                                .Matches(trial.labels(), trial.name())) {
      return Unresolvable("node(s) didn't match scheduler-enforced node affinity");
    }
    if (!MatchesNodeAffinity(trial.node(), pod_)) {
      return Unresolvable("node(s) didn't match Pod's node affinity/selector");
    }
    return {};
  }

  Verdict PreScore(const std::vector<const api::Node*>&) override {
    const std::vector<std::string> problems = ProblemsOfPreferredTerms();
    if (!problems.empty()) return Verdict::Error(JoinErrors(problems));
    if (added_.preferred.empty() && own_.preferred.empty()) return Verdict::Skip();
    return {};
  }

  int64_t Score(const api::Node& node) const override {
    return WeightOfMatches(added_.preferred, node) + WeightOfMatches(own_.preferred, node);
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

class NodePorts final : public Rule {
 public:
  using Rule::Rule;

  PreFilterAnswer PreFilter() override {
    wanted_ = HostPortsOf(pod_);
    return {wanted_.empty() ? Verdict::Skip() : Verdict()};
  }

  Verdict Filter(const Trial& trial) const override {
    for (const HostPort& wanted : wanted_) {
      for (const HostPort& used : trial.used_ports()) {
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

class NodeDeclaredFeatures final : public Rule {
 public:
  using Rule::Rule;

  PreFilterAnswer PreFilter() override {
    if (RestartsAllContainers()) required_.push_back("RestartAllContainersOnContainerExits");
    if (pod_.spec.host_network && pod_.spec.host_users == false) {
      required_.push_back("UserNamespacesHostNetworkSupport");
    }
    return {required_.empty() ? Verdict::Skip() : Verdict()};
  }

  Verdict Filter(const Trial& trial) const override {
    for (const std::string& feature : required_) {
      if (!Contains(trial.node().status.declared_features, feature)) {
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

}  // namespace

bool HasUntoleratedTaint(const api::Node& node, const api::Pod& pod) {
  return std::ranges::any_of(node.spec.taints, [&](const api::Taint& taint) {
    const bool hard = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    return hard && !api::ToleratesAny(pod.spec.tolerations, taint);
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

std::unique_ptr<Rule> MakeNodeUnschedulable(const Question& question) {
  return std::make_unique<NodeUnschedulable>(question);
}
std::unique_ptr<Rule> MakeNodeName(const Question& question) {
  return std::make_unique<NodeName>(question);
}
std::unique_ptr<Rule> MakeTaintToleration(const Question& question) {
  return std::make_unique<TaintToleration>(question);
}
std::unique_ptr<Rule> MakeNodeAffinity(const Question& question) {
  return std::make_unique<NodeAffinity>(question);
}
std::unique_ptr<Rule> MakeNodePorts(const Question& question) {
  return std::make_unique<NodePorts>(question);
}
std::unique_ptr<Rule> MakeNodeDeclaredFeatures(const Question& question) {
  return std::make_unique<NodeDeclaredFeatures>(question);
}

}  // namespace berth::twin
