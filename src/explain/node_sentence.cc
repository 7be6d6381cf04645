#include "explain/node_sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "explain/obstacle.h"

namespace berth::explain {
namespace {

// Why a node is closed: "cordoned", "not ready", "tainted a=b:NoSchedule".
std::string ReasonOf(const NodeStanding& standing) {
  const api::NodeSpec& spec = standing.node->spec;
  if (standing.IsRejectedBy("NodeUnschedulable")) return "cordoned";
  for (const api::Taint& taint : spec.taints) {
    if (IsCordonTaint(taint)) return "cordoned";
    if (taint.effect == "PreferNoSchedule") continue;
    if (taint.key == "node.kubernetes.io/not-ready") return "not ready";
    if (taint.key == "node.kubernetes.io/unreachable") return "unreachable";
  }
  return "tainted " + standing.taints;
}

// "is cordoned", "are cordoned"; "has the taint a:NoSchedule"
std::string Predicate(const std::string& why, bool plural) {
  constexpr std::string_view kTainted = "tainted ";
  if (!why.starts_with(kTainted)) return fmt::format("{} {}", plural ? "are" : "is", why);
  return fmt::format("{} the taint {}, which the pod does not tolerate", plural ? "have" : "has",
                     why.substr(kTainted.size()));
}

}  // namespace

std::vector<std::string> Nodes::names() const {
  std::vector<std::string> names;
  for (const NodeStanding* standing : nodes_) names.push_back(standing->node->metadata.name);
  return names;
}

std::string Nodes::None() const {
  if (nodes_.size() == 1)
    return fmt::format("{}, the only node{},", names()[0], all_ ? "" : " that it may use");
  return all_ ? "No node" : fmt::format("None of the {} nodes that it may use", nodes_.size());
}

std::string Nodes::None(std::string_view does, std::string_view does_not) const {
  return fmt::format("{} {}", None(), nodes_.size() == 1 ? does_not : does);
}

std::string Nodes::All() const {
  if (nodes_.size() == 1) {
    return fmt::format("{}, the only node{}", names()[0], all_ ? "" : " that it may use");
  }
  return all_ ? "every node" : fmt::format("all {} nodes that it may use", nodes_.size());
}

Sentence NodeSentence(const scheduler::model::Cluster& cluster, const api::Pod& pod,
                      const std::vector<NodeStanding>& standings) {
  if (standings.empty()) return {"The cluster has no node", "NoNodes"};
  const Distance nearest =
      std::ranges::min_element(standings, {}, &NodeStanding::distance)->distance;
  Nodes::List near, others;
  for (const NodeStanding& standing : standings) {
    (standing.distance == nearest ? near : others).push_back(&standing);
  }
  const Nodes nodes(std::move(near), others.empty());
  switch (nearest) {
    case Distance::kRoom:
      return RoomSentence(cluster, pod, nodes, others);
    case Distance::kClosed:
      return ClosedSentence(nodes);
    case Distance::kUnsuited:
      break;
  }
  return UnsuitedSentence(cluster, pod, nodes);
}

std::string WhyClosed(const NodeStanding& standing) { return Predicate(ReasonOf(standing), false); }

Sentence ClosedSentence(const Nodes& nodes) {
  // Nodes that would take it if they were open come first, if there are any.
  Nodes::List open_otherwise;
  std::ranges::copy_if(nodes.list(), std::back_inserter(open_otherwise),
                       [](const NodeStanding* standing) { return standing->IsOnlyClosed(); });
  const bool helps = !open_otherwise.empty();
  const Nodes about(helps ? open_otherwise : nodes.list(), false);
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const NodeStanding* standing : about.list()) {
    by_reason[ReasonOf(*standing)].push_back(standing->node->metadata.name);
  }
  const std::string could = helps ? "that could hold it" : "that suits it";
  Sentence sentence;
  sentence.obstacle = "Closed";
  for (const auto& [why, names] : by_reason) sentence.obstacle += " " + why;
  if (about.size() == 1) {
    sentence.text = fmt::format("The only node {}, {}, {}", could, about.names()[0],
                                Predicate(by_reason.begin()->first, false));
  } else if (by_reason.size() == 1) {
    sentence.text = fmt::format("The {} nodes {} {}: {}", about.size(),
                                helps ? "that could hold it" : "that suit it",
                                Predicate(by_reason.begin()->first, true), SomeOf(about.names()));
  } else {
    std::vector<std::string> parts;
    for (const auto& [why, names] : by_reason) {
      parts.push_back(
          fmt::format("{} {} ({})", names.size(), Predicate(why, names.size() > 1), SomeOf(names)));
    }
    sentence.text = fmt::format("The {} nodes {} are closed to it: {}", about.size(),
                                helps ? "that could hold it" : "that suit it", SomeOf(parts));
  }
  if (!helps) {
    sentence.text += about.size() == 1 ? ", and has no room for it" : ", and have no room for it";
  }
  return sentence;
}

Sentence SentenceOfPlugin(const std::string& plugin, const Nodes& nodes) {
  struct Phrase {
    std::string_view plugin, text;
  };
  constexpr Phrase kPhrases[] = {
      {"NodePorts", "A host port that it needs is taken on"},
      {"VolumeRestrictions", "A volume of it is in use by another pod on"},
      {"NodeVolumeLimits", "No more volumes can be attached to"},
      {"VolumeBinding", "Its volumes exclude"},
      {"VolumeZone", "Its volumes exclude"},
      {"DynamicResources", "The devices that it claims are not available on"},
      {"InterPodAffinity", "Pod affinity and anti-affinity exclude"},
      {"PodTopologySpread", "Its topology spread excludes"},
      {"NodeDeclaredFeatures", "Features that it needs are missing on"},
      {"NodeName", "Its spec.nodeName excludes"}};
  std::set<std::string_view> details;
  const NodeStanding* first = &nodes.first();
  for (const NodeStanding* standing : nodes.list()) {
    const std::string_view text = standing->DetailsBy(plugin);
    if (text.empty()) continue;
    if (details.empty()) first = standing;
    details.insert(text);
  }
  const std::string example(details.empty() ? std::string_view() : first->DetailsBy(plugin));
  if (nodes.size() == 1 && !example.empty()) {
    return {fmt::format("On {}, {}", nodes.All(), example), plugin};
  }
  // That one says what the node has, not what the pod is.
  const bool is_about_node = plugin == "DynamicResources";
  if (details.size() == 1 && !example.empty() && !is_about_node)
    return {Capitalized(example), plugin};
  const auto* phrase = std::ranges::find(kPhrases, plugin, &Phrase::plugin);
  std::string text =
      phrase == std::end(kPhrases)
          ? fmt::format("Plugin {} rejects {}", plugin.empty() ? "PreFilter" : plugin, nodes.All())
          : fmt::format("{} {}", phrase->text, nodes.All());
  if (!example.empty()) {
    text += fmt::format(": on {}, {}", first->node->metadata.name, example);
  } else if (!first->rejections.empty()) {
    text += ": " + first->rejections.front().Message();
  }
  return {std::move(text), plugin};
}

}  // namespace berth::explain
