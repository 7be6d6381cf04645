#include "cmd/up_demo.h"

#include <optional>

#include "cmd/up_status_line.h"
#include "cmd/up_workload.h"

namespace berth {
namespace {

constexpr Duration kLook = Duration::Millis(50);
// A machine that is busy with other things gets a summary all the same.
constexpr Duration kLongest = Duration::Seconds(120);
// So few are worth reading.
constexpr size_t kFewPending = 1'000;

// Every pod is there, and has a node or a reason.
bool IsOver(const DemoResult& result, size_t pods) {
  return result.counts.pods >= pods && result.counts.pending <= kFewPending &&
         result.pending.undecided == 0;
}

}  // namespace

Result<std::optional<DemoResult>> PlayDemo(UpCluster& cluster, bool terminal) {
  const Instant start = cluster.real_clock().Now();
  const auto pods = CreateDemoWorkloads(cluster.api());
  if (!pods) return std::unexpected(pods.error());
  StatusLine line(terminal);
  if (!terminal) {
    line.Show("placing " + WithCommas(*pods) + " pods on " + WithCommas(kDemoNodes) + " nodes");
  }
  DemoResult result;
  do {
    if (AwaitEnd(kLook)) return std::nullopt;
    result.took = cluster.real_clock().Now() - start;
    result.counts = CountCluster(cluster.store());
    if (result.counts.pending <= kFewPending) result.pending = WhyPending(cluster.store());
    if (terminal) line.Show(ProgressText(result.counts.bound + result.counts.finished, *pods));
  } while (!IsOver(result, *pods) && result.took < kLongest);
  result.scheduling = *cluster.scheduling();
  result.zones = UseOfZones(cluster.store());
  return result;
}

}  // namespace berth
