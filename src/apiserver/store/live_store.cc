#include "apiserver/store/live_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "apiserver/store/history.h"
#include "apiserver/store/stored_object.h"
#include "base/check.h"

namespace berth::apiserver::store {

ListResult MakeList(const ListQuery& query, ObjectTable::Snapshot now, const PastState& past) {
  ListResult result;
  if (query.limit == 0 && !query.matches) result.objects.reserve(now.remaining());
  const auto full = [&] { return query.limit != 0 && result.objects.size() == query.limit; };
  const auto take = [&](const ObjectPtr& object) {
    if (!query.matches || query.matches(*object)) result.objects.push_back(object);
  };

  auto change = past.changes().begin();
  const auto changes_end = past.changes().end();
  // Takes the past objects that no longer exist, up to `name` (null: to the end).
  const auto take_deleted = [&](const ObjectName* name) {
    while (change != changes_end && !full() && (name == nullptr || change->first < *name)) {
      if (change->second.before != nullptr) take(change->second.before);
      ++change;
    }
  };

  // `next` is taken from the snapshot but not yet listed, as deleted objects may precede it.
  const ObjectPtr* next = full() ? nullptr : now.Next();
  while (next != nullptr) {
    const Object& object = **next;
    take_deleted(&object.key);
    if (full()) break;
    if (change != changes_end && change->first == object.key) {
      if (change->second.before != nullptr) take(change->second.before);
      ++change;
    } else {
      take(*next);
    }
    next = full() ? nullptr : now.Next();
  }
  const size_t pending = next != nullptr ? 1 : 0;
  if (!full()) take_deleted(nullptr);

  // The rest of the current state, corrected by the rest of the changes.
  result.remaining = now.remaining() + pending;
  for (; change != changes_end; ++change) {
    if (change->second.before != nullptr) ++result.remaining;
    if (change->second.exists_now) --result.remaining;
  }
  result.more = result.remaining > 0;
  return result;
}

LiveStore::LiveStore(StoreOptions options, Version newest)
    : options_(std::move(options)), newest_(newest), visibility_(newest) {
  collections_.reserve(options_.collections.size());
  for (const std::string& name : options_.collections) {
    collections_.push_back(
        {.name = name, .objects = {}, .history = History(options_.history, newest), .waiting = {}});
  }
}

LiveStore::~LiveStore() {
  std::unique_ptr<Journal> journal;
  {
    const std::lock_guard lock(mutex_);
    journal.swap(journal_);
  }
  journal.reset();  // Writes the remaining entries and makes the last callbacks.
  const Error closed{"the store has been closed"};
  DeferredWork deferred{.dropped = {}, .wakes = {}, .done = visibility_.Fail(closed)};
  deferred.Run(std::unexpected(closed));
}

LiveStore::CollectionState& LiveStore::At(Collection collection) const {
  CHECK(collection < collections_.size());
  return collections_[collection];
}

ObjectPtr LiveStore::Get(Collection collection, const ObjectName& name) const {
  const std::lock_guard lock(mutex_);
  const ObjectTable& objects = At(collection).objects;
  const ObjectTable::Place place = objects.Locate(name);
  return place.found ? objects.At(place) : nullptr;
}

size_t LiveStore::Count(Collection collection) const {
  const std::lock_guard lock(mutex_);
  return At(collection).objects.size();
}

ListResult LiveStore::List(Collection collection, const ListQuery& query) const {
  std::vector<History::Stretch> since;
  Version version = 0;
  ObjectTable::Snapshot now;
  {
    const std::lock_guard lock(mutex_);
    CollectionState& state = At(collection);
    version = newest_;
    if (query.at && *query.at < version) {
      version = *query.at;
      if (version < state.history.floor()) {
        return {.version = version, .expired = true};
      }
      state.history.Find(state.history.NumberAfter(version), state.history.end(), since);
    }
    const bool takes_first = !query.matches && since.empty();
    now = state.objects.Range(query.namespace_, query.after, takes_first ? query.limit : 0);
  }
  const PastState past(since, query.namespace_, query.after);
  ListResult result = MakeList(query, std::move(now), past);
  result.version = version;
  return result;
}

WriteOutcome LiveStore::Create(Collection collection, Draft draft) {
  const std::shared_ptr<Object> object = MakeObject(std::move(draft), newest_ + 1);
  DeferredWork deferred;
  std::unique_lock lock(mutex_);
  if (!WaitForReservedVersion(lock)) return std::unexpected(WriteError::kFailed);
  ObjectTable& objects = At(collection).objects;
  const ObjectTable::Place place = objects.Locate(object->key);
  if (place.found) return std::unexpected(WriteError::kExists);
  Stamp(*object, newest_ + 1);
  objects.Insert(place, object);
  Commit(collection, {EventType::kAdded, object, nullptr}, deferred);
  lock.unlock();
  deferred.Run({});
  return object;
}

WriteOutcome LiveStore::Replace(Collection collection, Draft draft, Version seen) {
  const std::shared_ptr<Object> object = MakeObject(std::move(draft), newest_ + 1);
  DeferredWork deferred;
  std::unique_lock lock(mutex_);
  if (!WaitForReservedVersion(lock)) return std::unexpected(WriteError::kFailed);
  ObjectTable& objects = At(collection).objects;
  const ObjectTable::Place place = objects.Locate(object->key);
  if (!place.found) return std::unexpected(WriteError::kNotFound);
  ObjectPtr previous = objects.At(place);
  if (previous->version != seen) return std::unexpected(WriteError::kConflict);
  Stamp(*object, newest_ + 1);
  objects.Set(place, object);
  Commit(collection, {EventType::kModified, object, std::move(previous)}, deferred);
  lock.unlock();
  deferred.Run({});
  return object;
}

WriteOutcome LiveStore::Delete(Collection collection, const ObjectName& name, Version seen) {
  DeferredWork deferred;
  std::unique_lock lock(mutex_);
  if (!WaitForReservedVersion(lock)) return std::unexpected(WriteError::kFailed);
  ObjectTable& objects = At(collection).objects;
  const ObjectTable::Place place = objects.Locate(name);
  if (!place.found) return std::unexpected(WriteError::kNotFound);
  ObjectPtr previous = objects.At(place);
  if (previous->version != seen) return std::unexpected(WriteError::kConflict);
  const ObjectPtr object = WithVersion(*previous, newest_ + 1);
  objects.Erase(place);
  Commit(collection, {EventType::kDeleted, object, std::move(previous)}, deferred);
  lock.unlock();
  deferred.Run({});
  return object;
}

bool LiveStore::WaitForReservedVersion(std::unique_lock<std::mutex>& lock) {
  if (journal_ == nullptr) return true;
  reserved_.wait(lock, [&] { return visibility_.failure() || newest_ + 1 < journal_->reserved(); });
  return !visibility_.failure();
}

void LiveStore::Commit(Collection collection, Event event, DeferredWork& deferred) {
  CollectionState& state = At(collection);
  const Version version = event.version();
  newest_ = version;
  if (journal_ != nullptr) {
    journal_->Append({state.name, event.type == EventType::kDeleted, event.object});
    visibility_.Expect(version, collection);
    state.history.Append(std::move(event));
    return;
  }
  state.history.Append(std::move(event));
  visibility_.Advance(version);
  Show(state, deferred);
  deferred.done = visibility_.TakeDue();
}

void LiveStore::Show(CollectionState& state, DeferredWork& deferred) {
  state.history.RevealOldest();
  state.waiting.TakeAll(deferred.wakes);
  for (DroppedEvents& dropped : TrimHistories(state)) {
    if (journal_ != nullptr) journal_->Compact(CompactionOf(dropped));
    deferred.dropped.push_back(std::move(dropped));
  }
}

std::vector<LiveStore::DroppedEvents> LiveStore::TrimHistories(CollectionState& state) {
  std::vector<DroppedEvents> dropped;
  const auto take = [&dropped](CollectionState& trimmed) {
    while (auto events = trimmed.history.TakeDropped()) {
      dropped.push_back({.collection = &trimmed, .events = *std::move(events)});
    }
  };
  take(state);
  while (CollectionState* largest = FindOversizedHistory()) {
    largest->history.DropOldest();
    take(*largest);
  }
  return dropped;
}

LiveStore::CollectionState* LiveStore::FindOversizedHistory() {
  size_t bytes = 0;
  CollectionState* largest = nullptr;
  for (CollectionState& state : collections_) {
    const History& history = state.history;
    bytes += history.bytes();
    // The newest event stays: without it no watcher could make progress.
    if (history.shown() - history.first() < 2) continue;
    if (largest == nullptr || history.bytes() > largest->history.bytes()) largest = &state;
  }
  return bytes > options_.history_bytes ? largest : nullptr;
}

Compaction LiveStore::CompactionOf(const DroppedEvents& dropped) {
  const std::span events(dropped.events.chunk->begin() + dropped.events.begin,
                         dropped.events.chunk->begin() + dropped.events.end);
  Compaction compaction{
      .collection = dropped.collection->name, .floor = events.back().version(), .versions = {}};
  for (const Event& event : events) {
    if (event.previous != nullptr) compaction.versions.push_back(event.previous->version);
    if (event.type == EventType::kDeleted) compaction.versions.push_back(event.version());
  }
  return compaction;
}

void LiveStore::DeferredWork::Run(const Status& status) {
  for (const Visibility::Done& call : done) call(status);
  for (const std::shared_ptr<Wakeup>& wake : wakes) {
    if (wake->call) wake->call();
  }
  dropped.clear();
}

void LiveStore::WhenVisible(Version version, std::function<void(Status)> done) {
  std::unique_lock lock(mutex_);
  if (visibility_.Wait(version, done)) return;
  Status status;
  if (version > visibility_.visible()) status = std::unexpected(*visibility_.failure());
  lock.unlock();
  done(std::move(status));
}

Status LiveStore::health() const {
  const std::lock_guard lock(mutex_);
  if (visibility_.failure()) return std::unexpected(*visibility_.failure());
  return {};
}

LiveStore::LiveCursor::LiveCursor(LiveStore& store, CollectionState& state, Version from,
                                  std::function<void()> wake)
    : store_(store),
      state_(state),
      wake_(std::make_shared<Wakeup>(Wakeup{.call = std::move(wake)})),
      position_(from) {}

LiveStore::LiveCursor::~LiveCursor() {
  const std::lock_guard lock(store_.mutex_);
  state_.waiting.Disarm(*wake_);
}

bool LiveStore::LiveCursor::Read(size_t limit, std::vector<Event>& out) {
  {
    const std::lock_guard lock(store_.mutex_);
    const History& history = state_.history;
    if (!next_ || *next_ < history.first()) {
      if (position_ < history.floor()) return false;
      next_ = history.NumberAfter(position_);
    }
    const uint64_t shown = std::max(history.shown(), *next_);
    const uint64_t end = *next_ + std::min<uint64_t>(limit, shown - *next_);
    history.Find(*next_, end, stretches_);
    if (shown == *next_) state_.waiting.Arm(wake_);
    next_ = end;
    if (end == shown) position_ = std::max(position_, store_.visibility_.visible());
    // A position among future versions has no number.
    if (position_ > store_.newest_) next_.reset();
  }
  for (const auto& [chunk, begin, end] : stretches_) {
    out.insert(out.end(), chunk->begin() + begin, chunk->begin() + end);
  }
  if (!stretches_.empty()) position_ = std::max(position_, out.back().version());
  stretches_.clear();
  return true;
}

std::unique_ptr<Store::Cursor> LiveStore::Watch(Collection collection, Version from,
                                                std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  return std::make_unique<LiveCursor>(*this, At(collection), from, std::move(wake));
}

Result<std::unique_ptr<Store>> Store::Open(StoreOptions options, std::unique_ptr<Journal> journal) {
  const Version newest = std::max<Version>(options.first_version, 1) - 1;
  auto store = std::make_unique<LiveStore>(std::move(options), newest);
  if (journal != nullptr) {
    if (Status attached = store->Attach(std::move(journal)); !attached) {
      return std::unexpected(attached.error());
    }
  }
  return store;
}

Status LiveStore::Attach(std::unique_ptr<Journal> journal) {
  const Result<Recovered> recovered = journal->Recover();
  if (!recovered) return std::unexpected(recovered.error());
  const Version first = recovered->next == 0 ? newest_ + 1 : recovered->first;
  const Version next = std::max<Version>(newest_ + 1, recovered->next);

  std::map<std::string_view, CollectionState*> by_name;
  for (CollectionState& state : collections_) {
    by_name[state.name] = &state;
    const auto floor = recovered->floors.find(state.name);
    state.history =
        History(options_.history, floor != recovered->floors.end() ? floor->second : first - 1);
  }
  std::vector<Compaction> compactions;
  const Status replayed = journal->Replay([&](const JournalEntry& entry) -> Status {
    const auto found = by_name.find(entry.collection);
    if (found == by_name.end()) {
      return Fail(
          fmt::format("{} holds objects of \"{}\", which this version of Berth does not know",
                      journal->name(), entry.collection));
    }
    CollectionState& state = *found->second;
    if (!Restore(state, entry)) {
      return Fail(
          fmt::format("{} is damaged: version {} deletes \"{}/{}\" of \"{}\", which is not there",
                      journal->name(), entry.object->version, entry.object->key.namespace_,
                      entry.object->key.name, entry.collection));
    }
    for (const DroppedEvents& dropped : TrimHistories(state)) {
      compactions.push_back(CompactionOf(dropped));
    }
    return {};
  });
  if (!replayed) return replayed;

  newest_ = next - 1;
  visibility_ = Visibility(next - 1);
  journal_ = std::move(journal);
  const Status started = journal_->Start(next, [this](const Result<Version>& durable) {
    durable ? OnDurable(*durable) : OnFailure(durable.error());
  });
  if (!started) return started;
  for (Compaction& compaction : compactions) journal_->Compact(std::move(compaction));
  return {};
}

bool LiveStore::Restore(CollectionState& state, const JournalEntry& entry) {
  ObjectTable& objects = state.objects;
  const ObjectTable::Place place = objects.Locate(entry.object->key);
  Event event{.object = entry.object, .previous = place.found ? objects.At(place) : nullptr};
  if (entry.deleted) {
    if (!place.found) return false;
    event.type = EventType::kDeleted;
    event.object = WithVersion(*event.previous, entry.object->version);
    objects.Erase(place);
  } else if (place.found) {
    event.type = EventType::kModified;
    objects.Set(place, event.object);
  } else {
    objects.Insert(place, event.object);
  }
  // Older entries are only state: the events around them may be dropped.
  if (event.version() > state.history.floor()) {
    state.history.Append(std::move(event));
    state.history.RevealOldest();
  }
  return true;
}

void LiveStore::OnDurable(Version version) {
  DeferredWork deferred;
  {
    const std::lock_guard lock(mutex_);
    for (const Collection collection : visibility_.Advance(version)) {
      Show(At(collection), deferred);
    }
    deferred.done = visibility_.TakeDue();
  }
  reserved_.notify_all();
  deferred.Run({});
}

void LiveStore::OnFailure(const Error& error) {
  DeferredWork deferred;
  {
    const std::lock_guard lock(mutex_);
    for (CollectionState& state : collections_) {
      std::vector<Event> undone = state.history.TakeHidden();
      std::reverse(undone.begin(), undone.end());
      for (const Event& event : undone) {
        if (event.previous != nullptr) {
          state.objects.Put(event.previous);
        } else {
          state.objects.Erase(state.objects.Locate(event.object->key));
        }
      }
    }
    newest_ = visibility_.visible();
    deferred.done = visibility_.Fail(error);
  }
  reserved_.notify_all();
  deferred.Run(std::unexpected(error));
}

}  // namespace berth::apiserver::store
