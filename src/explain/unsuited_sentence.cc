// The sentence about nodes that would never do: which of the pod's conditions no node meets, or
// which of them no node meets together.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/selector.h"
#include "base/suggestion.h"
#include "explain/affinity_corrections.h"
#include "explain/node_sentence.h"
#include "explain/obstacle.h"
#include "explain/request_changes.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/resources.h"
#include "scheduler/plugins/explanation_text.h"

namespace berth::explain {
namespace {

using scheduler::model::Cluster;

// What the pod demands of a node, apart from room.
struct Condition {
  std::string text;      // Of what a node has: "the label disk=ssd", "16 cpu".
  std::string obstacle;  // "NodeAffinity disk"
  std::function<bool(const NodeStanding&)> holds;
  std::function<std::string()> if_none;  // The sentence if no node meets it.
};

// --- labels ---

// The most similar one, preferring those that begin alike.
std::string Similar(const std::string& word, const std::set<std::string_view>& known) {
  Suggestion suggestion(word);
  for (const bool alike : {true, false}) {
    for (const std::string_view one : known) {
      const bool begins_alike = !word.empty() && !one.empty() && one[0] == word[0];
      if (begins_alike == alike) suggestion.Consider(one);
    }
  }
  return suggestion.best();
}

// Says which values the nodes have, or which label was meant.
std::string LabelHint(const Nodes& nodes, const std::string& key, const std::string& value) {
  std::map<std::string_view, size_t> present;
  for (const NodeStanding* standing : nodes.list()) {
    const api::StringMap& labels = standing->node->metadata.labels;
    if (const auto found = labels.find(key); found != labels.end()) ++present[found->second];
  }
  if (present.empty()) {
    std::set<std::string_view> keys;
    for (const NodeStanding* standing : nodes.list()) {
      for (const auto& [known, of_node] : standing->node->metadata.labels) keys.insert(known);
    }
    const std::string meant = Similar(key, keys);
    return meant.empty() ? "" : fmt::format("; did you mean the label {}?", meant);
  }
  // The architecture is what the image was built for.
  const bool is_fact = key == "kubernetes.io/arch" || key == "kubernetes.io/os";
  std::set<std::string_view> values;
  for (const auto& [text, number] : present) values.insert(text);
  const std::string meant = is_fact ? "" : Similar(value, values);
  if (!meant.empty()) return fmt::format("; did you mean {}={}?", key, meant);
  std::vector<std::string> counts;
  for (const auto& [text, number] : present) counts.push_back(fmt::format("{} ({})", text, number));
  return "; nodes have " + SomeOf(counts);
}

Condition LabelCondition(const Nodes& nodes, const api::Requirement& requirement) {
  std::string text =
      requirement.op == api::SelectorOp::kDoesNotExist
          ? fmt::format("no label {}", requirement.key)
          : fmt::format("the label {}", scheduler::plugins::FormatSelector(requirement));
  return {.text = text,
          .obstacle = "NodeAffinity " + requirement.key,
          .holds =
              [requirement](const NodeStanding& standing) {
                return requirement.Matches(standing.node->metadata.labels);
              },
          .if_none =
              [&nodes, requirement, text] {
                // What a label must not be, nobody misspells.
                const bool asks = requirement.op == api::SelectorOp::kIn ||
                                  requirement.op == api::SelectorOp::kExists;
                const std::string value =
                    requirement.values.empty() ? "" : requirement.values.front();
                if (requirement.op == api::SelectorOp::kNotIn) {
                  return fmt::format(
                      "{} another {} than {}", nodes.None("has", "does not have"), requirement.key,
                      SomeOf({requirement.values.begin(), requirement.values.end()}));
                }
                if (requirement.op == api::SelectorOp::kDoesNotExist) {
                  return fmt::format("{} without the label {}", nodes.None("is", "is not"),
                                     requirement.key);
                }
                return fmt::format("{} {}{}", nodes.None("has", "does not have"), text,
                                   asks ? LabelHint(nodes, requirement.key, value) : "");
              }};
}

void AddLabels(const api::Pod& pod, const Nodes& nodes, std::vector<Condition>& conditions) {
  for (const auto& [key, value] : pod.spec.node_selector.value_or(api::StringMap())) {
    auto requirement = api::Requirement::Make(key, api::SelectorOp::kIn, {value});
    if (requirement) conditions.push_back(LabelCondition(nodes, *requirement));
  }
  if (!pod.spec.affinity || !pod.spec.affinity->node_affinity ||
      !pod.spec.affinity->node_affinity->required) {
    return;
  }
  const auto& required = *pod.spec.affinity->node_affinity->required;
  if (required.terms.size() == 1) {
    if (const auto term = api::CompiledNodeTerm::Make(required.terms[0])) {
      for (const api::Requirement& requirement : term->labels) {
        conditions.push_back(LabelCondition(nodes, requirement));
      }
      if (term->fields.empty()) return;
    }
  }
  const auto selector = api::CompiledNodeSelector::MakeLazy(required);
  conditions.push_back(
      {.text = "what its node affinity requires",
       .obstacle = "NodeAffinity",
       .holds =
           [selector](const NodeStanding& standing) {
             return selector.Matches(standing.node->metadata.labels, standing.node->metadata.name);
           },
       .if_none =
           [&nodes, &required] {
             const NodeStanding& first = nodes.first();
             return fmt::format(
                 "{} its node affinity: on {}, it {}", nodes.None("meets", "does not meet"),
                 first.node->metadata.name,
                 scheduler::plugins::WhyNoTermMatches(required, first.node->metadata.labels,
                                                      first.node->metadata.name));
           }});
}

// Adds the labels by which other pods are counted.
void AddTopologyKeys(const api::Pod& pod, const Nodes& nodes, std::vector<Condition>& conditions) {
  const auto add = [&](const std::string& key, const char* plugin) {
    auto requirement = api::Requirement::Make(key, api::SelectorOp::kExists, {});
    if (!requirement) return;
    conditions.push_back(LabelCondition(nodes, *requirement));
    conditions.back().obstacle = plugin;
  };
  for (const auto& constraint : pod.spec.topology_spread_constraints) {
    if (constraint.when_unsatisfiable == "DoNotSchedule") {
      add(constraint.topology_key, "PodTopologySpread");
    }
  }
  if (!pod.spec.affinity || !pod.spec.affinity->pod_affinity) return;
  for (const api::PodAffinityTerm& term : pod.spec.affinity->pod_affinity->required) {
    add(term.topology_key, "InterPodAffinity");
  }
}

// --- sizes ---

int64_t AllocatableOf(const Cluster& cluster, const NodeStanding& standing,
                      const std::string& resource) {
  const auto& columns = cluster.nodes().columns();
  const size_t row = standing.row.index();
  if (resource == "cpu") return columns.allocatable_cpu[row];
  if (resource == "memory") return columns.allocatable_memory[row];
  if (resource == "ephemeral-storage") return columns.allocatable_ephemeral[row];
  const auto id = cluster.scalars().Find(resource);
  const auto* column = id.valid() ? columns.scalar(id) : nullptr;
  return column == nullptr ? 0 : column->allocatable[row];
}

std::string TooLarge(const Cluster& cluster, const Nodes& nodes, const std::string& resource,
                     int64_t requested) {
  const NodeStanding* largest = nodes.list().front();
  int64_t most = AllocatableOf(cluster, *largest, resource);
  for (const NodeStanding* standing : nodes.list()) {
    const int64_t amount = AllocatableOf(cluster, *standing, resource);
    if (amount <= most) continue;
    most = amount;
    largest = standing;
  }
  if (most > 0) {
    return fmt::format("No node is large enough for {}: {} has {}", AmountText(resource, requested),
                       largest->node->metadata.name, BareAmount(resource, most));
  }
  // Nodes of one kind offer the same: most are looked at only once.
  std::set<std::string_view> offered;
  const api::ResourceList* before = nullptr;
  for (const NodeStanding* standing : nodes.list()) {
    const api::ResourceList& all = standing->node->status.allocatable;
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    if (before != nullptr && std::ranges::equal(*before, all, same)) continue;
    before = &all;
    for (const auto& [known, amount] : all) offered.insert(known);
  }
  Suggestion suggestion(resource);
  for (const std::string_view known : offered) suggestion.Consider(known);
  return fmt::format("No node offers the resource {}{}", resource, suggestion.Text());
}

void AddSizes(const Cluster& cluster, const api::Pod& pod, const Nodes& nodes,
              std::vector<Condition>& conditions) {
  const bool matters = std::ranges::any_of(nodes.list(), [](const NodeStanding* standing) {
    return standing->IsRejectedBy("NodeResourcesFit");
  });
  if (!matters) return;
  for (const auto& [name, quantity] : RequestsOf(cluster, pod)) {
    const std::string resource = name;
    const int64_t amount = scheduler::model::AmountOf(resource, quantity);
    if (amount <= 0 || resource == "pods") continue;
    conditions.push_back(
        {.text = AmountText(resource, amount),
         .obstacle = "NodeResourcesFit " + resource,
         .holds =
             [&cluster, resource, amount](const NodeStanding& standing) {
               return AllocatableOf(cluster, standing, resource) >= amount;
             },
         .if_none = [&cluster, &nodes, resource,
                     amount] { return TooLarge(cluster, nodes, resource, amount); }});
  }
}

// --- other plugins ---

// Says that the term is about no namespace at all; empty if there is one.
std::string MissingNamespaces(const Cluster& cluster, const api::PodAffinityTerm& term) {
  const auto& all = cluster.objects<api::Namespace>().all();
  if (!term.namespace_selector) {
    const bool some = std::ranges::any_of(
        term.namespaces, [&](const std::string& name) { return all.contains({"", name}); });
    if (some || term.namespaces.empty()) return "";
    Suggestion suggestion(term.namespaces.front());
    for (const auto& [key, object] : all) suggestion.Consider(key.name);
    return fmt::format("Its pod affinity is about namespace {}, which does not exist{}",
                       term.namespaces.front(), suggestion.Text());
  }
  const auto selector = api::Selector::FromLabelSelector(term.namespace_selector);
  if (!selector || std::ranges::any_of(all, [&](const auto& entry) {
        return selector->Matches(entry.second->metadata.labels);
      })) {
    return "";
  }
  std::string meant;
  for (const auto& [key, value] : term.namespace_selector->match_labels) {
    const std::string similar = SimilarNamespaceLabel(cluster, key, value);
    if (!similar.empty()) meant = fmt::format("; did you mean {}={}?", key, similar);
  }
  return fmt::format("Its pod affinity is about namespaces with {}, and there is none{}",
                     scheduler::plugins::FormatSelector(term.namespace_selector), meant);
}

// Names the pods that the pod's affinity requires, if none of them runs anywhere.
std::string MissingNeighbours(const Cluster& cluster, const api::Pod& pod, const Nodes& nodes) {
  const auto& required = pod.spec.affinity->pod_affinity->required;
  for (const api::PodAffinityTerm& term : required) {
    if (auto missing = MissingNamespaces(cluster, term); !missing.empty()) return missing;
    const auto selector = api::Selector::FromLabelSelector(term.label_selector);
    if (!selector || !term.label_selector || !term.is_about_own_namespace()) continue;
    bool found = false;
    cluster.pods().ForEach([&](const scheduler::model::PodRecord& other) {
      found |= !other.object->spec.node_name.empty() &&
               other.object->metadata.namespace_ == pod.metadata.namespace_ &&
               selector->Matches(other.object->metadata.labels);
    });
    if (found) continue;
    const std::string noun = DomainNoun(term.topology_key);
    std::string meant;
    for (const auto& [key, value] : term.label_selector->match_labels) {
      const std::string similar = SimilarPodLabel(cluster, pod.metadata.namespace_, key, value);
      if (!similar.empty()) meant = fmt::format("; did you mean {}={}?", key, similar);
    }
    return fmt::format("It must run {} the {} of a pod with {}, and none runs{}",
                       noun == "node" ? "on" : "in", noun,
                       scheduler::plugins::FormatSelector(term.label_selector), meant);
  }
  return SentenceOfPlugin("InterPodAffinity", nodes).text;
}

void AddOthers(const Cluster& cluster, const api::Pod& pod, const Nodes& nodes,
               std::vector<Condition>& conditions) {
  std::map<std::string, std::string> texts = {
      {"VolumeBinding", "access to its volumes"},
      {"VolumeZone", "access to its volumes"},
      {"DynamicResources", "the devices that it claims"},
      {"InterPodAffinity", "the pods beside it that its affinity requires"},
      {"NodeDeclaredFeatures", "the features that it needs"},
      {"PodTopologySpread", "the labels of its topology spread"}};
  std::set<std::string> plugins;
  for (const NodeStanding* standing : nodes.list()) {
    for (const auto& verdict : standing->rejections) {
      const std::string& plugin = verdict.plugin();
      const bool known = plugin == "NodeAffinity" || plugin == "NodeResourcesFit" ||
                         plugin == "NodeUnschedulable" || plugin == "TaintToleration";
      const bool lasting =
          verdict.code() == scheduler::framework::Code::kUnschedulableAndUnresolvable;
      if (known || !lasting || !plugins.insert(plugin).second) continue;
      const auto text = texts.find(plugin);
      conditions.push_back(
          {.text = text == texts.end() ? "what plugin " + plugin + " requires" : text->second,
           .obstacle = plugin,
           .holds = [plugin](const NodeStanding& other) { return !other.IsRejectedBy(plugin); },
           .if_none =
               [&cluster, &pod, &nodes, plugin] {
                 return plugin == "InterPodAffinity" && pod.spec.affinity &&
                                pod.spec.affinity->pod_affinity
                            ? MissingNeighbours(cluster, pod, nodes)
                            : SentenceOfPlugin(plugin, nodes).text;
               }});
    }
  }
}

// --- together ---

// Adds conditions, those that fewest nodes meet first, until no node meets all.
std::vector<const Condition*> Conflict(const std::vector<Condition>& conditions,
                                       const Nodes& nodes) {
  Nodes::List left = nodes.list();
  std::vector<const Condition*> conflict;
  while (!left.empty() && conflict.size() < conditions.size()) {
    const auto met = [&](const Condition& condition) {
      return std::ranges::count_if(
          left, [&](const NodeStanding* standing) { return condition.holds(*standing); });
    };
    const Condition& next = *std::ranges::min_element(conditions, {}, met);
    if (std::ranges::find(conflict, &next) != conflict.end()) break;
    conflict.push_back(&next);
    std::erase_if(left, [&](const NodeStanding* standing) { return !next.holds(*standing); });
  }
  return conflict;
}

}  // namespace

Sentence UnsuitedSentence(const Cluster& cluster, const api::Pod& pod, const Nodes& nodes) {
  std::vector<Condition> conditions;
  AddLabels(pod, nodes, conditions);
  AddSizes(cluster, pod, nodes, conditions);
  AddTopologyKeys(pod, nodes, conditions);
  AddOthers(cluster, pod, nodes, conditions);
  for (const Condition& condition : conditions) {
    const bool some = std::ranges::any_of(
        nodes.list(), [&](const NodeStanding* standing) { return condition.holds(*standing); });
    if (!some) return {condition.if_none(), condition.obstacle};
  }
  const std::vector<const Condition*> conflict = Conflict(conditions, nodes);
  const bool explains = conflict.size() > 1;
  if (!explains) {
    const auto& rejections = nodes.first().rejections;
    return SentenceOfPlugin(rejections.empty() ? "" : rejections.front().plugin(), nodes);
  }
  std::vector<std::string> texts, counts;
  std::string key;
  for (const Condition* condition : conflict) {
    const auto number = static_cast<size_t>(std::ranges::count_if(
        nodes.list(), [&](const NodeStanding* standing) { return condition->holds(*standing); }));
    texts.push_back(condition->text);
    counts.push_back(fmt::format("{} {} {}", Count(number, "node"), number == 1 ? "has" : "have",
                                 condition->text));
    key += (key.empty() ? "" : " ") + condition->obstacle;
  }
  return {fmt::format("No node has {}{}: {}", texts.size() == 2 ? "both " : "", SomeOf(texts),
                      SomeOf(counts)),
          std::move(key)};
}

}  // namespace berth::explain
