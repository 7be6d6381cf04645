#include "explain/affinity_corrections.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "api/json/writer.h"
#include "api/selector.h"
#include "base/suggestion.h"
#include "explain/pod_changes.h"
#include "scheduler/model/objects.h"

namespace berth::explain {
namespace {

using scheduler::model::Cluster;

constexpr const char* kRequiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";

Change CorrectAffinity(const api::Pod& pod, std::string subject, std::string text) {
  return MakeChange(ChangeKind::kCorrect, NameOfPod(pod), std::move(subject), std::move(text));
}

// Returns the one of `known` that is similar; empty if there is none, or if `word` is one.
std::string SimilarOf(const std::string& word, const std::set<std::string>& known) {
  if (known.contains(word)) return "";
  Suggestion suggestion(word);
  for (const std::string& one : known) suggestion.Consider(one);
  return suggestion.best();
}

// --- node affinity ---

std::string ExpressionPath(size_t term, size_t expression, const char* field) {
  return PatchPath({"spec", "affinity", "nodeAffinity", kRequiredTerms, "nodeSelectorTerms",
                    std::to_string(term), "matchExpressions", std::to_string(expression), field});
}

Change SetExpressionValue(const api::Pod& pod, size_t term, size_t expression, size_t value,
                          const std::string& to) {
  const auto& asked =
      pod.spec.affinity->node_affinity->required->terms[term].match_expressions[expression];
  const std::string& from = asked.values[value];
  Change change = CorrectAffinity(pod, fmt::format("nodeAffinity {}", asked.key),
                                  fmt::format("ask for {}={} in the node affinity instead of {}={}",
                                              asked.key, to, asked.key, from));
  change.edit_pod = [=](api::Pod& edited) {
    edited.spec.affinity->node_affinity->required->terms[term]
        .match_expressions[expression]
        .values[value] = to;
  };
  change.patch = {{"replace",
                   ExpressionPath(term, expression, "values") + "/" + std::to_string(value),
                   api::JsonQuoted(to)}};
  change.amount = static_cast<double>(EditDistance(from, to));
  return change;
}

Change SetExpressionKey(const api::Pod& pod, size_t term, size_t expression,
                        const std::string& to) {
  const std::string& from =
      pod.spec.affinity->node_affinity->required->terms[term].match_expressions[expression].key;
  Change change = CorrectAffinity(
      pod, fmt::format("nodeAffinity {}", from),
      fmt::format("ask for the label {} in the node affinity instead of {}", to, from));
  change.edit_pod = [=](api::Pod& edited) {
    edited.spec.affinity->node_affinity->required->terms[term].match_expressions[expression].key =
        to;
  };
  change.patch = {{"replace", ExpressionPath(term, expression, "key"), api::JsonQuoted(to)}};
  change.amount = static_cast<double>(EditDistance(from, to));
  return change;
}

void CorrectExpression(const Obstacle& obstacle, size_t term, size_t expression,
                       std::vector<Change>& changes) {
  const auto& asked = obstacle.pod.spec.affinity->node_affinity->required->terms[term]
                          .match_expressions[expression];
  const api::StringMap& labels = obstacle.node.metadata.labels;
  const auto label = labels.find(asked.key);
  if (label != labels.end()) {
    if (asked.op != "In") return;
    for (size_t v = 0; v < asked.values.size(); ++v) {
      if (SimilarOf(asked.values[v], {label->second}).empty()) continue;
      changes.push_back(SetExpressionValue(obstacle.pod, term, expression, v, label->second));
      return;
    }
    return;
  }
  if (asked.op != "In" && asked.op != "Exists") return;
  std::set<std::string> keys;
  for (const auto& [key, value] : labels) {
    if (asked.op == "Exists" || std::ranges::count(asked.values, value) > 0) keys.insert(key);
  }
  const std::string similar = SimilarOf(asked.key, keys);
  if (!similar.empty()) {
    changes.push_back(SetExpressionKey(obstacle.pod, term, expression, similar));
  }
}

// --- pod affinity ---

std::string TermPath(size_t term) {
  return PatchPath({"spec", "affinity", "podAffinity", kRequiredTerms, std::to_string(term)});
}

// A label of a selector in a term of the pod's affinity.
struct SelectorLabel {
  size_t term;
  bool of_namespace;  // Otherwise of pods.
  std::string key, value;
};

Change SetSelectorLabel(const api::Pod& pod, const SelectorLabel& label, const std::string& to) {
  Change change =
      CorrectAffinity(pod, fmt::format("podAffinity {} {}", label.term, label.key),
                      fmt::format("ask for {} with {}={} in the pod affinity instead of {}={}",
                                  label.of_namespace ? "namespaces" : "pods", label.key, to,
                                  label.key, label.value));
  change.edit_pod = [label, to](api::Pod& edited) {
    auto& term = edited.spec.affinity->pod_affinity->required[label.term];
    auto& selector = label.of_namespace ? term.namespace_selector : term.label_selector;
    selector->match_labels.insert_or_assign(label.key, to);
  };
  change.patch = {
      {"replace",
       TermPath(label.term) + PatchPath({label.of_namespace ? "namespaceSelector" : "labelSelector",
                                         "matchLabels", label.key}),
       api::JsonQuoted(to)}};
  change.amount = static_cast<double>(EditDistance(label.value, to));
  return change;
}

Change SetNamespace(const api::Pod& pod, size_t term, size_t number, const std::string& to) {
  const std::string& from = pod.spec.affinity->pod_affinity->required[term].namespaces[number];
  Change change = CorrectAffinity(
      pod, fmt::format("podAffinity {} namespace {}", term, from),
      fmt::format("look for pods of namespace {} in the pod affinity instead of {}", to, from));
  change.edit_pod = [=](api::Pod& edited) {
    edited.spec.affinity->pod_affinity->required[term].namespaces[number] = to;
  };
  change.patch = {{"replace", TermPath(term) + PatchPath({"namespaces", std::to_string(number)}),
                   api::JsonQuoted(to)}};
  return change;
}

std::set<std::string> NamespaceValues(const Cluster& cluster, const std::string& key) {
  std::set<std::string> values;
  for (const auto& [name, object] : cluster.objects<api::Namespace>().all()) {
    const auto label = object->metadata.labels.find(key);
    if (label != object->metadata.labels.end()) values.insert(label->second);
  }
  return values;
}

std::set<std::string> NamespaceNames(const Cluster& cluster) {
  std::set<std::string> names;
  for (const auto& [name, object] : cluster.objects<api::Namespace>().all())
    names.insert(name.name);
  return names;
}

void CorrectTerm(const Obstacle& obstacle, size_t number, std::vector<Change>& changes) {
  const api::PodAffinityTerm& term = obstacle.pod.spec.affinity->pod_affinity->required[number];
  for (size_t n = 0; n < term.namespaces.size(); ++n) {
    const std::string similar = SimilarOf(term.namespaces[n], NamespaceNames(obstacle.cluster));
    if (!similar.empty()) changes.push_back(SetNamespace(obstacle.pod, number, n, similar));
  }
  const auto try_label = [&](bool of_namespace, const std::string& key, const std::string& value,
                             const std::string& similar) {
    if (similar.empty()) return;
    changes.push_back(SetSelectorLabel(obstacle.pod, {number, of_namespace, key, value}, similar));
  };
  if (term.namespace_selector) {
    for (const auto& [key, value] : term.namespace_selector->match_labels) {
      try_label(true, key, value, SimilarNamespaceLabel(obstacle.cluster, key, value));
    }
  }
  if (!term.label_selector || !term.is_about_own_namespace()) return;
  for (const auto& [key, value] : term.label_selector->match_labels) {
    try_label(false, key, value,
              SimilarPodLabel(obstacle.cluster, obstacle.pod.metadata.namespace_, key, value));
  }
}

}  // namespace

std::string SimilarPodLabel(const Cluster& cluster, const std::string& namespace_name,
                            const std::string& key, const std::string& value) {
  std::set<std::string> values;
  cluster.pods().ForEach([&](const scheduler::model::PodRecord& pod) {
    if (pod.object->metadata.namespace_ != namespace_name) return;
    const auto label = pod.object->metadata.labels.find(key);
    if (label != pod.object->metadata.labels.end()) values.insert(label->second);
  });
  return SimilarOf(value, values);
}

std::string SimilarNamespaceLabel(const Cluster& cluster, const std::string& key,
                                  const std::string& value) {
  return SimilarOf(value, NamespaceValues(cluster, key));
}

std::vector<Change> NodeAffinityCorrections(const Obstacle& obstacle) {
  std::vector<Change> changes;
  const auto& affinity = obstacle.pod.spec.affinity;
  if (!affinity || !affinity->node_affinity || !affinity->node_affinity->required ||
      IsDaemon(obstacle.pod)) {
    return changes;
  }
  const auto& terms = affinity->node_affinity->required->terms;
  for (size_t t = 0; t < terms.size(); ++t) {
    for (size_t e = 0; e < terms[t].match_expressions.size(); ++e) {
      const auto& expression = terms[t].match_expressions[e];
      const bool of_image =
          expression.key == "kubernetes.io/arch" || expression.key == "kubernetes.io/os";
      const auto compiled = api::CompiledNodeTerm::Make({{expression}, {}});
      if (of_image || !compiled ||
          compiled->Matches(obstacle.node.metadata.labels, obstacle.node.metadata.name)) {
        continue;
      }
      CorrectExpression(obstacle, t, e, changes);
    }
  }
  return changes;
}

std::vector<Change> PodAffinityCorrections(const Obstacle& obstacle) {
  std::vector<Change> changes;
  const auto& affinity = obstacle.pod.spec.affinity;
  if (!affinity || !affinity->pod_affinity) return changes;
  for (size_t term = 0; term < affinity->pod_affinity->required.size(); ++term) {
    CorrectTerm(obstacle, term, changes);
  }
  return changes;
}

}  // namespace berth::explain
