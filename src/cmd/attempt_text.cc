#include "cmd/attempt_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "api/timestamp.h"
#include "base/go_duration.h"

namespace berth::cmd {
namespace {

std::string ResultText(const ledger::Attempt& attempt) {
  using enum ledger::Outcome;
  switch (attempt.outcome) {
    case kAssumed:
      return "to be bound to " + attempt.node;
    case kWaiting:
      return fmt::format("to be bound to {}, waiting for a Permit plugin", attempt.node);
    case kBound:
      return "bound to " + attempt.node;
    case kUnschedulable:
      return "unschedulable";
    case kNominated:
      return "nominated to " + attempt.node;
    case kError:
      break;
  }
  return attempt.node.empty() ? "failed" : "not bound to " + attempt.node;
}

std::string WakeText(const ledger::Attempt& attempt) {
  std::string text = "woken by " + attempt.woken_by.event;
  if (!attempt.woken_by.object.empty()) text += " of " + attempt.woken_by.object;
  text += fmt::format(", waited {}", FormatGoDuration(attempt.waited));
  if (!attempt.waited_for.empty())
    text += fmt::format(" for {}", fmt::join(attempt.waited_for, ", "));
  return text;
}

}  // namespace

std::string AttemptText(const ledger::Attempt& attempt) {
  std::string text =
      fmt::format("attempt {}, {}: {}; {}\n", attempt.number, api::FormatTimestamp(attempt.time),
                  ResultText(attempt), WakeText(attempt));
  if (!attempt.message.empty()) text += fmt::format("  {}\n", attempt.message);
  for (const ledger::NodeGroup& group : attempt.groups)
    text += fmt::format("  {} nodes: {}: {}\n", group.nodes, group.plugin, group.reason);
  std::vector<std::string> items;
  for (const ledger::Candidate& candidate : attempt.candidates)
    items.push_back(fmt::format("{} {}", candidate.node, candidate.score));
  if (!items.empty()) text += fmt::format("  candidates: {}\n", fmt::join(items, ", "));
  items.clear();
  for (const ledger::PodName& victim : attempt.victims)
    items.push_back(fmt::format("{}/{}", victim.namespace_, victim.name));
  if (!items.empty()) text += fmt::format("  victims: {}\n", fmt::join(items, ", "));
  return text;
}

}  // namespace berth::cmd
