// Shadow compares the decisions of another scheduler, one by one, with what the engine would have
// decided on the cluster state that the other scheduler saw.
//
// It stands between the event stream and the engine, which never schedules: only the other
// scheduler places pods, so that one difference does not lead to others. A decision is judged in up
// to three steps:
//
//   1. On the cluster as it was when the decision became visible. Outside of bursts that is nearly
//      always what the other scheduler saw.
//   2. If the engine does not agree there, on the other states that the other scheduler can have
//      seen, with pods in flight on their nodes or not: see InFlightSearch.
//   3. If the engine agrees on none of them, the decision and all that follows is held back until
//      the binds of pods that were tried before it have become visible, too. Then step 2 is
//      repeated. What remains is a difference, unless the other scheduler can have chosen so among
//      a sample of the nodes.
//
// Pods that waited when the other scheduler started are tried in an order that is not known. Their
// decisions are judged in the order in which they follow from each other: as long as the engine
// does not agree with the first, one of the next with which it agrees was made before, and goes
// first. Where no such order is found, a decision is not judged, or differs if it is wrong in any.
//
// ShadowLimits bounds what this costs, however many pods are in flight and however many decisions
// differ.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "base/now.h"
#include "base/time.h"
#include "runtime/engine_driver.h"
#include "runtime/sampling.h"
#include "runtime/shadow_judgement.h"
#include "runtime/shadow_timeline.h"
#include "scheduler/engine/engine.h"

namespace berth::runtime {

struct ShadowLimits {
  // How long a decision that differs waits for later binds of pods that were tried before, and for
  // other late events. A bind takes milliseconds, seconds if the API server is overloaded.
  Duration settle_time = Duration::Seconds(5);
  // By how much the watch of one resource may lag behind that of another.
  Duration watch_lag = Duration::Millis(200);
  // The number of events that are held back meanwhile: the binds of 5 seconds at 1,000 per second,
  // and what else happens. If more arrive, nothing waits.
  size_t held_events = 8'192;
  // The number of relevant events that can be undone: seconds of such a burst, minutes otherwise.
  // A search looks at each of these and of the held ones once.
  size_t past_events = 2'048;
  // How many pods, seen before and after a decision, may have been tried in another order. A busy
  // kube-scheduler has some tens of binds in flight. How many it really has shows in the order of
  // the binds; fewer are reordered then.
  size_t reordered_pods = 64;
  // How many decisions are looked at for one that was made before an unordered one.
  size_t decisions_ahead = 256;
  // How many states are tried in a search. Each costs about as much as a decision.
  size_t states = 1'024;
  // How many states are tried per decision on average, so that the shadow keeps up if most
  // decisions differ; what was not used is saved, up to the second number.
  size_t states_per_decision = 16, saved_states = 16'384;
};

class Shadow final : public EventFilter {
 public:
  struct Options {
    // Receives each judgement.
    std::function<void(const Judgement&)> report;
    // Reports whether decisions are judged from now on; before, events are passed on at once.
    std::function<bool()> judges = [] { return true; };
    // Reports whether judgements name the engine's own choice also where it agrees that a pod is
    // placed well. Costs about as much again.
    std::function<bool()> explains = [] { return false; };
    // Of the other schedulers; where the name is missing, the default.
    SampledPercentages percentages = {};
    const Clock& stopwatch;  // Measures what judgements cost. Must outlive the shadow.
    ShadowLimits limits = {};
  };

  // `engine` must outlive the shadow. `pass` gives it an event.
  Shadow(scheduler::engine::Engine& engine, PassEvent pass, Options options)
      : engine_(engine),
        pass_(std::move(pass)),
        options_(std::move(options)),
        timeline_(engine, options_.limits.past_events, options_.limits.settle_time),
        saved_states_(options_.limits.saved_states) {}

  void Take(const scheduler::engine::Event& event, const Now& now) override;
  void Advance(const Now& now) override { Advance(now, false); }
  void Finish(const Now& now) override { Advance(now, true); }
  std::optional<Instant> next_wake() const override;

  size_t held_events() const { return timeline_.held().size(); }

 private:
  void Advance(const Now& now, bool finish);
  // What comes of the first held event, which is a decision.
  enum class Next { kPass, kWait, kTryAgain };
  Next Judge(const Now& now, bool finish);
  // Judges and passes on a later decision with which the engine agrees now.
  bool PassDecisionAhead();
  // Passes on a held event; the engine's state is another one then.
  void Pass(size_t index = 0);
  void Report(const Judgement& judgement);
  bool AgreesDirectly(Instant date);
  // Reports whether the choice of a sample explains the placement.
  bool IsSampled(const scheduler::engine::Explanation& explanation) const;
  // `explain` says why the engine disagrees, if it does.
  Judgement::Result Search(Instant date, bool explain);

  scheduler::engine::Engine& engine_;
  const PassEvent pass_;
  const Options options_;
  ShadowTimeline timeline_;
  size_t saved_states_;
  std::optional<Judgement> waiting_;  // About the first held event, if it waits.
  // How many held events, if any, were tried in vain in the engine's present state.
  size_t tried_ahead_ = 0;
};

}  // namespace berth::runtime
