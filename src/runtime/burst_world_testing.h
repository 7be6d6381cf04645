// BurstWorld is a cluster with another scheduler and a shadow of it, in which many pods are created
// at once.
//
// The other scheduler is an engine that works as kube-scheduler does: it gets events late, decides
// about one pod at a time, and its binds take random times, so that they are written in another
// order. The shadow gets the same events, late too. The truth about each decision is what an engine
// with the default profile would have decided in the other scheduler's place.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "runtime/shadow.h"
#include "scheduler/engine/engine.h"
#include "scheduler/model/cluster.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "scheduler/queue/scheduling_queue.h"
#include "simulation/api_model.h"
#include "simulation/population.h"
#include "testing/engine_harness.h"

namespace berth::runtime {

struct BurstOptions {
  uint64_t seed = 1;
  size_t nodes = 16;
  size_t pods = 120;
  bool priorities = false;                       // Pods have several priorities.
  bool churn = false;                            // Pods and nodes change and go meanwhile.
  bool full = false;                             // Not all pods fit, and some preempt others.
  Duration creation = Duration::Millis(100);     // All pods are created within this time.
  Duration bind_latency = Duration::Millis(25);  // The longest.
  Duration lag = Duration::Millis(5);            // The longest, of events.
  scheduler::framework::ProfileConfig profile = DefaultProfile();
  ShadowLimits limits = {};
};

class BurstWorld final : private scheduler::engine::DecisionObserver {
 public:
  explicit BurstWorld(const BurstOptions& options)
      : options_(options),
        random_(options.seed),
        api_([this](const simulation::Change& change) { OnChange(change); }),
        other_(MakeEngine({options.profile, DefaultProfile("honest")})),
        judge_(MakeEngine({DefaultProfile()})),
        shadow_(*judge_, [this](const auto& event) { judge_->Handle(event, clock_.Now()); },
                {.report = [this](const Judgement& judgement) { OnJudgement(judgement); },
                 .stopwatch = clock_,
                 .limits = options.limits}) {
    other_->Observe(this);
  }

  void Run() {
    for (size_t i = 0; i < options_.nodes; ++i) CreateNode(i);
    for (size_t i = 0; i < options_.nodes; ++i) CreateRunningPod(i);
    At(kSettled, [this] { Tick(); });
    for (size_t i = 0; i < options_.pods; ++i) {
      At(kSettled + Up(options_.creation), [this, i] { CreatePod(i); });
    }
    if (options_.churn) {
      for (int i = 0; i < 60; ++i) At(kSettled + Up(Duration::Millis(600)), [this] { Change(); });
    }
    while (!agenda_.empty() && clock_.Now() < kStart + kEnd) {
      auto first = agenda_.extract(agenda_.begin());
      clock_.Advance(first.key().first - clock_.Now());
      first.mapped()();
    }
    shadow_.Finish(clock_.Now());
  }

  const ShadowTotals& totals() const { return totals_; }
  uint64_t states() const { return states_; }
  size_t most_held() const { return most_held_; }
  // Decisions that an engine with the default profile would not have made, as far as they were
  // judged; and those of them that the shadow agrees with.
  size_t wrong() const { return wrong_; }
  size_t missed() const { return missed_; }
  // What the shadow says about decisions that are right.
  const std::vector<std::string>& false_differences() const { return false_differences_; }

 private:
  static constexpr Instant kStart = Instant::FromUnixSeconds(1000);
  static constexpr Duration kSettled = Duration::Seconds(2);  // The first objects are known.
  static constexpr Duration kEnd = Duration::Seconds(10);

  // A watch of pods or of everything else: in order, but late.
  struct Watch {
    Instant last;
    Instant Arrival(Instant now, Duration lag) { return last = std::max(last, now + lag); }
  };

  static std::unique_ptr<scheduler::engine::Engine> MakeEngine(
      std::vector<scheduler::framework::ProfileConfig> profiles) {
    scheduler::engine::EngineOptions options;
    options.profiles = std::move(profiles);
    return Require(scheduler::engine::Engine::Make(options, scheduler::plugins::InTreeRegistry()));
  }

  Duration Up(Duration longest) {
    return Duration{static_cast<int64_t>(random_.Below(static_cast<uint64_t>(longest.nanos) + 1))};
  }
  void At(Duration from_start, std::function<void()> work) {
    agenda_.emplace(std::pair(kStart + from_start, ++last_), std::move(work));
  }
  void In(Duration time, std::function<void()> work) {
    agenda_.emplace(std::pair(clock_.Now() + time, ++last_), std::move(work));
  }

  // --- the cluster ---

  void CreateNode(size_t number) {
    api::Node node = simulation::RandomNode(fmt::format("n{}", number), random_);
    if (!options_.full) {
      node.status.allocatable["cpu"] =
          api::Quantity::FromMilli(static_cast<int64_t>(16'000 + 2'000 * random_.Below(4)));
      node.status.allocatable["memory"] =
          api::Quantity::FromValue(static_cast<int64_t>((32 + random_.Below(32)) << 30));
      node.status.allocatable["pods"] = api::Quantity::FromValue(110);
    }
    api_.Create(std::move(node));
  }

  api::Pod NewPod(const std::string& name) {
    simulation::FaultPlan plan;
    plan.priorities = options_.priorities;
    api::Pod pod = simulation::RandomPod(name, plan, "", random_);
    // Hard rules alone make for few choices.
    if (random_.Chance(30)) {
      api::TopologySpreadConstraint soft;
      soft.topology_key = simulation::kZoneLabel;
      soft.when_unsatisfiable = "ScheduleAnyway";
      soft.max_skew = 1;
      soft.label_selector.emplace().match_labels = pod.metadata.labels;
      pod.spec.topology_spread_constraints.push_back(std::move(soft));
    }
    return pod;
  }

  void CreateRunningPod(size_t number) {
    api::Pod pod = NewPod(fmt::format("running-{}", number));
    pod.spec.node_name = fmt::format("n{}", number);
    pod.spec.scheduling_gates.clear();
    pod.status.phase = "Running";
    pod.status.start_time = clock_.Now();
    api_.Create(std::move(pod));
  }

  void CreatePod(size_t number) { api_.Create(NewPod(fmt::format("p{}", number))); }

  // Some change that has nothing to do with the scheduler.
  void Change() {
    if (random_.Chance(40)) {
      const auto nodes = api_.All<api::Node>();
      api::Node node = *nodes[random_.Below(nodes.size())];
      simulation::ChangeNode(node, false, random_);
      return api_.Update(std::move(node));
    }
    std::vector<api::Ref<api::Pod>> bound, gated;
    for (const auto& pod : api_.All<api::Pod>()) {
      if (!pod->spec.scheduling_gates.empty()) gated.push_back(pod);
      if (!pod->spec.node_name.empty() && !pod->metadata.deletion_timestamp) bound.push_back(pod);
    }
    if (!gated.empty() && random_.Chance(20)) {
      api::Pod pod = *gated[random_.Below(gated.size())];
      pod.spec.scheduling_gates.clear();
      return api_.Update(std::move(pod));
    }
    if (bound.empty()) return;
    api::Pod pod = *bound[random_.Below(bound.size())];
    if (random_.Chance(60)) return api_.DeletePod(pod, clock_.Now());
    simulation::ChangePodLabels(pod, random_);
    api_.Update(std::move(pod));
  }

  void OnChange(const simulation::Change& change) {
    const scheduler::engine::Event event =
        change.deleted ? scheduler::engine::Event(scheduler::engine::ObjectDeleted{change.object})
                       : scheduler::engine::Event(scheduler::engine::ObjectPut{change.object});
    const auto pod = simulation::As<api::Pod>(change.object);
    const size_t stream = pod != nullptr;
    agenda_.emplace(
        std::pair(other_watches_[stream].Arrival(clock_.Now(), Up(options_.lag)), ++last_),
        [this, event] { other_->Handle(event, clock_.Now()); });
    agenda_.emplace(
        std::pair(shadow_watches_[stream].Arrival(clock_.Now(), Up(options_.lag)), ++last_),
        [this, event] { ShowToShadow(event); });
    const bool goes = pod != nullptr && !change.deleted && pod->metadata.deletion_timestamp;
    if (goes && going_.insert(pod->metadata.uid).second) {
      In(Duration::Millis(30) + Up(Duration::Millis(30)), [this, pod] {
        const api::ObjectKey key = simulation::KeyOf(pod->metadata);
        const auto current = api_.Find<api::Pod>(key);
        if (current != nullptr && current->metadata.uid == pod->metadata.uid)
          api_.FinishDeletion(key);
      });
    }
  }

  // --- the other scheduler ---

  void Tick() {
    if (other_->queue().HasReady()) {
      ExplainNext();
      other_->Schedule(clock_.Now(), 1);
    }
    other_->Schedule(clock_.Now(), 0);
    // kube-scheduler waits for its patches of statuses; what else it writes is concurrent.
    Duration busy = Duration{200'000} + Up(Duration::Millis(2));
    for (scheduler::engine::Command& command : other_->TakeCommands()) {
      Duration latency = Duration{500'000} + Up(options_.bind_latency);
      if (std::holds_alternative<scheduler::framework::PatchPodStatus>(command.write)) {
        latency = busy;
        busy += Duration{200'000} + Up(Duration::Millis(2));
      }
      In(latency, [this, command = std::move(command)] {
        const auto result = api_.Execute(command.write, clock_.Now());
        other_->Handle(scheduler::engine::WriteDone{command.id, result}, clock_.Now());
      });
    }
    In(busy, [this] { Tick(); });
  }

  // Explains what the default profile would do with the pods that may be tried next.
  void ExplainNext() {
    const auto& cluster = other_->cluster();
    std::vector<const scheduler::queue::QueueEntry*> active, backoff;
    cluster.pods().ForEach([&](const scheduler::model::PodRecord& pod) {
      const scheduler::queue::QueueEntry* entry = other_->queue().Find(pod.id);
      if (entry == nullptr) return;
      if (entry->place == scheduler::queue::QueueEntry::Place::kActive) active.push_back(entry);
      if (entry->place == scheduler::queue::QueueEntry::Place::kBackoff) backoff.push_back(entry);
    });
    const auto later = [](const auto* a, const auto* b) {
      return std::tuple(-a->order.priority, a->order.timestamp, a->order.sequence) <
             std::tuple(-b->order.priority, b->order.timestamp, b->order.sequence);
    };
    if (!active.empty()) active = {*std::ranges::min_element(active, later)};
    explained_.clear();
    seen_ = FactsOf(cluster);
    for (const auto* entry : active.empty() ? backoff : active) {
      const scheduler::model::PodRecord& pod = cluster.pod(entry->order.pod);
      auto copy = api::CopyToChange(*pod.object);
      copy->spec.scheduler_name = "honest";
      explained_.emplace(pod.key(), Require(other_->Explain(std::move(copy), clock_.Now())));
    }
  }

  void OnDecision(const scheduler::engine::Decision& decision) override {
    const auto explained = explained_.find(decision.key);
    if (explained == explained_.end()) return;
    Judgement judgement;
    judgement.pod = decision.key;
    judgement.node = decision.node;
    if (decision.kind != scheduler::engine::Decision::Kind::kPlaced) {
      judgement.kind = Judgement::Kind::kUnschedulable;
      if (!decision.nominated_node.empty()) {
        judgement.kind = Judgement::Kind::kNominated;
        judgement.node = decision.nominated_node;
      }
    }
    api::Pod after;
    after.status.conditions.push_back(
        {.type = "PodScheduled", .status = "False", .reason = "Unschedulable", .message = ""});
    Compare(explained->second, after, judgement);
    truth_[NameOf(judgement)] = {judgement.difference.empty(), seen_};
  }

  // --- the shadow ---

  void ShowToShadow(const scheduler::engine::Event& event) {
    shadow_.Take(event, clock_.Now());
    shadow_.Advance(clock_.Now());
    most_held_ = std::max(most_held_, shadow_.held_events());
    if (const auto wake = shadow_.next_wake()) {
      agenda_.emplace(std::pair(std::max(*wake, clock_.Now()), ++last_),
                      [this] { shadow_.Advance(clock_.Now()); });
    }
  }

  // What decisions depend on, in words.
  static std::set<std::string> FactsOf(const scheduler::model::Cluster& cluster) {
    std::set<std::string> facts;
    cluster.pods().ForEach([&](const scheduler::model::PodRecord& pod) {
      const Symbol nominated = cluster.nominations().NodeOf(pod.id);
      std::string where;
      if (nominated.valid())
        where = fmt::format(" nominated to {}", cluster.symbols().Text(nominated));
      if (pod.state != scheduler::model::PodState::kPending)
        where = fmt::format(" on {}", cluster.nodes().name(pod.node));
      if (where.empty()) return;
      facts.insert(fmt::format("{} ({}{}){}", pod.key().name, pod.object->priority(),
                               pod.terminating() ? ", terminating" : "", where));
    });
    cluster.nodes().present().ForEach([&](size_t row) {
      const auto& node =
          *cluster.nodes().info(scheduler::model::NodeRow{static_cast<uint32_t>(row)}).object;
      facts.insert(
          fmt::format("{} version {}", node.metadata.name, node.metadata.resource_version));
    });
    return facts;
  }
  static std::vector<std::string> Without(const std::set<std::string>& facts,
                                          const std::set<std::string>& others) {
    std::vector<std::string> rest;
    std::ranges::set_difference(facts, others, std::back_inserter(rest));
    return rest;
  }

  static std::string NameOf(const Judgement& judgement) {
    // A pod that fits nowhere may still have an earlier nomination.
    const bool has_node = judgement.kind != Judgement::Kind::kUnschedulable;
    return fmt::format("{} {} {}", judgement.pod.ToString(), ToString(judgement.kind),
                       has_node ? judgement.node : "");
  }

  void OnJudgement(const Judgement& judgement) {
    totals_.Add(judgement.result);
    states_ += judgement.tried;
    const std::string name = NameOf(judgement);
    const auto known = truth_.find(name);
    const bool right = known == truth_.end() || known->second.right;
    wrong_ += !right;
    missed_ += !right && judgement.agrees();
    if (right && !judgement.agrees()) {
      const std::set<std::string> visible = FactsOf(judge_->cluster());
      const std::set<std::string> seen = known == truth_.end() ? visible : known->second.seen;
      false_differences_.push_back(fmt::format(
          "{}: {} {}: {}, {} states; unlike what is visible, the scheduler saw {} and not {}", name,
          ToString(judgement.result), judgement.own_choice, judgement.difference, judgement.tried,
          fmt::join(Without(seen, visible), ", "), fmt::join(Without(visible, seen), ", ")));
    }
  }

  const BurstOptions options_;
  Random random_;
  SimClock clock_{kStart};
  std::map<std::pair<Instant, uint64_t>, std::function<void()>> agenda_;
  uint64_t last_ = 0;
  simulation::ApiModel api_;
  Watch other_watches_[2], shadow_watches_[2];
  std::set<std::string> going_;
  std::unique_ptr<scheduler::engine::Engine> other_, judge_;
  std::map<api::ObjectKey, scheduler::engine::Explanation> explained_;
  // Whether a decision is right, and the cluster that it was made on.
  struct Truth {
    bool right = true;
    std::set<std::string> seen;
  };
  std::map<std::string, Truth> truth_;
  std::set<std::string> seen_;
  Shadow shadow_;
  ShadowTotals totals_;
  uint64_t states_ = 0;
  size_t most_held_ = 0, wrong_ = 0, missed_ = 0;
  std::vector<std::string> false_differences_;
};

}  // namespace berth::runtime
