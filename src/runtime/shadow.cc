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
    const Next next = decision && decision->judged ? Judge(now, finish) : Next::kPass;
    if (next == Next::kWait) return;
    if (next == Next::kPass) Pass();
  }
}

void Shadow::Pass(size_t index) {
  timeline_.Pass(pass_, index);
  tried_ahead_ = 0;
}

std::optional<Instant> Shadow::next_wake() const {
  if (!waiting_) return std::nullopt;
  return timeline_.held().front().arrived + options_.limits.settle_time;
}

namespace {

Judgement JudgementOf(const ObservedDecision& decision) {
  Judgement judgement;
  judgement.pod = {decision.after->metadata.namespace_, decision.after->metadata.name};
  judgement.scheduler_name = decision.after->spec.scheduler_name;
  judgement.kind = decision.kind;
  judgement.node = decision.node;
  return judgement;
}

}  // namespace

Shadow::Next Shadow::Judge(const Now& now, bool finish) {
  const Moment& moment = timeline_.held().front();
  const bool unordered = moment.decision->unordered && moment.decision->first;
  const bool settled = finish || now.steady >= moment.arrived + options_.limits.settle_time ||
                       timeline_.held().size() > options_.limits.held_events;
  const bool tried = waiting_ && tried_ahead_ > 0;
  if (waiting_ && !unordered && !settled) return Next::kWait;

  const Instant start = options_.stopwatch.Now();
  const bool is_new = !waiting_;
  if (is_new) waiting_ = JudgementOf(*moment.decision);
  bool judged = (is_new || (unordered && !tried)) && AgreesDirectly(now.wall);
  if (!judged && unordered) {
    if (PassDecisionAhead()) return Next::kTryAgain;
    if (!settled) return Next::kWait;
  }
  if (!judged) {
    // What has become visible already is often enough.
    waiting_->result = Search(now.wall, settled);
  }
  waiting_->took = waiting_->took + (options_.stopwatch.Now() - start);
  if (!waiting_->agrees() && !settled) return Next::kWait;
  Report(*waiting_);
  waiting_.reset();
  return Next::kPass;
}

void Shadow::Report(const Judgement& judgement) {
  saved_states_ =
      std::min(saved_states_ + options_.limits.states_per_decision, options_.limits.saved_states);
  options_.report(judgement);
}

bool Shadow::PassDecisionAhead() {
  const auto& held = timeline_.held();
  const ObservedDecision& first = *held.front().decision;
  const auto may_be_earlier = [&](size_t index) {
    const auto& decision = held[index].decision;
    return decision && decision->judged && decision->first && decision->unordered &&
           decision->kind == Judgement::Kind::kPlaced && decision->priority() >= first.priority() &&
           !timeline_.FollowsOther(index);
  };
  const size_t end = std::min(held.size(), options_.limits.decisions_ahead);
  for (size_t i = std::max<size_t>(tried_ahead_, 1); i < end && saved_states_ > 0; ++i) {
    tried_ahead_ = i + 1;
    if (!may_be_earlier(i)) continue;
    const ObservedDecision& decision = *held[i].decision;
    --saved_states_;
    ++waiting_->tried;
    if (!engine_.MightDecide(decision.before, decision.node).value_or(false)) continue;
    Judgement judgement = JudgementOf(decision);
    judgement.result = Judgement::Result::kAgreesInFlight;
    judgement.own_choice = judgement.node;
    judgement.tried = 1;
    Report(judgement);
    Pass(i);
    return true;
  }
  tried_ahead_ = std::max<size_t>(tried_ahead_, 1);
  return false;
}

bool Shadow::AgreesDirectly(Instant date) {
  const ObservedDecision& decision = *timeline_.held().front().decision;
  ++waiting_->tried;
  bool has_equals = false;
  if (decision.kind == Judgement::Kind::kPlaced && !options_.explains()) {
    if (!engine_.MightDecide(decision.before, decision.node, &has_equals).value_or(false))
      return false;
  } else if (const auto explanation = engine_.Explain(decision.before, date)) {
    // The messages of failures are compared, too.
    Compare(*explanation, *decision.after, *waiting_);
    if (!waiting_->difference.empty()) return false;
    has_equals = decision.kind == Judgement::Kind::kPlaced && explanation->best_nodes.size() > 1;
  }
  waiting_->result = has_equals ? Judgement::Result::kSameScore : Judgement::Result::kAgrees;
  return true;
}

bool Shadow::IsSampled(const scheduler::engine::Explanation& explanation) const {
  if (waiting_->kind != Judgement::Kind::kPlaced) return false;
  const auto known = options_.percentages.find(waiting_->scheduler_name);
  const int32_t percentage = known == options_.percentages.end() ? 0 : known->second;
  return IsBestOfSomeSample(explanation, waiting_->node, percentage);
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
    if (const auto explanation = engine_.Explain(decision.before, date)) {
      Compare(*explanation, *decision.after, *waiting_);
      if (IsSampled(*explanation)) return Judgement::Result::kSampled;
    }
  }
  return result;
}

}  // namespace berth::runtime
