#include "runtime/http_connection.h"

#include <algorithm>
#include <future>
#include <utility>
#include <variant>

#include "runtime/watched_resources.h"

namespace berth::runtime {
namespace {

// Enough to use a slow connection well, and few enough that a bind does not wait long behind
// earlier writes.
constexpr size_t kMaxUnderWay = 64;
// Binds may be much faster than writes of events; events beyond this are dropped.
constexpr size_t kMaxEventsWaiting = 100'000;
constexpr Duration kFlushPoll = Duration::Millis(10);

}  // namespace

Result<ApiClients> ApiClients::Make(const client::ClientConfig& config,
                                    client::RestObserver* observer) {
  ApiClients made;
  made.watch_loop = std::make_unique<net::EventLoop>();
  made.write_loop = std::make_unique<net::EventLoop>();
  made.watch_executor = made.watch_loop.get();
  made.write_executor = made.write_loop.get();
  const auto connect = [&](net::EventLoop& loop,
                           std::unique_ptr<client::RestClient>& client) -> Result<void> {
    auto created = client::RestClient::Create(loop, config, observer);
    if (!created) return std::unexpected(created.error());
    client = *std::move(created);
    return {};
  };
  auto connected = connect(*made.watch_loop, made.watches);
  if (connected) connected = connect(*made.write_loop, made.writes);
  if (connected) connected = connect(*made.write_loop, made.event_writes);
  if (!connected) return std::unexpected(connected.error());
  return made;
}

HttpConnection::HttpConnection(ApiClients clients, const HttpConnectionOptions& options,
                               ExtenderCalls& extenders, const WriteFence& fence,
                               const Clock& wall_clock, std::function<void()> wake)
    : clients_(std::move(clients)),
      watch_(*clients_.watch_executor),
      write_(*clients_.write_executor),
      fence_(fence),
      features_(options.features),
      extenders_(extenders),
      mailbox_(std::make_shared<Mailbox>(std::move(wake))),
      writer_(std::make_unique<HttpWriter>(*clients_.writes, write_, fence_)) {
  EventWriterOptions events;
  events.host = options.host;
  events.max_waiting = kMaxEventsWaiting;
  events.counts = event_counts_;
  event_writer_ = std::make_unique<EventWriter>(*clients_.event_writes, write_, wall_clock, fence_,
                                                events, options.warn);
  client::InformersOptions informing;
  informing.protobuf = options.protobuf;
  informing.watch_list = options.watch_list;
  informing.seed = options.seed;
  informing.count_undecodable = options.count_undecodable;
  informing.count_silent_watch = options.count_silent_watch;
  informers_ = std::make_unique<client::Informers>(
      *clients_.watches, watch_, WatchSources(options.features, options.raw_json), informing,
      [mailbox = mailbox_](std::vector<api::ObjectChange> changes) {
        mailbox->Post(std::move(changes));
      },
      [this] { on_synced_(); }, options.warn);
}

HttpConnection::~HttpConnection() { Stop(Duration{}); }

void HttpConnection::Start(std::function<void()> on_synced) {
  started_ = true;
  on_synced_ = std::move(on_synced);
  if (clients_.watch_loop != nullptr) clients_.watch_loop->Start();
  if (clients_.write_loop != nullptr) clients_.write_loop->Start();
  write_.Post([this] { event_writer_->Start(); });
  watch_.Post([this] { informers_->Start(); });
}

void HttpConnection::Refresh(std::function<void()> done) {
  watch_.Post([this, done = std::move(done)] {
    if (informers_ == nullptr) return;  // Stopped meanwhile.
    const auto left = std::make_shared<size_t>(0);
    const std::vector<WatchedResource> all = WatchedResources(features_);
    for (const WatchedResource& watched : all) *left += watched.written;
    for (const WatchedResource& watched : all) {
      if (!watched.written) continue;
      informers_->Refresh(watched.resource, [done, left] {
        if (--*left == 0) done();
      });
    }
  });
}

void HttpConnection::Stop(Duration grace_period) {
  // The watch loop may be blocked in the mailbox.
  mailbox_->Close();
  if (!std::exchange(started_, false)) return;
  net::RunAndWait(watch_, [this] { informers_.reset(); });
  FlushEvents(grace_period);
  net::RunAndWait(write_, [this] {
    event_writer_.reset();
    writer_.reset();
    clients_.event_writes->CancelAll();
    clients_.writes->CancelAll();
  });
  // The cancellations are posted, and what they post follows.
  for (int posts = 0; posts < 2; ++posts) net::RunAndWait(write_, [] {});
}

void HttpConnection::FlushEvents(Duration grace_period) {
  const Instant end = write_.Now() + grace_period;
  std::promise<void> done;
  std::function<void()> look = [&] {
    if (event_writer_->idle() || write_.Now() >= end) return done.set_value();
    write_.After(kFlushPoll, look);
  };
  write_.Dispatch(look);
  done.get_future().wait();
}

// --- the driver's thread ---

size_t HttpConnection::capacity() const {
  const size_t under_way = counts_->under_way;
  return kMaxUnderWay - std::min(kMaxUnderWay, under_way);
}

void HttpConnection::Execute(scheduler::engine::Command command) {
  if (auto* event = std::get_if<scheduler::framework::RecordEvent>(&command.write)) {
    write_.Post([this, event = std::move(*event)]() mutable {
      if (event_writer_ != nullptr) event_writer_->Add(std::move(event));
    });
    // The engine does not wait for events.
    return mailbox_->Post(scheduler::engine::WriteDone{command.id, {}});
  }
  if (const auto* call = std::get_if<scheduler::framework::CallExtender>(&command.write)) {
    return extenders_.Execute(
        *call,
        [mailbox = mailbox_, id = command.id](scheduler::framework::WriteResult result) {
          mailbox->Post(scheduler::engine::WriteDone{id, std::move(result)});
        },
        [&fence = fence_] { return fence.is_open(); });
  }
  ++counts_->under_way;
  auto shared = std::make_shared<const scheduler::engine::Command>(std::move(command));
  write_.Post([this, shared = std::move(shared)] {
    if (writer_ == nullptr) return;
    writer_->Execute(shared->write, [mailbox = mailbox_, counts = counts_,
                                     shared](scheduler::framework::WriteResult result) {
      counts->Note(shared->write, result);
      --counts->under_way;
      mailbox->Post(scheduler::engine::WriteDone{shared->id, std::move(result)});
    });
  });
}

void HttpConnection::Counts::Note(const scheduler::framework::ApiWrite& write,
                                  const scheduler::framework::WriteResult& result) {
  if (std::holds_alternative<scheduler::framework::BindPod>(write)) {
    ++(result.ok() ? binds : refused_binds);
  }
  evictions += std::holds_alternative<scheduler::framework::DeletePod>(write) && result.ok();
}

void HttpConnection::Count(DriverSnapshot& snapshot) const {
  snapshot.binds = counts_->binds;
  snapshot.refused_binds = counts_->refused_binds;
  snapshot.evictions = counts_->evictions;
  snapshot.events_waiting = event_counts_->waiting;
}

}  // namespace berth::runtime
