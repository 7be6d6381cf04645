#include "cmd/why_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/parse.h"
#include "api/json/yaml_writer.h"
#include "api/timestamp.h"
#include "explain/explanation_text.h"
#include "explain/patches.h"

namespace berth::cmd {
namespace {

using GroupDecision = scheduler::groups::GroupPreview::Outcome;
using explain::Fix;
using explain::Outcome;
using explain::PodExplanation;
using explain::PodState;

std::string Plural(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string Lowercase(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

std::vector<std::string> TextsOf(const std::vector<api::ObjectKey>& keys) {
  std::vector<std::string> names;
  for (const api::ObjectKey& key : keys) names.push_back(key.ToString());
  return names;
}

std::string NamesOf(const std::vector<api::ObjectKey>& keys) {
  return fmt::format("{}", fmt::join(TextsOf(keys), ", "));
}

// The sentence, and the state.
std::string Title(const PodExplanation& pod) {
  const std::string& sentence = pod.sentence.text;
  std::string out = fmt::format("{}: {}{}\n{}", pod.pod.ToString(), sentence,
                                sentence.ends_with('?') ? "" : ".", ToString(pod.state));
  if (pod.terminating) out += ", terminating";
  if (!pod.node.empty()) out += fmt::format(" on {}", pod.node);
  if (pod.state == PodState::kNominated) out += fmt::format(" to {}", pod.nominated_node);
  if (pod.state == PodState::kGated) {
    out += fmt::format(" by {}", fmt::join(pod.gates, ", "));
  }
  if (pod.state == PodState::kWaiting) {
    out += fmt::format(" for {}", fmt::join(pod.permit, ", "));
  }
  std::vector<std::string> facts;
  if (pod.workload.name.kind != "Pod") {
    facts.push_back(fmt::format("{} {}", pod.workload.name.kind, pod.workload.name.key.name));
  }
  if (pod.priority != 0) facts.push_back(fmt::format("priority {}", pod.priority));
  if (!facts.empty()) out += fmt::format(" ({})", fmt::join(facts, ", "));
  return out + "\n";
}

// "a, b and 3 more"
std::string Some(const std::vector<std::string>& names) {
  constexpr size_t kShown = 3;
  if (names.size() <= kShown) return fmt::format("{}", fmt::join(names, ", "));
  const std::vector<std::string> first(names.begin(), names.begin() + kShown);
  return fmt::format("{} and {} more", fmt::join(first, ", "), names.size() - kShown);
}

std::string Answer(const PodExplanation& pod) {
  const PodExplanation::Decision& decision = *pod.decision;
  const std::string gated =
      pod.state == PodState::kGated ? "Once its scheduling gates are removed: " : "";
  switch (decision.outcome) {
    case Outcome::kFits: {
      const std::string& why = decision.explanation.why;
      return fmt::format("{}it fits: the scheduler would choose {}{}\n", gated,
                         Some(decision.best_nodes),
                         decision.best_nodes.size() == 1 && !why.empty() ? ": it " + why : "");
    }
    case Outcome::kPreempts:
      return fmt::format("{}{}\nIt would preempt pods on {} and run there.\n", gated,
                         decision.message, decision.nominated_node);
    case Outcome::kError:
      return fmt::format("{}the scheduler fails: {}\n", gated, decision.message);
    case Outcome::kUnschedulable:
      break;
  }
  return fmt::format("{}{}\n", gated, decision.message);
}

std::string PlacementText(const PodExplanation& pod) {
  const PodExplanation::Placement& placement = *pod.placement;
  const ::berth::explain::ExplanationSummary& summary = pod.decision->explanation;
  if (!placement.node_exists) {
    return fmt::format("Node {} does not exist any more.\n", pod.node);
  }
  if (placement.chosen) {
    const std::string why = summary.why.empty() ? "" : fmt::format(": it {}", summary.why);
    return fmt::format("Today the scheduler would choose {} again{}.\n", pod.node, why);
  }
  if (!placement.fits) {
    return fmt::format("Today {} would not fit: {}\n", pod.node,
                       placement.why_not.empty() ? pod.decision->message : placement.why_not);
  }
  return fmt::format("Today the scheduler would choose {}: {} {}\n", Some(pod.decision->best_nodes),
                     pod.node, placement.why_not);
}

// What the decision means for the node of --on.
std::string OnText(const PodExplanation::Placement& on) {
  if (!on.node_exists) return fmt::format("Node {} does not exist.\n", on.node);
  if (on.chosen) return fmt::format("On {} it fits, and no other node is better.\n", on.node);
  if (!on.fits) return fmt::format("On {} it does not fit: {}\n", on.node, on.why_not);
  return fmt::format("On {} it fits, but the node {}\n", on.node, on.why_not);
}

// With --on, `target` is that node: the scheduler may prefer another all the same.
std::string FixText(const Fix& fix, const std::string& target) {
  std::vector<std::string> texts;
  for (const explain::Change& change : fix.changes) texts.push_back(change.text);
  std::string out = fmt::format("{}", fmt::join(texts, ", and "));
  const bool new_node = fix.node.empty() || fix.changes[0].kind == explain::ChangeKind::kAddNode;
  if (!target.empty() && target != fix.node) {
    out += fmt::format("; fits on {}, though {} is better", target, fix.node);
  } else if (!new_node) {
    out += fmt::format("; runs on {}", fix.node);
  }
  if (!fix.victims.empty()) out += fmt::format(", preempting {}", NamesOf(fix.victims));
  for (const Fix::Move& move : fix.moves) {
    out += fmt::format(", {} on {}", move.pod.ToString(), move.to);
  }
  if (fix.similar > 0) out += fmt::format(" (or {} like it)", fix.similar);
  if (!fix.forbidden.empty()) out += fmt::format(" (you may not {})", fix.forbidden);
  if (fix.of > 1) out += fmt::format("; {} of {} run together", fix.runs, fix.of);
  return out;
}

// The fixes of authors, then those of administrators, with their numbers.
std::string FixLists(const explain::FixReport& report, const std::string& target, size_t others) {
  const std::string where = target.empty() ? "" : " on " + target;
  std::string out;
  for (const explain::Audience audience :
       {explain::Audience::kAuthor, explain::Audience::kAdministrator}) {
    bool titled = false;
    for (size_t i = 0; i < report.fixes.size(); ++i) {
      if (AudienceOf(report.fixes[i]) != audience) continue;
      if (!titled) {
        out +=
            fmt::format("What {} can do so that it runs{}, each verified:\n",
                        audience == explain::Audience::kAuthor ? "the author of the pod"
                                                               : "an administrator of the cluster",
                        where);
      }
      titled = true;
      out += fmt::format("{:4}. {}\n", others + i + 1, FixText(report.fixes[i], target));
    }
  }
  return out;
}

std::string FixesText(const PodExplanation& pod, size_t others = 0) {
  const explain::FixReport& report = *pod.fixes;
  if (report.fixes.empty()) {
    return report.complete
               ? "No change that Berth knows, nor any three of them, would let it run.\n"
               : fmt::format("No fix found within {} decisions; not all were tried.\n",
                             report.decisions);
  }
  return FixLists(report, pod.on ? pod.on->node : "", others);
}

// The first lines about a group: how many pods of what, and what decides.
std::string GroupTitle(const explain::PodGroup& group) {
  const PodExplanation& pod = group.explanation;
  std::string who = Plural(group.pods, "pod");
  if (!group.workload.key.name.empty()) {
    who += fmt::format(" of {} {}", group.workload.kind, group.workload.key.ToString());
  }
  const std::string& sentence = pod.sentence.text;
  const bool running = pod.sentence.obstacle == "Runs";
  return fmt::format("{}: {}{}\n", who, running ? "running" : sentence,
                     sentence.ends_with('?') || running ? "" : ".");
}

// How the fixes are found of which a group has none, because none were looked for.
std::string HowToAsk(const explain::PodGroup& group) {
  const bool alone = group.workload.key.name.empty();
  const api::ObjectKey& key = alone ? group.examples.front() : group.workload.key;
  return fmt::format("  No fixes were looked for: berth why {}{} -n {}\n",
                     alone ? "" : Lowercase(group.workload.kind) + "/", key.name, key.namespace_);
}

// "gang of at least 64, in one domain of example.com/rack"
std::string PolicyText(const scheduler::groups::GroupPreview& group) {
  if (!group.exists) return "does not exist";
  std::string out = group.min_count ? fmt::format("gang of at least {}", *group.min_count)
                                    : std::string("placed one by one");
  if (!group.topology_keys.empty())
    out += fmt::format(", in one domain of {}", fmt::join(group.topology_keys, ", "));
  return out;
}

std::string GroupAnswer(const scheduler::groups::GroupPreview& group) {
  std::set<std::string> nodes;
  size_t placed = 0;
  for (const auto& member : group.members) {
    if (member.node.empty()) continue;
    ++placed;
    nodes.insert(member.node);
  }
  switch (group.outcome) {
    case GroupDecision::kDone:
      return group.scheduled == 0 ? "It has no pods.\n" : "All its pods have a node.\n";
    case GroupDecision::kHeld:
      return fmt::format("Held: {}\n", group.message);
    case GroupDecision::kFits:
      return fmt::format("It fits: {} would be placed, on {}.\n", Plural(placed, "pod"),
                         Some({nodes.begin(), nodes.end()}));
    case GroupDecision::kPreempts:
      return fmt::format("{}\nIt would preempt {}, and fit then.\n", group.message,
                         Some(TextsOf(group.victims)));
    case GroupDecision::kError:
      return fmt::format("The scheduler fails: {}\n", group.message);
    case GroupDecision::kUnschedulable:
      break;
  }
  return fmt::format("{}\n", group.message);
}

// What a member's group means for it.
std::string MembershipText(const explain::GroupExplanation& group) {
  return fmt::format("Its PodGroup {} ({}): {}", group.group.name, PolicyText(group.decision),
                     GroupAnswer(group.decision));
}

}  // namespace

std::string ToText(const explain::GroupExplanation& group) {
  const scheduler::groups::GroupPreview& decision = group.decision;
  std::string out = fmt::format("PodGroup {}: {}; {} of {} have a node\n", group.group.ToString(),
                                PolicyText(decision), decision.scheduled,
                                Plural(decision.scheduled + decision.members.size(), "pod"));
  out += GroupAnswer(decision);
  if (group.condition && group.condition->message != decision.message) {
    out += fmt::format("Its condition says: {}: {}\n", group.condition->reason,
                       group.condition->message);
  }
  if (decision.outcome == GroupDecision::kHeld) return out;
  for (const explain::StoppedMembers& stopped : explain::StoppedMembersOf(decision)) {
    out += fmt::format("\n{} without a node: {}\n  {}\n", Plural(stopped.pods.size(), "pod"),
                       stopped.message, Some(TextsOf(stopped.pods)));
  }
  return out;
}

std::string ToText(const PodExplanation& pod, const TimeFormat& times) {
  std::string out = Title(pod);
  if (pod.placement) {
    out += PlacementText(pod);
  } else if (pod.decision) {
    out += Answer(pod);
  }
  if (pod.group) out += MembershipText(*pod.group);
  if (pod.on) out += OnText(*pod.on);
  for (const std::string& note : pod.notes) out += fmt::format("Note: {}.\n", note);
  if (pod.condition && pod.condition->status == "False" && pod.decision &&
      pod.condition->message != pod.decision->message) {
    out += fmt::format(
        "Its condition{} says: {}: {}\n",
        pod.condition->last_transition_time
            ? ", set " +
                  TimeText(api::FormatTimestamp(*pod.condition->last_transition_time), times) + ","
            : "",
        pod.condition->reason, pod.condition->message);
  }
  if (pod.fixes) out += "\n" + FixesText(pod);
  if (pod.decision) out += "\n" + explain::ToText(pod.decision->explanation);
  return out;
}

std::string HeadText(const explain::PodGroups& groups, bool list) {
  std::string out;
  if (!groups.sentence.empty()) {
    out += groups.sentence + (groups.sentence.ends_with('?') ? "\n" : ".\n");
  }
  for (size_t i = 0; i < groups.fixes.size(); ++i) {
    const bool author = AudienceOf(groups.fixes[i]) == explain::Audience::kAuthor;
    out += fmt::format("{:4}. {} can {}\n", i + 1, author ? "the author" : "an administrator",
                       FixText(groups.fixes[i], ""));
  }
  out +=
      fmt::format("{} in {}\n", Plural(groups.pods, "pod"), Plural(groups.groups.size(), "group"));
  for (const explain::PodGroup& group : groups.groups) {
    if (list) out += "  " + GroupTitle(group);
  }
  if (!groups.not_created.empty()) out += "\nPods that were not created:\n";
  for (const auto& [workload, sentence] : groups.not_created) {
    out += fmt::format("  {} {}: {}{}\n", workload.kind, workload.key.ToString(), sentence.text,
                       sentence.text.ends_with('?') ? "" : ".");
  }
  return out;
}

std::string ToText(const explain::PodGroup& group, bool details, size_t others) {
  std::string out = "\n" + GroupTitle(group);
  const size_t more = group.pods - group.examples.size();
  out += fmt::format("  {}{}\n", NamesOf(group.examples),
                     more == 0 ? "" : fmt::format(" and {} more", more));
  const PodExplanation& pod = group.explanation;
  if (pod.decision && pod.state != PodState::kRunning && !pod.decision->message.empty()) {
    out += fmt::format("  {}\n", pod.decision->message);
  }
  if (pod.placement) out += "  " + PlacementText(pod);
  if (pod.fixes) {
    out += FixesText(pod, others);
  } else if (pod.decision && pod.decision->outcome == Outcome::kUnschedulable &&
             pod.state != PodState::kRunning) {
    out += HowToAsk(group);
  }
  if (details && pod.decision) out += "\n" + explain::ToText(pod.decision->explanation);
  return out;
}

std::string StepsText(const Fix& fix, const explain::Workload& workload, bool yaml) {
  const std::vector<explain::Step> steps = explain::StepsOf(fix, workload);
  std::string out;
  for (size_t i = 0; i < steps.size(); ++i) {
    const explain::Step& step = steps[i];
    if (yaml && i > 0) out += "---\n";
    const char* comment = yaml ? "# " : "";
    out += fmt::format("{}{} of {}: {}\n", comment, i + 1, steps.size(), step.text);
    if (!step.remark.empty()) out += fmt::format("{}{}\n", comment, step.remark);
    if (!step.command.empty()) out += fmt::format("{}{}\n", comment, step.command);
    if (!yaml || step.body.empty()) continue;
    if (const auto body = api::ParseJson(step.body)) out += api::ToYamlText(*body);
  }
  return out;
}

}  // namespace berth::cmd
