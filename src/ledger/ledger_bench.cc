// What one attempt costs in the ledger: nanoseconds to append and to read it, and bytes.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>
#include <vector>

#include "ledger/ledger.h"
#include "ledger/ledger_testing.h"

namespace berth::ledger {
namespace {

constexpr size_t kDistinct = 4096;

std::vector<Attempt> PlacedAttempts() {
  std::vector<Attempt> attempts;
  for (size_t i = 0; i < kDistinct; ++i) attempts.push_back(PlacedAttempt(i));
  return attempts;
}

Attempt FailedAttempt(size_t i) {
  Attempt attempt = PlacedAttempt(i);
  attempt.outcome = Outcome::kUnschedulable;
  attempt.node.clear();
  attempt.candidates.clear();
  attempt.plugins = {"NodeResourcesFit", "TaintToleration"};
  attempt.groups = {{"NodeResourcesFit", "Insufficient cpu", 4900},
                    {"TaintToleration", "node(s) had untolerated taint(s)", 100}};
  attempt.message =
      "0/5000 nodes are available: 100 node(s) had untolerated taint(s), 4900 Insufficient cpu. "
      "preemption: 0/5000 nodes are available: 100 Preemption is not helpful for scheduling, 4900 "
      "No preemption victims found for incoming pod.";
  return attempt;
}

void CountBytes(benchmark::State& state, const Ledger& ledger) {
  const Ledger::Stats stats = ledger.stats();
  state.counters["bytes"] =
      static_cast<double>(stats.bytes) / static_cast<double>(stats.last - stats.first + 1);
}

// The default ledger, which evicts after a million attempts.
void AppendAll(benchmark::State& state, const std::vector<Attempt>& attempts, uint64_t failure,
               bool ends_bindings) {
  std::vector<std::unique_ptr<ViewOf>> views;
  for (const Attempt& attempt : attempts)
    views.push_back(std::make_unique<ViewOf>(attempt, failure));
  Ledger ledger;
  const Phases binding{.bind = Duration::Millis(2)};
  size_t i = 0;
  for (auto _ : state) {
    const uint64_t sequence = ledger.Append(**views[i++ % views.size()]);
    if (ends_bindings) ledger.EndBinding(sequence, binding);
  }
  CountBytes(state, ledger);
}

void AppendPlaced(benchmark::State& state) { AppendAll(state, PlacedAttempts(), 0, false); }
void AppendBound(benchmark::State& state) { AppendAll(state, PlacedAttempts(), 0, true); }
// Copies of one pod that fits nowhere.
void AppendFailedCopies(benchmark::State& state) {
  AppendAll(state, {FailedAttempt(1)}, /*failure=*/1, false);
}
// Pods that fail for the same reasons, though not as copies.
void AppendFailed(benchmark::State& state) { AppendAll(state, {FailedAttempt(1)}, 0, false); }

// The attempts of one pod among a million.
void QueryPod(benchmark::State& state) {
  Ledger ledger;
  for (size_t i = 0; i < 1'000'000; ++i) ledger.Append(*ViewOf(PlacedAttempt(i)));
  const AttemptFilter filter{.namespace_ = "shop", .name = "web-7"};
  for (auto _ : state) {
    size_t found = 0;
    uint64_t before = UINT64_MAX;
    do {
      const AttemptPage page = ledger.Query(filter, before);
      found += page.attempts.size();
      before = page.next;
    } while (before != 0);
    benchmark::DoNotOptimize(found);
  }
}

// A page of the newest attempts.
void QueryNewest(benchmark::State& state) {
  Ledger ledger;
  for (size_t i = 0; i < 10'000; ++i) ledger.Append(*ViewOf(PlacedAttempt(i)));
  for (auto _ : state) benchmark::DoNotOptimize(ledger.Query({}, UINT64_MAX, 500));
  state.SetItemsProcessed(state.iterations() * 500);
}

BENCHMARK(AppendPlaced);
BENCHMARK(AppendBound);
BENCHMARK(AppendFailedCopies);
BENCHMARK(AppendFailed);
BENCHMARK(QueryPod)->Unit(benchmark::kMillisecond);
BENCHMARK(QueryNewest)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth::ledger
