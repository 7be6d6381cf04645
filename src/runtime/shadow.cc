#include "runtime/shadow.h"

#include <algorithm>

#include "runtime/in_flight_search.h"

namespace berth::runtime {

void Shadow::Take(const scheduler::engine::Event& event, const Now& now) {
  timeline_.Add(event, now.steady, options_.judges());
}

void Shadow::Advance(const Now& now, bool finish) {
  while (!timeline_.held().empty()) {
    const auto& decision = timeline_.held().front().decision;
    if (decision && decision->judged && !Judge(now, finish)) return;
    timeline_.Pass(pass_);
  }
}

std::optional<Instant> Shadow::next_wake() const {
  if (!waiting_) return std::nullopt;
  return timeline_.held().front().arrived + options_.limits.settle_time;
}

bool Shadow::Judge(const Now& now, bool finish) {
  const Moment& moment = timeline_.held().front();
  const bool settled = finish || now.steady >= moment.arrived + options_.limits.settle_time ||
                       timeline_.held().size() > options_.limits.held_events;
  if (waiting_ && !settled) return false;

  const Instant start = options_.stopwatch.Now();
  const bool is_new = !waiting_;
  if (is_new) {
    const ObservedDecision& decision = *moment.decision;
    waiting_.emplace();
    waiting_->pod = {decision.after->metadata.namespace_, decision.after->metadata.name};
    waiting_->scheduler_name = decision.after->spec.scheduler_name;
    waiting_->kind = decision.kind;
    waiting_->node = decision.node;
  }
  if (is_new && AgreesDirectly(now.wall)) {
    waiting_->result = Judgement::Result::kAgrees;
  } else {
    // What has become visible already is often enough.
    waiting_->result = Search(now.wall, settled);
  }
  waiting_->took = waiting_->took + (options_.stopwatch.Now() - start);
  if (!waiting_->agrees() && !settled) return false;
  saved_states_ =
      std::min(saved_states_ + options_.limits.states_per_decision, options_.limits.saved_states);
  options_.report(*waiting_);
  waiting_.reset();
  return true;
}

bool Shadow::AgreesDirectly(Instant date) {
  const ObservedDecision& decision = *timeline_.held().front().decision;
  ++waiting_->tried;
  if (decision.kind == Judgement::Kind::kPlaced && !options_.explains())
    return engine_.MightDecide(decision.before, decision.node).value_or(false);
  // The messages of failures are compared, too.
  if (const auto explanation = engine_.Explain(decision.before, date))
    Compare(*explanation, *decision.after, *waiting_);
  return waiting_->difference.empty();
}

Judgement::Result Shadow::Search(Instant date, bool explain) {
  // The dry runs of preemption and their explanation cost about as much as so many decisions.
  constexpr size_t kCostOfNomination = 4;
  const ObservedDecision& decision = *timeline_.held().front().decision;
  const size_t cost = decision.kind == Judgement::Kind::kNominated ? kCostOfNomination : 1;
  InFlightSearch search(engine_, timeline_,
                        {.states = std::min(options_.limits.states, saved_states_) / cost,
                         .reordered = options_.limits.reordered_pods,
                         .watch_lag = options_.limits.watch_lag},
                        date);
  const Judgement::Result result = search.Run();
  waiting_->tried += search.tried();
  saved_states_ -= search.tried() * cost;
  if (result == Judgement::Result::kAgreesInFlight) {
    waiting_->own_choice = waiting_->node;
    waiting_->difference.clear();
  } else if (explain) {
    // In the likeliest state.
    if (const auto explanation = engine_.Explain(decision.before, date))
      Compare(*explanation, *decision.after, *waiting_);
  }
  return result;
}

}  // namespace berth::runtime
