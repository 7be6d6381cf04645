// What the engine knows, in text, and how that compares with the API: for operators who suspect
// that the two have parted.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/scheduler.h"
#include "scheduler/engine/engine.h"

namespace berth::runtime {

// What the API has at some moment: names of nodes, uids of pods that have not finished.
struct ApiContents {
  std::set<std::string> nodes;
  std::set<std::string> pods;
};

// Both sorted. Missed: the API has it, the engine does not. Redundant: the other way round.
struct CacheComparison {
  std::vector<std::string> missed_nodes, redundant_nodes;
  std::vector<std::string> missed_pods, redundant_pods;
};
CacheComparison CompareWithApi(const scheduler::engine::Engine& engine, const ApiContents& api);

// A paragraph for each node: what it offers, what is taken, who is on it and who was promised it.
std::string DumpNodes(const scheduler::engine::Engine& engine);

// A line for each pod that waits, and where it waits; the summary comes last:
// "activeQ:1; backoffQ:0; unschedulablePods:2".
std::string DumpQueue(const scheduler::engine::Engine& engine);

// Compares what the engine knows with what the API has, and writes both to the log: what SIGUSR2
// asks for.
// Reads the names of nodes, or the uids of pods, of one page of a list. Returns what the next page
// continues from; empty if that was the last.
Result<std::string> ReadPage(std::string_view body, bool uids, std::set<std::string>& into);

// Blocks until it is done. Not on a thread of the scheduler's.
void ReportCache(Scheduler& scheduler);

}  // namespace berth::runtime
