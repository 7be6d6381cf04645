#include "benchmark/workload_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "base/steady_clock.h"
#include "benchmark/claim_allocation.h"
#include "benchmark/collector.h"
#include "benchmark/object_maker.h"
#include "benchmark/pod_tracker.h"

namespace berth::benchmark {
namespace {

// As scheduler_perf: even at ten pods a second, its largest wait is shorter.
constexpr Duration kWaitLimit = Duration::Seconds(600);
// A steady state that is shorter is none.
constexpr int kMinRounds = 4;

class WorkloadRun {
 public:
  WorkloadRun(const Workload& workload, const WorkloadContext& context)
      : workload_(workload),
        context_(context),
        cluster_(context.cluster),
        maker_(context.cluster, context.templates, [this] { return WhileMaking(); }),
        tracker_(context.cluster.api().store()) {}

  WorkloadResult Run() {
    WorkloadResult result;
    for (size_t i = 0; i < workload_.operations.size() && !interrupted_; ++i) {
      operation_ = i;
      const Status done =
          std::visit([&](const auto& operation) { return Do(operation); }, workload_.operations[i]);
      if (done || interrupted_) continue;
      if (maker_.unserved().empty()) {
        result.error = fmt::format("operation {}: {}", i, done.error().message);
      } else {
        result.skipped = maker_.unserved();
      }
      break;
    }
    if (collector_ && interrupted_) EndCollecting();
    result.measurements = std::move(measurements_);
    result.interrupted = interrupted_;
    return result;
  }

 private:
  // Something that an operation repeats in the background.
  struct Ticker {
    Instant next;
    Duration interval;
    std::function<Result<bool>()> tick;  // Returns false when it has ended.
  };

  const Clock& clock() const { return cluster_.clock(); }

  // --- waiting ---

  // Lets the cluster work until `done`, and runs the tickers meanwhile. Fails after `limit`, with
  // what `late` says.
  Status WaitUntil(const std::function<bool()>& done, Duration limit,
                   const std::function<std::string()>& late) {
    const Instant end = clock().Now() + limit;
    for (;;) {
      tracker_.Read();
      if (collector_) collector_->Sample();
      if (done()) return {};
      if (context_.environment.interrupted()) {
        interrupted_ = true;
        return Fail("interrupted");
      }
      if (clock().Now() >= end) return Fail(late());
      if (auto ticked = RunTickers(); !ticked) return ticked;
      if (auto alive = cluster_.health(); !alive) return alive;
      Instant next = end;
      for (const Ticker& ticker : tickers_) next = std::min(next, ticker.next);
      cluster_.Run(next);
      Show();
    }
  }

  // Called while an operation makes many objects: what goes on in the background goes on. Returns
  // false if the user wants to stop.
  bool WhileMaking() {
    if (in_tick_) return true;
    cluster_.Load();
    tracker_.Read();
    if (collector_) collector_->Sample();
    // What a ticker cannot do now, it reports at its next turn.
    (void)RunTickers();
    Show();
    interrupted_ = interrupted_ || context_.environment.interrupted();
    return !interrupted_;
  }

  Status RunTickers() {
    in_tick_ = true;
    const Status ticked = RunDueTickers();
    in_tick_ = false;
    return ticked;
  }

  Status RunDueTickers() {
    const Instant now = clock().Now();
    for (size_t i = 0; i < tickers_.size();) {
      Ticker& ticker = tickers_[i];
      bool goes_on = true;
      if (ticker.next <= now) {
        const auto ticked = ticker.tick();
        if (!ticked) return std::unexpected(ticked.error());
        goes_on = *ticked;
        // Ticks that were missed are dropped.
        ticker.next += ticker.interval * ((now - ticker.next) / ticker.interval + 1);
      }
      if (goes_on) {
        ++i;
      } else {
        tickers_.erase(tickers_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    return {};
  }

  void StartTicker(Duration interval, std::function<Result<bool>()> tick) {
    tickers_.push_back({clock().Now() + interval, interval, std::move(tick)});
  }

  void Show() {
    const std::string rate = collector_ ? ", " + collector_->Progress() : "";
    context_.environment.show(fmt::format("{}: operation {} of {}{}", workload_.name,
                                          operation_ + 1, workload_.operations.size(), rate));
  }

  Status WaitForPods(const std::string& namespace_, const api::StringMap& labels, uint64_t wanted,
                     bool attempted) {
    const auto count = tracker_.Count({namespace_}, labels);
    const auto seen = [&] { return attempted ? count->attempted() : count->scheduled(); };
    return WaitUntil([&] { return seen() >= wanted; }, kWaitLimit,
                     [&] {
                       const std::string pending = tracker_.FirstPending(*count);
                       return fmt::format(
                           "{} of {} pods in namespace {} were {} within {:.0f} s{}", seen(),
                           wanted, namespace_, attempted ? "attempted" : "scheduled",
                           kWaitLimit.seconds(), pending.empty() ? "" : "; not " + pending);
                     });
  }

  // --- measuring ---

  Status BeginCollecting(const std::string& name, std::vector<std::string> namespaces,
                         api::StringMap labels) {
    if (collector_) return Fail("metrics are collected already; stop that before");
    collector_.emplace(cluster_, context_.environment,
                       tracker_.Count(std::move(namespaces), std::move(labels)));
    collected_name_ = fmt::format("{}/{}", workload_.name, name);
    return {};
  }
  void EndCollecting() {
    tracker_.Read();
    collector_->Sample();
    Measurement measured = collector_->Finish();
    measured.name = collected_name_;
    measured.threshold = workload_.threshold;
    measured.interrupted = interrupted_;
    measurements_.push_back(std::move(measured));
    collector_.reset();
  }

  Status Do(const StartCollecting& start) {
    return BeginCollecting(start.name, start.namespaces, start.labels);
  }
  Status Do(const StopCollecting&) {
    if (!collector_) return Fail("metrics are not collected; start that before");
    EndCollecting();
    return {};
  }

  // --- objects ---

  Status Do(const CreateNodes& nodes) { return maker_.MakeNodes(nodes, operation_); }
  Status Do(const CreateNamespaces& namespaces) {
    for (int64_t i = 0; i < namespaces.count; ++i) {
      waiting_.try_emplace(fmt::format("{}-{}", namespaces.prefix, i), 0);
    }
    return maker_.MakeNamespaces(namespaces);
  }
  Status Do(const CreateAny& create) {
    if (auto made = Ensure(create.namespace_); !made) return made;
    return maker_.MakeAny(create);
  }
  Status Do(const CreateResourceClaims& claims) {
    if (auto made = Ensure(claims.namespace_); !made) return made;
    return maker_.MakeClaims(claims);
  }
  Status Do(const CreateResourceDriver& driver) { return maker_.MakeDriver(driver); }
  Status Do(const AllocResourceClaims& claims) {
    const Status done =
        AllocateClaims(cluster_.api(), claims.namespace_, context_.engine, context_.registry);
    cluster_.Load();
    return done;
  }

  Status Do(const UpdateAny& update) {
    if (auto made = Ensure(update.namespace_); !made) return made;
    if (update.per_second == 0) {
      for (int64_t i = 0; i < update.count; ++i) {
        if (auto updated = maker_.Update(update, i); !updated) return updated;
      }
      return {};
    }
    if (update.count == 0) return {};
    auto next = std::make_shared<int64_t>(0);
    StartTicker(Duration::Seconds(1) / update.per_second, [this, update, next]() -> Result<bool> {
      if (auto updated = maker_.Update(update, *next); !updated) {
        return std::unexpected(updated.error());
      }
      return ++*next < update.count;
    });
    return WaitUntil([&] { return *next >= update.count; },
                     kWaitLimit + Duration::Seconds(update.count),
                     [] { return std::string("the updates took too long"); });
  }

  Status Ensure(const std::string& namespace_) {
    if (namespace_.empty()) return {};
    waiting_.try_emplace(namespace_, 0);
    return maker_.MakeNamespace(namespace_);
  }

  // --- pods ---

  std::string NamespaceOf(const std::optional<std::string>& given) const {
    return given.value_or(fmt::format("namespace-{}", operation_));
  }

  Status Do(const CreatePods& pods) {
    const std::string home = NamespaceOf(pods.namespace_);
    if (auto made = Ensure(home); !made) return made;
    if (pods.collect_metrics) {
      if (auto begun = BeginCollecting(home, {home}, {}); !begun) return begun;
    }
    const Status done = pods.steady_state ? KeepSteady(pods, home) : CreateOnce(pods, home);
    if (done && pods.collect_metrics) EndCollecting();
    return done;
  }

  Status CreateOnce(const CreatePods& pods, const std::string& home) {
    if (auto made = maker_.MakePods(pods, home); !made) return made;
    const auto count = static_cast<uint64_t>(pods.count);
    if (!pods.skip_wait) return WaitForPods(home, {}, count, /*attempted=*/false);
    waiting_[home] += count;
    return {};
  }

  // Creates the pods; whenever so many have been scheduled, deletes all of the namespace and starts
  // again, until the time is over. It is real time, also where an engine's time stands still.
  Status KeepSteady(const CreatePods& pods, const std::string& home) {
    const auto count = tracker_.Count({home}, {});
    const Instant end = real_clock_.Now() + pods.duration;
    uint64_t wanted = 0;
    for (int round = 0; round < kMinRounds || real_clock_.Now() < end; ++round) {
      if (auto made = maker_.MakePods(pods, home); !made) return made;
      wanted += static_cast<uint64_t>(pods.count);
      const auto is_over = [&] {
        return count->bound() >= wanted || (round >= kMinRounds && real_clock_.Now() >= end);
      };
      const auto waited = WaitUntil(is_over, kWaitLimit, [&] {
        return fmt::format("pod {} was not scheduled", tracker_.FirstPending(*count));
      });
      if (!waited) return waited;
      for (const std::string& name : tracker_.Names(home, {})) DeletePod(home, name, 0);
    }
    return {};
  }

  void DeletePod(const std::string& home, const std::string& name, std::optional<int64_t> grace) {
    (void)cluster_.api().Delete(api::scheme::KindOf("pods"), {home, name},
                                {.grace_period_seconds = grace});
  }

  Status Do(const DeletePods& deletion) {
    tracker_.Read();
    auto names = std::make_shared<std::vector<std::string>>(
        tracker_.Names(deletion.namespace_, deletion.labels));
    const std::string home = deletion.namespace_;
    if (deletion.per_second == 0) {
      for (const std::string& name : *names) DeletePod(home, name, std::nullopt);
      return {};
    }
    if (names->empty()) return {};
    auto next = std::make_shared<size_t>(0);
    StartTicker(Duration::Seconds(1) / deletion.per_second, [this, home, names, next] {
      DeletePod(home, (*names)[(*next)++], std::nullopt);
      return Result<bool>(*next < names->size());
    });
    if (deletion.skip_wait) return {};
    return WaitUntil([&] { return *next >= names->size(); },
                     kWaitLimit + Duration::Seconds(static_cast<int64_t>(names->size())),
                     [] { return std::string("the deletions took too long"); });
  }

  Status Do(const Churn& churn) {
    const std::string home = NamespaceOf(churn.namespace_);
    if (auto made = maker_.MakeNamespace(home); !made) return made;
    // What is wrong with a template must not wait for its first use.
    for (const TemplateFile& file : churn.objects) {
      if (auto kind = maker_.KindOf(file); !kind) return std::unexpected(kind.error());
    }
    // The names of the objects that exist, by template and turn.
    auto names = std::make_shared<std::vector<std::vector<std::string>>>(churn.objects.size());
    for (auto& some : *names) some.resize(churn.recreate ? static_cast<size_t>(churn.number) : 0);
    auto turn = std::make_shared<int64_t>(0);
    StartTicker(churn.interval, [this, churn, home, names, turn]() -> Result<bool> {
      for (size_t i = 0; i < churn.objects.size(); ++i) {
        std::string* name =
            churn.recreate ? &(*names)[i][static_cast<size_t>(*turn % churn.number)] : nullptr;
        if (auto done = ChurnOne(churn.objects[i], home, name); !done) {
          return std::unexpected(done.error());
        }
      }
      ++*turn;
      return churn.recreate || churn.number == 0 || *turn < churn.number;
    });
    return {};
  }

  // Deletes the object if `name` has one; creates it otherwise. As in scheduler_perf, an object
  // that is refused is tried again in the next turn.
  Status ChurnOne(const TemplateFile& file, const std::string& home, std::string* name) {
    if (name == nullptr || name->empty()) {
      const auto made = maker_.Make(file, home);
      if (name != nullptr && made) *name = *made;
      return {};
    }
    const auto kind = maker_.KindOf(file);
    if (!kind) return std::unexpected(kind.error());
    (void)cluster_.api().Delete(**kind, {(*kind)->namespaced ? home : "", *name});
    name->clear();
    return {};
  }

  // --- others ---

  Status Do(const Barrier& barrier) {
    std::vector<std::string> namespaces = barrier.namespaces;
    for (const std::string& name : namespaces) {
      if (!waiting_.contains(name)) return Fail(fmt::format("unknown namespace {}", name));
    }
    if (namespaces.empty()) {
      for (const auto& [name, count] : waiting_) namespaces.push_back(name);
    }
    for (const std::string& name : namespaces) {
      const auto waited = WaitForPods(name, barrier.labels, waiting_[name], barrier.attempted);
      if (!waited) return waited;
    }
    if (!barrier.attempted) {
      for (const std::string& name : namespaces) waiting_.erase(name);
    }
    return {};
  }

  Status Do(const Sleep& sleep) {
    const Instant end = clock().Now() + sleep.duration;
    return WaitUntil([&] { return clock().Now() >= end; }, sleep.duration, [] { return ""; });
  }

  Status Do(const Ignored&) { return {}; }

  const Workload& workload_;
  const WorkloadContext& context_;
  BenchCluster& cluster_;
  SteadyClock real_clock_;
  ObjectMaker maker_;
  PodTracker tracker_;
  size_t operation_ = 0;
  std::map<std::string, uint64_t> waiting_;  // Pods that a barrier awaits, by namespace.
  std::vector<Ticker> tickers_;
  bool in_tick_ = false;
  std::optional<Collector> collector_;
  std::string collected_name_;
  std::vector<Measurement> measurements_;
  bool interrupted_ = false;
};

}  // namespace

WorkloadResult RunWorkload(const Workload& workload, const WorkloadContext& context) {
  return WorkloadRun(workload, context).Run();
}

}  // namespace berth::benchmark
