// Compares what the engine knows with what the API has, and writes both to the log: what SIGUSR2
// asks for.
#pragma once

#include <string>

#include "base/result.h"
#include "daemon/cache_dump.h"
#include "daemon/scheduler.h"

namespace berth::daemon {

// Reads the names of nodes, or the uids of pods, of one page of a list. Returns what the next page
// continues from; empty if that was the last.
Result<std::string> ReadPage(std::string_view body, bool uids, std::set<std::string>& into);

// Blocks until it is done. Not on a thread of the scheduler's.
void ReportCache(Scheduler& scheduler);

}  // namespace berth::daemon
