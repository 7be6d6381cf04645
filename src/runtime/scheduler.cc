#include "runtime/scheduler.h"

#include <algorithm>
#include <utility>

#include "observability/log.h"
#include "observability/thread_stacks.h"
#include "runtime/shadow.h"

namespace berth::runtime {

Result<std::unique_ptr<Scheduler>> Scheduler::Make(SchedulerOptions options,
                                                   const scheduler::framework::Registry& registry) {
  auto clients = ApiClients::Make(options.api, options.requests);
  if (!clients) return std::unexpected(clients.error());
  return MakeOn(*std::move(clients), std::move(options), registry);
}

Result<std::unique_ptr<Scheduler>> Scheduler::MakeOn(
    ApiClients clients, SchedulerOptions options, const scheduler::framework::Registry& registry) {
  std::unique_ptr<Scheduler> scheduler(new Scheduler());
  auto made = scheduler->MakeDriver(std::move(clients), std::move(options), registry);
  if (!made) return std::unexpected(made.error());
  return scheduler;
}

Result<void> Scheduler::MakeDriver(ApiClients clients, SchedulerOptions options,
                                   const scheduler::framework::Registry& registry) {
  fence_ = std::make_unique<WriteFence>(options.lease_clock != nullptr ? *options.lease_clock
                                                                       : steady_clock_);
  auto extenders = ExtenderCalls::Make(options.engine.extenders);
  if (!extenders) return std::unexpected(extenders.error());
  extenders_ = *std::move(extenders);
  workers_ = std::make_unique<ThreadWorkers>(ThreadWorkers::UsefulCount(options.parallelism));

  HttpConnectionOptions connecting;
  connecting.protobuf = options.protobuf;
  connecting.watch_list = options.watch_list;
  connecting.raw_json = !options.engine.extenders.empty();
  connecting.features = options.engine.features;
  connecting.seed = options.engine.seed;
  connecting.host = options.host;
  connecting.warn = options.warn;
  connecting.count_undecodable = options.count_undecodable;
  connecting.count_silent_watch = options.count_silent_watch;

  EngineDriverOptions driving;
  driving.engine = std::move(options.engine);
  driving.engine.workers = workers_.get();
  driving.recording = options.recording;
  driving.tap = options.tap;
  driving.wall_clock = &wall_clock_;
  driving.leads = false;
  driving.on_failure = options.on_failure;
  driving.on_step = options.on_step;
  shadows_ = options.shadow != nullptr;
  if (shadows_) {
    // The other scheduler has the same configuration, or its defaults.
    SampledPercentages percentages;
    for (const auto& profile : driving.engine.profiles)
      percentages.emplace(profile.scheduler_name, profile.percentage_of_nodes_to_score.value_or(0));
    driving.make_filter = [this, report = options.shadow, percentages = std::move(percentages)](
                              scheduler::engine::Engine& engine, PassEvent pass) {
      Shadow::Options judging{.report = report,
                              .judges = [this] { return synced_.load(); },
                              .explains = [] { return observability::Log().IsOn(4, __FILE__); },
                              .percentages = percentages,
                              .stopwatch = steady_clock_};
      return std::make_unique<Shadow>(engine, std::move(pass), std::move(judging));
    };
  }
  const auto connect = [&](std::function<void()> wake) {
    auto connection = std::make_unique<HttpConnection>(std::move(clients), connecting, *extenders_,
                                                       *fence_, wall_clock_, std::move(wake));
    connection_ = connection.get();
    return connection;
  };
  auto driver = EngineDriver::Make(connect, steady_clock_, std::move(driving), registry);
  if (!driver) return std::unexpected(driver.error());
  driver_ = *std::move(driver);
  return {};
}

Scheduler::~Scheduler() {
  if (driver_ != nullptr) Stop(Duration{});
}

bool Scheduler::Runs(LoopName loop) const {
  return runs_ && (loop != LoopName::kExtender || extenders_->any());
}

void Scheduler::PostTo(LoopName loop, std::function<void()> work) {
  if (!Runs(loop)) return;
  switch (loop) {
    case LoopName::kWatch:
      return connection_->watch_executor().Post(std::move(work));
    case LoopName::kWrite:
      return connection_->write_executor().Post(std::move(work));
    case LoopName::kExtender:
      return extenders_->executor().Post(std::move(work));
  }
}

void Scheduler::Start(std::function<void()> on_synced) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kNew) return;
  state_ = State::kRunning;
  driver_->Start();
  runs_ = true;
  PostTo(LoopName::kWatch, [] { observability::EnterThread("watch-loop"); });
  PostTo(LoopName::kWrite, [] { observability::EnterThread("write-loop"); });
  connection_->Start([this, on_synced = std::move(on_synced)] {
    synced_ = true;
    on_synced();
  });
}

void Scheduler::Lead() {
  uint64_t term = 0;
  {
    const std::lock_guard lock(mutex_);
    if (shadows_ || state_ != State::kRunning) return;
    term = ++term_;
  }
  connection_->Refresh([this, term] {
    // The lease may have been lost meanwhile.
    const std::lock_guard lock(mutex_);
    if (term != term_) return;
    fence_->Open();
    driver_->Lead(true);
  });
}

void Scheduler::StopLeading() {
  const std::lock_guard lock(mutex_);
  ++term_;
  fence_->Close();
  driver_->Lead(false);
  connection_->CancelWaitingWrites();
}

void Scheduler::Stop(Duration grace_period) {
  StopLeading();
  {
    const std::lock_guard lock(mutex_);
    ++term_;
    if (std::exchange(state_, State::kStopped) != State::kRunning) return;
  }
  runs_ = false;
  const Instant end = steady_clock_.Now() + grace_period;
  driver_->Stop(grace_period);
  extenders_->Stop();
  connection_->Stop(std::max(end - steady_clock_.Now(), Duration{}));
}

}  // namespace berth::runtime
