#include "inspect/event_hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <utility>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "base/text.h"
#include "inspect/ledger_documents.h"
#include "ledger/activity.h"
#include "observability/log.h"
#include "observability/thread_stacks.h"

namespace berth::inspect {
namespace {

using api::JsonObject;

constexpr std::chrono::seconds kTick{1};
// Proxies close connections that are silent for longer.
constexpr uint64_t kTicksPerComment = 15;
constexpr std::chrono::minutes kIdleCheck{1};
// How many events of the engine a client may have missed: each changes at most two rows, and a new
// client gets the last 4,096 changes.
constexpr uint64_t kResumable = 2'048;

std::string EventText(std::string_view name, uint64_t id, const JsonObject& data) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", id, name, api::ToJsonText(data));
}

}  // namespace

// --- EventStream ---

std::string EventStream::Take(size_t limit) {
  const std::lock_guard lock(mutex_);
  if (unread_.size() <= limit) return std::exchange(unread_, {});
  std::string first = unread_.substr(0, limit);
  unread_.erase(0, limit);
  return first;
}

bool EventStream::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void EventStream::Send(std::string_view text) {
  if (text.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    if (unread_.size() + text.size() > kMaxUnread) {
      unread_.clear();
      ended_ = true;
    } else {
      unread_ += text;
    }
  }
  wake_();
}

void EventStream::End() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_();
}

// --- EventHub ---

EventHub::EventHub(Inspector& inspector) : inspector_(inspector), thread_([this] { Run(); }) {}

EventHub::~EventHub() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
  EndStreams();
}

void EventHub::EndStreams() {
  std::vector<std::shared_ptr<Client>> clients;
  {
    const std::lock_guard lock(mutex_);
    clients.swap(clients_);
  }
  for (const auto& client : clients) {
    if (const auto stream = client->stream.lock()) stream->End();
  }
}

std::expected<std::shared_ptr<EventStream>, Response> EventHub::Follow(
    const Request& request, std::optional<uint64_t> last_event, std::function<void()> wake) {
  Topics topics;
  std::string_view names = request.Get("topics");
  if (names.empty()) topics = {true, true, true, true};
  const std::pair<std::string_view, bool*> known[] = {{"activity", &topics.activity},
                                                      {"queue", &topics.queue},
                                                      {"attempt", &topics.attempt},
                                                      {"nodes", &topics.nodes}};
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    const auto* found = std::ranges::find(known, name, &std::pair<std::string_view, bool*>::first);
    if (found == std::end(known)) {
      return std::unexpected(
          Failure(400, fmt::format("topics: \"{}\": no such topic", Shorten(name))));
    }
    *found->second = true;
  }
  auto stream = std::make_shared<EventStream>(std::move(wake));
  // A new client gets the last changes of nodes. One that has missed more reads the map again.
  const uint64_t sequence = inspector_.sequence();
  const bool missed = last_event && (*last_event > sequence || sequence - *last_event > kResumable);
  if (missed && topics.nodes) {
    stream->Send(EventText("nodes", sequence,
                           {{"generation", 0},
                            {"reset", true},
                            {"rows", api::JsonArray()},
                            {"pods", api::JsonArray()},
                            {"assumed", api::JsonArray()},
                            {"nominated", api::JsonArray()},
                            {"flags", api::JsonArray()},
                            {"requested", JsonObject()}}));
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(clients_, [](const auto& client) { return client->stream.expired(); });
  if (clients_.size() >= kMaxStreams) {
    return std::unexpected(Failure(429, "too many clients follow the events: try again later"));
  }
  clients_.push_back(std::make_shared<Client>(Client{topics, stream, {}}));
  changed_.notify_one();
  return stream;
}

void EventHub::Run() {
  observability::EnterThread("api-events");
  std::unique_lock lock(mutex_);
  for (;;) {
    // While nobody follows, it rests.
    if (clients_.empty()) {
      changed_.wait_for(lock, kIdleCheck, [this] { return stop_ || !clients_.empty(); });
    } else {
      changed_.wait_for(lock, kTick, [this] { return stop_; });
    }
    if (stop_) return;
    lock.unlock();
    try {
      followed_ = Tick();
      if (!followed_) inspector_.DropIfIdle();
    } catch (const std::exception& error) {
      LOG_ERROR(error.what(), "Events could not be sent; their streams end");
      EndStreams();
    }
    lock.lock();
  }
}

bool EventHub::Tick() {
  std::vector<std::shared_ptr<Client>> clients;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(clients_, [](const auto& client) {
      const auto stream = client->stream.lock();
      return stream == nullptr || stream->ended();
    });
    clients = clients_;
  }
  if (clients.empty()) return false;
  const History& history = inspector_.history();
  if (!followed_ && history.ledger != nullptr) cursor_ = history.ledger->Latest();
  const auto send = [&](bool Topics::*topic, std::string (EventHub::*text_of)()) {
    std::optional<std::string> text;  // Made once, if anybody wants it.
    for (const auto& client : clients) {
      const auto stream = client->stream.lock();
      if (stream == nullptr || !(client->topics.*topic)) continue;
      if (!text) text = (this->*text_of)();
      stream->Send(*text);
    }
  };
  send(&Topics::queue, &EventHub::QueueText);
  send(&Topics::attempt, &EventHub::AttemptText);
  send(&Topics::activity, &EventHub::ActivityText);
  SendNodes(clients);
  if (++ticks_ % kTicksPerComment == 0) {
    for (const auto& client : clients) {
      if (const auto stream = client->stream.lock()) stream->Send(": keep alive\n\n");
    }
  }
  return true;
}

// Most clients have seen the same.
void EventHub::SendNodes(std::vector<std::shared_ptr<Client>>& clients) {
  struct Delta {
    std::string text;
    Inspector::Position next;
  };
  std::map<std::pair<uint64_t, uint64_t>, Delta> deltas;
  for (const auto& client : clients) {
    const auto stream = client->stream.lock();
    if (stream == nullptr || !client->topics.nodes) continue;
    const auto [at, added] =
        deltas.try_emplace({client->position.generation, client->position.row_changes});
    Delta& delta = at->second;
    if (added) {
      delta.next = client->position;
      if (const auto json = inspector_.NodeDelta(delta.next)) {
        delta.text = EventText("nodes", inspector_.sequence(), *json);
      }
    }
    client->position = delta.next;
    stream->Send(delta.text);
  }
}

std::string EventHub::QueueText() {
  const auto json = inspector_.QueueEvent();
  return json ? EventText("queue", inspector_.sequence(), *json) : "";
}

std::string EventHub::AttemptText() {
  const ledger::Ledger* ledger = inspector_.history().ledger;
  if (ledger == nullptr) return "";
  constexpr size_t kMaxRead = 1'000;
  const ledger::LedgerNews news = ledger->Follow(cursor_, kMaxRead);
  cursor_ = news.next;
  uint64_t dropped = news.lost;
  if (const uint64_t last = ledger->stats().last; last > cursor_.sequence) {
    dropped += last - cursor_.sequence;
    cursor_ = ledger->Latest();
  }
  const size_t skipped = news.attempts.size() - std::min(kMaxAttempts, news.attempts.size());
  if (news.attempts.empty() && dropped == 0) return "";
  api::JsonArray items;
  for (size_t i = skipped; i < news.attempts.size(); ++i) {
    items.emplace_back(AttemptJson(news.attempts[i]));
  }
  return EventText("attempt", inspector_.sequence(),
                   {{"items", std::move(items)}, {"dropped", dropped + skipped}});
}

std::string EventHub::ActivityText() {
  const ledger::ActivityLog* log = inspector_.history().activity;
  if (log == nullptr) return "";
  // The last step is under way.
  const ledger::Activity activity =
      log->Read(inspector_.wall_clock().Now(), ledger::ActivityLog::kStep * 2);
  const size_t steps = activity.binds.size();
  if (steps < 2) return "";
  const size_t step = steps - 2;
  const Instant start = activity.start + activity.step * static_cast<int64_t>(step);
  if (start == last_activity_) return "";
  last_activity_ = start;
  return EventText("activity", inspector_.sequence(), ActivityStepJson(activity, step));
}

}  // namespace berth::inspect
