#include "runtime/in_flight_search.h"

#include <algorithm>
#include <functional>
#include <ranges>
#include <utility>
#include <variant>

#include "api/object.h"
#include "scheduler/model/cluster.h"

namespace berth::runtime {
namespace {

const api::Pod* PodOf(const scheduler::engine::Event& event) {
  const api::Object* object = ObjectOf(event);
  const auto* pod = object == nullptr ? nullptr : std::get_if<api::Ref<api::Pod>>(object);
  return pod == nullptr ? nullptr : pod->get();
}

// Reports whether the pod is as the decision left it.
bool Shows(const api::Pod* pod, const ObservedDecision& decision) {
  if (pod == nullptr) return false;
  if (decision.kind == Judgement::Kind::kPlaced || decision.assumed)
    return !pod->spec.node_name.empty();
  return pod->status.nominated_node_name == decision.after->status.nominated_node_name;
}

}  // namespace

InFlightSearch::InFlightSearch(scheduler::engine::Engine& engine, const ShadowTimeline& timeline,
                               Limits limits, Instant date)
    : engine_(engine),
      timeline_(timeline),
      limits_(limits),
      date_(date),
      decision_(*timeline.held().front().decision),
      order_(timeline, limits.reordered),
      what_if_(engine) {
  CollectSteps();
  const auto likely_before = order_.unknown() | std::views::take(order_.likely());
  const std::unordered_set<const OtherDecision*> before(likely_before.begin(), likely_before.end());
  const auto made_before = [&](const OtherDecision& other) {
    return other.made == OtherDecision::Made::kBefore || before.contains(&other);
  };
  // A pod may have several decisions: the last is undone first, and the first is made first.
  for (const OtherDecision& other : std::views::reverse(order_.others())) {
    if (other.visible && !made_before(other)) Exclude(other);
  }
  for (const OtherDecision& other : order_.others()) {
    const bool shown = other.visible && !other.decision->assumed;
    if (!shown && made_before(other)) Include(other);
  }
  likeliest_ = mark();
}

void InFlightSearch::CollectSteps() {
  for (const Moment& moment : timeline_.past()) {
    if (moment.decision) continue;
    if (moment.only_starts && decision_.kind != Judgement::Kind::kNominated) continue;
    const bool may_lag =
        PodOf(moment.event) == nullptr && moment.arrived >= decision_.since_at - limits_.watch_lag;
    if (moment.position > decision_.since || may_lag)
      steps_.push_back({moment.position, &moment, nullptr});
  }
  for (const OtherDecision& other : order_.others()) {
    if (other.decision->since > decision_.since)
      steps_.push_back({other.decision->since, nullptr, &other});
  }
  std::ranges::sort(steps_, std::greater<>(), &Step::position);
}

// --- states ---

const api::Pod* InFlightSearch::FindPod(const api::ObjectMeta& meta) const {
  const scheduler::model::Cluster& cluster = engine_.cluster();
  const scheduler::model::PodId id = cluster.pods().Find(meta.namespace_, meta.name);
  return id.valid() && cluster.pod(id).uid() == meta.uid ? cluster.pod(id).object.get() : nullptr;
}

bool InFlightSearch::Include(const OtherDecision& other) {
  const ObservedDecision& decision = *other.decision;
  const api::Pod* pod = FindPod(decision.before->metadata);
  if (pod == nullptr || Shows(pod, decision)) return false;
  // The bind that was announced may have failed since.
  const bool announced = pod->status.nominated_node_name == decision.node;
  if (other.visible && decision.assumed && !announced) return false;
  what_if_.Put(decision.assumed ? decision.assumed : decision.after);
  return true;
}

bool InFlightSearch::Exclude(const OtherDecision& other) {
  const ObservedDecision& decision = *other.decision;
  const std::string& uid = decision.before->metadata.uid;
  if (excluded_.insert(uid).second) excluded_order_.push_back(uid);
  if (!Shows(FindPod(decision.before->metadata), decision)) return false;
  what_if_.Put(decision.before);
  return true;
}

bool InFlightSearch::GoBack(const Step& step) {
  if (step.other != nullptr) return Exclude(*step.other);
  const Moment& moment = *step.event;
  if (const api::Pod* pod = PodOf(moment.event)) {
    const std::string& uid = pod->metadata.uid;
    if (uid == decision_.before->metadata.uid || excluded_.contains(uid)) return false;
  }
  const size_t size = what_if_.size();
  if (moment.replaced) {
    what_if_.Put(*moment.replaced);
  } else if (const auto* put = std::get_if<scheduler::engine::ObjectPut>(&moment.event)) {
    what_if_.Delete(put->object);
  }
  return what_if_.size() > size;
}

bool InFlightSearch::GoForward(const Moment& moment) {
  const api::Object* object = ObjectOf(moment.event);
  if (object == nullptr) return false;
  if (const api::Pod* pod = PodOf(moment.event)) {
    const bool deleted = std::holds_alternative<scheduler::engine::ObjectDeleted>(moment.event);
    const bool own = pod->metadata.uid == decision_.before->metadata.uid;
    return deleted && !own && EndNomination(*pod);
  }
  if (!Matters(moment.event, scheduler::engine::FindObject(engine_.cluster(), *object)))
    return false;
  if (std::holds_alternative<scheduler::engine::ObjectPut>(moment.event)) {
    what_if_.Put(*object);
  } else {
    what_if_.Delete(*object);
  }
  return true;
}

bool InFlightSearch::EndNomination(const api::Pod& pod) {
  const api::Pod* known = FindPod(pod.metadata);
  if (known == nullptr || !known->spec.node_name.empty() ||
      known->status.nominated_node_name.empty()) {
    return false;
  }
  auto placed_elsewhere = api::CopyToChange(*known);
  placed_elsewhere->status.nominated_node_name.clear();
  what_if_.Put(api::Ref<api::Pod>(std::move(placed_elsewhere)));
  return true;
}

void InFlightSearch::ReturnTo(const Mark& mark) {
  what_if_.RevertTo(mark.changes);
  for (; excluded_order_.size() > mark.excluded; excluded_order_.pop_back())
    excluded_.erase(excluded_order_.back());
}

// --- the search ---

bool InFlightSearch::Try() {
  if (tried_ >= limits_.states) return true;
  agrees_ = Agrees();
  return agrees_;
}

bool InFlightSearch::Agrees() {
  ++tried_;
  if (decision_.kind == Judgement::Kind::kNominated) {
    Judgement judgement;
    judgement.kind = decision_.kind;
    judgement.node = decision_.node;
    if (const auto explanation = engine_.Explain(decision_.before, date_)) {
      Compare(*explanation, *decision_.after, judgement);
      return judgement.difference.empty();
    }
    return false;
  }
  // A pod that fits nowhere may have been nominated before.
  const std::string node = decision_.kind == Judgement::Kind::kPlaced ? decision_.node : "";
  return engine_.MightDecide(decision_.before, node).value_or(false);
}

bool InFlightSearch::TryNumbers(size_t most, const std::function<bool()>& attempt) {
  const auto& unknown = order_.unknown();
  const size_t likely = order_.likely();
  const Mark start = mark();
  for (size_t fewer = 1; fewer <= std::min(most, likely); ++fewer) {
    if (Exclude(*unknown[likely - fewer]) && attempt()) return true;
  }
  ReturnTo(start);
  for (size_t more = 1; more <= std::min(most, unknown.size() - likely); ++more) {
    if (Include(*unknown[likely + more - 1]) && attempt()) return true;
  }
  ReturnTo(start);
  return false;
}

bool InFlightSearch::TryLateEvents() {
  const Mark start = mark();
  const Instant end = timeline_.held().front().arrived + limits_.watch_lag;
  for (const Moment& moment : timeline_.held()) {
    if (moment.arrived > end) break;
    if (GoForward(moment) && Try()) return true;
  }
  ReturnTo(start);
  return false;
}

bool InFlightSearch::TryEarlierMoments(size_t most) {
  const Mark start = mark();
  size_t moments = 0, overtaken = 0;
  for (const Step& step : steps_) {
    if (!GoBack(step)) continue;
    // Decisions that were made after this one and seen before it.
    overtaken += step.other != nullptr && step.other->visible;
    if (overtaken > order_.reach()) break;
    if (Try()) return true;
    if (++moments == most) break;
  }
  ReturnTo(start);
  return false;
}

Judgement::Result InFlightSearch::Run() {
  constexpr size_t kFewNumbers = 8;
  constexpr size_t kFewMoments = 32;
  // Without a change it is the visible cluster, on which the engine does not agree.
  const size_t few_numbers = std::min(order_.reach(), kFewNumbers);
  const bool ended = (likeliest_.changes > 0 && Try()) ||
                     TryNumbers(few_numbers, [&] { return Try(); }) || TryLateEvents() ||
                     TryEarlierMoments(SIZE_MAX) ||
                     TryNumbers(order_.reach(), [&] { return Try(); }) ||
                     TryNumbers(few_numbers, [&] { return TryEarlierMoments(kFewMoments); });
  ReturnTo(likeliest_);
  if (agrees_) return Judgement::Result::kAgreesInFlight;
  const bool unknown = decision_.unordered ? MightAgreeInSomeOrder() : ended;
  return unknown ? Judgement::Result::kNotJudged : Judgement::Result::kDiffers;
}

// The two orders that favour the node most: all pods for it were tried later and all others before,
// or the other way round.
bool InFlightSearch::MightAgreeInSomeOrder() {
  for (const bool wants_empty : {true, false}) {
    for (const OtherDecision* other : order_.unknown()) {
      const bool before = (other->decision->node != decision_.node) == wants_empty;
      if (before) {
        Include(*other);
      } else {
        Exclude(*other);
      }
    }
    const bool agrees = Agrees();
    ReturnTo(likeliest_);
    if (agrees) return true;
  }
  return false;
}

}  // namespace berth::runtime
