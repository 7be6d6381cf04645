#include "cmd/schedule_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text_table.h"
#include "explain/explanation_text.h"

namespace berth::cmd {
namespace {

constexpr const char* kIndent = "  ";
constexpr const char* kTableIndent = "    ";

std::string Explained(const PodOutcome& outcome) {
  std::string out = outcome.node.empty()
                        ? fmt::format("\n{}: {}\n", outcome.pod.ToString(), ToString(outcome.kind))
                        : fmt::format("\n{} -> {}\n", outcome.pod.ToString(), outcome.node);
  if (outcome.first_attempt) {
    out += fmt::format("{}First attempt (preemption):\n", kIndent);
    out += explain::ToText(*outcome.first_attempt);
    out += fmt::format("{}Second attempt, after the victims terminated:\n", kIndent);
  }
  out += explain::ToText(*outcome.explanation);
  if (!outcome.node.empty() && !outcome.explanation->why.empty()) {
    out += fmt::format("{}{} {}\n", kTableIndent, outcome.node, outcome.explanation->why);
  }
  return out;
}

// Returns the MESSAGE column.
std::string Message(const PodOutcome& outcome) {
  if (outcome.victims.empty()) return outcome.message;
  std::vector<std::string> victims;
  for (const api::ObjectKey& victim : outcome.victims) victims.push_back(victim.ToString());
  std::string text = fmt::format("preempted {}", fmt::join(victims, ", "));
  return outcome.message.empty() ? text : outcome.message + "; " + text;
}

// Empty without groups.
std::string GroupTable(const std::vector<GroupOutcome>& groups) {
  if (groups.empty()) return "";
  TextTable table;
  table.Add({"PODGROUP", "STATUS", "PLACED", "MESSAGE"});
  for (const GroupOutcome& group : groups) {
    const bool known = group.condition.has_value();
    table.Add({group.group.ToString(), known ? group.condition->reason : "Pending",
               fmt::format("{}/{}", group.placed, group.members),
               known ? group.condition->message : ""});
  }
  return "\n" + table.ToString();
}

std::string Summary(const ScheduleReport& report) {
  using Kind = PodOutcome::Kind;
  std::string out =
      fmt::format("{} of {} pods scheduled", report.Count(Kind::kScheduled), report.pods.size());
  const std::pair<Kind, const char*> others[] = {
      {Kind::kUnschedulable, "unschedulable"},
      {Kind::kFailed, "failed"},
      {Kind::kGated, "gated"},
      {Kind::kOtherScheduler, "with another schedulerName"},
      {Kind::kTerminating, "terminating"},
      {Kind::kPreempted, "preempted"},
      {Kind::kPending, "not attempted"}};
  for (const auto& [kind, text] : others) {
    if (const size_t count = report.Count(kind)) out += fmt::format(", {} {}", count, text);
  }
  return out + fmt::format("; {} node{}, {} pod{} already bound\n", report.nodes,
                           report.nodes == 1 ? "" : "s", report.running,
                           report.running == 1 ? "" : "s");
}

}  // namespace

std::string ToText(const ScheduleReport& report) {
  TextTable table;
  table.Add({"POD", "STATUS", "NODE", "MESSAGE"});
  for (const PodOutcome& outcome : report.pods) {
    table.Add({outcome.pod.ToString(), std::string(ToString(outcome.kind)),
               outcome.node.empty() ? "-" : outcome.node, Message(outcome)});
  }
  std::string out = table.ToString() + GroupTable(report.groups);
  for (const PodOutcome& outcome : report.pods) {
    if (outcome.explanation) out += Explained(outcome);
  }
  return out + "\n" + Summary(report);
}

}  // namespace berth::cmd
