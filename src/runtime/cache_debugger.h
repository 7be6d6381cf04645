// The cache debugger dumps the engine's state as text and compares it with the API, as
// kube-scheduler does on SIGUSR2.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/scheduler.h"
#include "scheduler/engine/engine.h"

namespace berth::runtime {

// The contents of the API: the names of nodes and the uids of pods that have not finished.
struct ApiContents {
  std::set<std::string> nodes;
  std::set<std::string> pods;
};

// The differences, sorted. Missed: the API has the object, the engine does not. Redundant: the
// engine has it, the API does not.
struct CacheComparison {
  std::vector<std::string> missed_nodes, redundant_nodes;
  std::vector<std::string> missed_pods, redundant_pods;
};
CacheComparison CompareWithApi(const scheduler::engine::Engine& engine, const ApiContents& api);

// Returns a paragraph for each node: allocatable and requested resources, its pods and the pods
// nominated for it.
std::string DumpNodes(const scheduler::engine::Engine& engine);

// Returns a line for each pending pod of the engine's profiles with its queue; the summary comes
// last:
// "activeQ:1; backoffQ:0; unschedulablePods:2".
std::string DumpQueue(const scheduler::engine::Engine& engine);

// Reads the names of nodes, or the uids of pods, from one page of a list. Returns the continue
// token; empty if that was the last page.
Result<std::string> ReadPage(std::string_view body, bool uids, std::set<std::string>& into);

// Compares the engine's state with the API and logs the differences and the dumps. Blocks until
// done; must not be called on a thread of the scheduler.
void ReportCache(Scheduler& scheduler);

}  // namespace berth::runtime
