#include "simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scheduler/framework/in_tree_plugin_args.h"
#include "simulation/activity.h"
#include "simulation/broken_wire.h"
#include "simulation/driver.h"

namespace berth::simulation {
namespace {

// In worlds with the stricter invariants, this many steps lie between two lulls.
constexpr size_t kStepsBetweenLulls = 25;

// Groups are behind gates. Members that preempt one by one are placed together with their victims
// for a moment, which looks like a mistake.
scheduler::model::Features FeaturesOf(const SimulationOptions& options, const FaultPlan& plan) {
  scheduler::model::Features features = options.features;
  if (!plan.groups) return features;
  features.generic_workload = features.gang_scheduling = true;
  features.topology_aware_workload_scheduling = true;
  features.workload_aware_preemption = true;
  return features;
}

scheduler::framework::ProfileConfig ProfileOf(const scheduler::model::Features& features,
                                              const FaultPlan& plan) {
  scheduler::framework::ProfileConfig profile = ProfileWithReservations(features);
  if (!plan.complete_search) return profile;
  scheduler::framework::GangSchedulingArgs args;
  args.search = "Complete";
  profile.args["GangScheduling"] = args;
  return profile;
}

class Simulation {
 public:
  explicit Simulation(const SimulationOptions& options)
      : options_(options),
        trace_(options.trace),
        random_(options.seed),
        leases_and_clocks_(~options.seed),
        plan_(ChooseFaults(random_, leases_and_clocks_)),
        features_(FeaturesOf(options, plan_)),
        profile_(ProfileOf(features_, plan_)),
        wire_(random_, options.bug == PlantedBug::kStrictDecoding),
        api_([this](const Change& change) { Publish(change); }),
        book_(random_.Next()),
        invariants_(api_, watch_, book_, plan_,
                    scheduler::reference::ReferenceProfileOf(profile_, features_)),
        activity_(api_, plan_, options.seed, random_),
        driver_(profile_, {random_.Next(), options.paranoid, features_, options.bug, plan_.writes},
                {api_, watch_, book_, invariants_, trace_, random_}) {
    book_.on_reserve = [this](const std::string& uid, const std::string& node) {
      invariants_.PodReserved(uid, node);
    };
  }

  SimulationReport Run() {
    SimulationReport report;
    report.broken = RunWorld();
    report.step = step_;
    report.last_lines = trace_.last_lines();
    report.decisions = driver_.decisions;
    report.placed = driver_.placed;
    report.binds = driver_.binds;
    report.victims = driver_.victims;
    report.restarts = driver_.restarts;
    report.lost_leases = driver_.lost_leases;
    report.clock_changes = clock_changes_;
    report.allocations = driver_.allocations;
    report.deallocations = driver_.deallocations;
    return report;
  }

 private:
  std::optional<Violation> RunWorld() {
    activity_.Begin();
    for (; step_ < options_.steps; ++step_) {
      Step();
      if (auto broken = invariants_.AfterStep(driver_.engine(), driver_.writes(), now_))
        return broken;
      const bool lull_is_due = plan_.all_freed_capacity_is_announced() &&
                               step_ % kStepsBetweenLulls == kStepsBetweenLulls - 1;
      if (!lull_is_due) continue;
      if (auto broken = Lull()) return broken;
    }
    return Settle();
  }

  void Publish(const Change& change) {
    if (!plan_.undecodable || change.deleted) return watch_.Append(change);
    if (auto received = wire_.Pass(change.object)) watch_.Append({*std::move(received)});
  }

  void SetCalm(bool calm) {
    trace_.Add(calm ? "the faults stop" : "the faults resume");
    driver_.SetFaults(calm ? WriteChannel::Faults{} : plan_.writes);
    book_.calm = calm;
  }

  // Lets all pending work complete without flushing unschedulable pods: none of them may fit.
  std::optional<Violation> Lull() {
    SetCalm(true);
    if (auto broken = SettleFor(Duration::Seconds(120))) return broken;
    if (auto broken = invariants_.NoneLeftUnschedulable(driver_.engine(), now_, /*early=*/true))
      return broken;
    if (auto broken = invariants_.NominationsAreCurrent(/*early=*/true)) return broken;
    SetCalm(false);
    return std::nullopt;
  }

  void Step() {
    now_ = now_ + Duration::Millis(static_cast<int64_t>(random_.Below(300)));
    if (plan_.clock_changes && leases_and_clocks_.Chance(5)) SetWallClock();
    if (plan_.lost_leases && leases_and_clocks_.Chance(2)) driver_.LoseLease(now_);
    const uint64_t choice = random_.Below(100);
    if (choice < 30) {
      activity_.Act(now_);
    } else if (choice < 52) {
      for (uint64_t i = random_.Below(6); i > 0 && driver_.DeliverNext(now_);) --i;
    } else if (choice < 72) {
      // One after the other: compilers order the draws among arguments differently.
      const size_t at_a_time = random_.Chance(80) ? SIZE_MAX : 1;
      driver_.Schedule(now_, 1 + random_.Below(4), at_a_time);
    } else if (choice < 88) {
      for (uint64_t i = 1 + random_.Below(4); i > 0 && driver_.ProgressWrites(now_);) --i;
    } else {
      RareStep();
    }
  }

  void RareStep() {
    const uint64_t choice = random_.Below(100);
    if (choice < 25) {
      PassTime(Duration::Millis(static_cast<int64_t>(random_.Below(12'000))));
    } else if (choice < 35) {
      PassTime(Duration::Seconds(static_cast<int64_t>(20 + random_.Below(600))));
    } else if (choice < 60) {
      driver_.ResolvePermit(now_, /*always_allow=*/false);
    } else if (choice < 78) {
      driver_.DeliverAgain(now_);
    } else if (choice < 88) {
      driver_.Relist(now_);
    } else if (plan_.restarts) {
      driver_.Restart(now_);
    }
  }

  // Sets the wall clock up to two hours back or forward.
  void SetWallClock() {
    constexpr int64_t kSeconds = 7200;
    const auto ahead =
        Duration::Seconds(static_cast<int64_t>(leases_and_clocks_.Below(2 * kSeconds)) - kSeconds);
    trace_.Add(fmt::format("the wall clock is set to {}s ahead", ahead.seconds()));
    driver_.SetWallClock(ahead);
    ++clock_changes_;
  }

  void PassTime(Duration length) {
    trace_.Add(fmt::format("{}s pass", length.seconds()));
    now_ = now_ + length;
  }

  // Lets all pending work and all timers complete, then checks the invariants of an idle world.
  std::optional<Violation> Settle() {
    SetCalm(true);
    // Long enough for every unschedulable pod to be flushed twice.
    if (auto broken = SettleFor(Duration::Seconds(1200))) return broken;
    if (auto broken = invariants_.WhenIdle(driver_.engine())) return broken;
    if (auto broken = invariants_.NoneLeftUnschedulable(driver_.engine(), now_, /*early=*/false))
      return broken;
    if (auto broken = invariants_.CacheMatchesApi(driver_.engine())) return broken;
    if (plan_.complete_search) {
      if (auto broken = invariants_.groups().NoneLeftByOthers(profile_, features_, now_))
        return broken;
    }
    trace_.Add("all objects are deleted");
    activity_.End();
    // Long enough for a binding that waits for a claim which it has created.
    if (auto broken = SettleFor(Duration::Seconds(300))) return broken;
    return invariants_.WhenEmpty(driver_.engine());
  }

  std::optional<Violation> SettleFor(Duration length) {
    const Instant end = now_ + length;
    trace_.Add(fmt::format("{}s pass without faults", length.seconds()));
    while (true) {
      if (auto broken = Drain()) return broken;
      std::optional<Instant> next = driver_.engine().next_wake();
      if (next && *next <= now_) {
        return Violation{kBounded, "the engine requests an immediate call, but has nothing to do"};
      }
      const std::optional<Instant> timeout = driver_.writes().next_timeout();
      if (timeout && (!next || *timeout < *next)) next = timeout;
      if (!next || *next > end) break;
      now_ = *next;
    }
    now_ = end;
    return Drain();
  }

  // Does everything that can happen without time passing.
  std::optional<Violation> Drain() {
    constexpr int kMaxRounds = 5'000;
    for (int round = 0; round < kMaxRounds; ++round) {
      const bool delivered = driver_.DeliverNext(now_);
      const bool scheduled = driver_.Schedule(now_, SIZE_MAX, SIZE_MAX);
      const bool written = driver_.ProgressWrites(now_);
      const bool resolved = driver_.ResolvePermit(now_, /*always_allow=*/true);
      const bool acted = activity_.WindDown();
      if (auto broken = invariants_.AfterStep(driver_.engine(), driver_.writes(), now_))
        return broken;
      if (!delivered && !scheduled && !written && !resolved && !acted) return std::nullopt;
    }
    return Violation{kBounded, "the work never ends"};
  }

  const SimulationOptions& options_;
  Trace trace_;
  Random random_;
  Random leases_and_clocks_;  // Other faults are the same with and without these.
  const FaultPlan plan_;
  const scheduler::model::Features features_;
  const scheduler::framework::ProfileConfig profile_;
  BrokenWire wire_;
  Watch watch_;
  ApiModel api_;
  ReservationBook book_;
  Invariants invariants_;
  WorldActivity activity_;
  Driver driver_;
  Instant now_ = Instant::FromUnixSeconds(1'700'000'000);
  size_t step_ = 0;
  size_t clock_changes_ = 0;
};

}  // namespace

SimulationReport Simulate(const SimulationOptions& options) { return Simulation(options).Run(); }

}  // namespace berth::simulation
