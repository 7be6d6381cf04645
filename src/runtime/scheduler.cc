#include "runtime/scheduler.h"

#include <algorithm>
#include <future>
#include <utility>

#include "runtime/http_connection.h"

namespace berth::runtime {
namespace {

// Binds may be much faster than events are written; beyond this they are dropped.
constexpr size_t kMaxEventsWaiting = 100'000;

// The collections that a leader writes to.
constexpr std::string_view kWritten[] = {"persistentvolumes", "persistentvolumeclaims", "pods"};

}  // namespace

Result<std::unique_ptr<Scheduler>> Scheduler::Make(SchedulerOptions options,
                                                   const scheduler::framework::Registry& registry) {
  std::unique_ptr<Scheduler> scheduler(new Scheduler());
  if (auto connected = scheduler->Connect(options); !connected) {
    return std::unexpected(connected.error());
  }
  if (auto made = scheduler->MakeDriver(std::move(options), registry); !made) {
    return std::unexpected(made.error());
  }
  return scheduler;
}

// Watches, writes and events each have connections and a measure of requests of their own.
Result<void> Scheduler::Connect(const SchedulerOptions& options) {
  auto extenders = ExtenderCalls::Make(options.engine.extenders);
  if (!extenders) return std::unexpected(extenders.error());
  extenders_ = *std::move(extenders);

  watch_loop_ = std::make_unique<net::EventLoop>();
  write_loop_ = std::make_unique<net::EventLoop>();
  const auto connect = [&](net::EventLoop& loop,
                           std::unique_ptr<client::RestClient>& client) -> Result<void> {
    auto made = client::RestClient::Create(loop, options.api, options.requests);
    if (!made) return std::unexpected(made.error());
    client = *std::move(made);
    return {};
  };
  if (auto made = connect(*watch_loop_, watches_); !made) return made;
  if (auto made = connect(*write_loop_, writes_); !made) return made;
  if (auto made = connect(*write_loop_, event_writes_); !made) return made;
  api_writer_ = std::make_unique<HttpWriter>(*writes_, *write_loop_);
  EventWriterOptions events;
  events.host = options.host;
  events.max_waiting = kMaxEventsWaiting;
  event_writer_ =
      std::make_unique<EventWriter>(*event_writes_, *write_loop_, clock_, events, options.warn);
  return {};
}

Result<void> Scheduler::MakeDriver(SchedulerOptions options,
                                   const scheduler::framework::Registry& registry) {
  workers_ = std::make_unique<ThreadWorkers>(ThreadWorkers::UsefulCount(options.parallelism));
  const bool has_extenders = !options.engine.extenders.empty();
  EngineDriverOptions driving;
  driving.engine = std::move(options.engine);
  driving.engine.workers = workers_.get();
  driving.recording = options.recording;
  driving.observer = options.observer;
  driving.leads = false;
  judges_ = options.shadow != nullptr;
  if (judges_) {
    driving.before_event = [this, tell = options.shadow](scheduler::engine::Engine& engine,
                                                         const scheduler::engine::Event& event,
                                                         Instant now) {
      if (!synced_) return;
      const Instant start = clock_.Now();
      if (const auto judgement = Shadow(engine).Judge(event, now)) {
        tell(*judgement, clock_.Now() - start);
      }
    };
  }
  const auto connect = [this](std::function<void()> wake) {
    mailbox_ = std::make_shared<Mailbox>(std::move(wake));
    return std::make_unique<HttpConnection>(
        mailbox_, HttpConnection::Writers{*write_loop_, *api_writer_, *event_writer_, *extenders_});
  };
  auto driver = EngineDriver::Make(connect, clock_, std::move(driving), registry);
  if (!driver) return std::unexpected(driver.error());
  driver_ = *std::move(driver);

  client::InformersOptions informing;
  informing.protobuf = options.protobuf;
  informing.keep_raw_json = has_extenders;
  informing.seed = driving.engine.seed;
  informers_ = std::make_unique<client::Informers>(
      *watches_, *watch_loop_, informing,
      [mailbox = mailbox_](std::vector<api::ObjectChange> changes) {
        mailbox->Post(std::move(changes));
      },
      [this] {
        synced_ = true;
        on_synced_();
      },
      options.warn);
  return {};
}

Scheduler::~Scheduler() { Stop(Duration{}); }

void Scheduler::Start(std::function<void()> on_synced) {
  started_ = true;
  on_synced_ = std::move(on_synced);
  watch_loop_->Start();
  write_loop_->Start();
  driver_->Start();
  write_loop_->Post([this] { event_writer_->Start(); });
  watch_loop_->Post([this] { informers_->Start(); });
}

void Scheduler::Lead() {
  if (judges_) return;
  watch_loop_->Post([this] {
    auto left = std::make_shared<size_t>(std::size(kWritten));
    for (const std::string_view resource : kWritten) {
      informers_->Refresh(resource, [this, left] {
        if (--*left == 0) driver_->Lead(true);
      });
    }
  });
}

void Scheduler::Stop(Duration grace_period) {
  if (!std::exchange(started_, false)) return;
  driver_->Stop(grace_period);
  net::RunAndWait(*watch_loop_, [this] { informers_.reset(); });
  FlushEvents(grace_period);
  net::RunAndWait(*write_loop_, [this] {
    event_writer_.reset();
    api_writer_.reset();
  });
}

void Scheduler::FlushEvents(Duration grace_period) {
  const Instant end = clock_.Now() + grace_period;
  std::promise<void> done;
  std::function<void()> look = [&] {
    if (event_writer_->idle() || clock_.Now() >= end) return done.set_value();
    write_loop_->After(Duration::Millis(10), look);
  };
  write_loop_->Post(look);
  done.get_future().wait();
}

}  // namespace berth::runtime
