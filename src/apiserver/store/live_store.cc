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
  for (const std::string& name : options_.collections) Add(name, newest);
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

LiveStore::CollectionState* LiveStore::Find(Collection collection) const {
  CHECK(collection < collections_.size());
  CollectionState* state = collections_[collection].get();
  return state != nullptr && !state->removed ? state : nullptr;
}

LiveStore::CollectionState& LiveStore::At(Collection collection) const {
  CHECK(collection < collections_.size() && collections_[collection] != nullptr);
  return *collections_[collection];
}

Collection LiveStore::Add(std::string_view name, Version floor) {
  const auto collection = static_cast<Collection>(collections_.size());
  const std::string& stable = *names_.emplace(name).first;
  collections_.push_back(std::make_shared<CollectionState>(CollectionState{
      .name = stable, .objects = {}, .history = History(options_.history, floor), .waiting = {}}));
  by_name_.emplace(stable, collection);
  return collection;
}

Collection LiveStore::AddCollection(const std::string& name) {
  CHECK(name.starts_with(kAddedPrefix));
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(name);
  // Watches from before are expired: they may have missed an earlier life of the collection.
  return found != by_name_.end() ? found->second : Add(name, newest_);
}

bool LiveStore::RemoveCollection(Collection collection) {
  DeferredWork deferred;
  {
    const std::lock_guard lock(mutex_);
    CollectionState* state = Find(collection);
    if (state == nullptr) return true;
    if (state->objects.size() > 0) return false;
    CHECK(state->name.starts_with(kAddedPrefix));
    state->removed = true;
    by_name_.erase(by_name_.find(state->name));
    state->waiting.TakeAll(deferred.wakes);
    FinishRemoval(collection, deferred);
  }
  deferred.Run({});
  return true;
}

void LiveStore::FinishRemoval(Collection collection, DeferredWork& deferred) {
  CollectionState& state = At(collection);
  if (state.history.shown() != state.history.end()) return;
  std::vector<History::Stretch> events;
  ChangeHistory(state, [&](History& history) { events = history.TakeAll(); });
  for (History::Stretch& stretch : events) {
    DroppedEvents dropped{.collection = &state, .events = std::move(stretch)};
    if (journal_ != nullptr) journal_->Compact(CompactionOf(dropped));
    deferred.dropped.push_back(std::move(dropped));
  }
  collections_[collection].reset();
}

ObjectPtr LiveStore::Get(Collection collection, const ObjectName& name) const {
  const std::lock_guard lock(mutex_);
  const CollectionState* state = Find(collection);
  if (state == nullptr) return nullptr;
  const ObjectTable::Place place = state->objects.Locate(name);
  return place.found ? state->objects.At(place) : nullptr;
}

size_t LiveStore::Count(Collection collection) const {
  const std::lock_guard lock(mutex_);
  const CollectionState* state = Find(collection);
  return state != nullptr ? state->objects.size() : 0;
}

ListResult LiveStore::List(Collection collection, const ListQuery& query) const {
  std::vector<History::Stretch> since;
  Version version = 0;
  ObjectTable::Snapshot now;
  {
    const std::lock_guard lock(mutex_);
    CollectionState* state = Find(collection);
    version = newest_;
    if (state == nullptr) return {.version = version, .expired = query.at.has_value()};
    if (query.at && *query.at < version) {
      version = *query.at;
      if (version < state->history.floor()) {
        return {.version = version, .expired = true};
      }
      state->history.Find(state->history.NumberAfter(version), state->history.end(), since);
    }
    const bool takes_first = !query.matches && since.empty();
    now = state->objects.Range(query.namespace_, query.after, takes_first ? query.limit : 0);
  }
  const PastState past(since, query.namespace_, query.after);
  ListResult result = MakeList(query, std::move(now), past);
  result.version = version;
  return result;
}

WriteOutcome LiveStore::Create(Collection collection, Draft draft) {
  std::shared_ptr<Object> object = MakeObject(std::move(draft), newest_ + 1);
  DeferredWork deferred;
  std::unique_lock lock(mutex_);
  if (!WaitForReservedVersion(lock)) return std::unexpected(WriteError::kFailed);
  CollectionState* state = Find(collection);
  if (state == nullptr) return std::unexpected(WriteError::kNotFound);
  ObjectTable& objects = state->objects;
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
  std::shared_ptr<Object> object = MakeObject(std::move(draft), newest_ + 1);
  DeferredWork deferred;
  std::unique_lock lock(mutex_);
  if (!WaitForReservedVersion(lock)) return std::unexpected(WriteError::kFailed);
  CollectionState* state = Find(collection);
  if (state == nullptr) return std::unexpected(WriteError::kNotFound);
  ObjectTable& objects = state->objects;
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
  CollectionState* state = Find(collection);
  if (state == nullptr) return std::unexpected(WriteError::kNotFound);
  ObjectTable& objects = state->objects;
  const ObjectTable::Place place = objects.Locate(name);
  if (!place.found) return std::unexpected(WriteError::kNotFound);
  ObjectPtr previous = objects.At(place);
  if (previous->version != seen) return std::unexpected(WriteError::kConflict);
  ObjectPtr object = WithVersion(*previous, newest_ + 1);
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
  ChangeHistory(state, [](History& history) { history.RevealOldest(); });
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
    ChangeHistory(*largest, [](History& history) { history.DropOldest(); });
    take(*largest);
  }
  return dropped;
}

LiveStore::CollectionState* LiveStore::FindOversizedHistory() {
  if (history_bytes_ <= options_.history_bytes) return nullptr;
  CollectionState* largest = nullptr;
  for (const StatePtr& state : collections_) {
    if (state == nullptr) continue;
    const History& history = state->history;
    // The newest event stays: without it no watcher could make progress.
    if (history.shown() - history.first() < 2) continue;
    if (largest == nullptr || history.bytes() > largest->history.bytes()) largest = state.get();
  }
  return largest;
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

LiveStore::LiveCursor::LiveCursor(LiveStore& store, StatePtr state, Version from,
                                  std::function<void()> wake)
    : store_(store),
      state_(std::move(state)),
      wake_(std::make_shared<Wakeup>(Wakeup{.call = std::move(wake)})),
      position_(from) {}

LiveStore::LiveCursor::~LiveCursor() {
  const std::lock_guard lock(store_.mutex_);
  state_->waiting.Disarm(*wake_);
}

bool LiveStore::LiveCursor::Read(size_t limit, std::vector<Event>& out) {
  {
    const std::lock_guard lock(store_.mutex_);
    if (state_->removed) return false;
    const History& history = state_->history;
    if (!next_ || *next_ < history.first()) {
      if (position_ < history.floor()) return false;
      next_ = history.NumberAfter(position_);
    }
    const uint64_t shown = std::max(history.shown(), *next_);
    const uint64_t end = *next_ + std::min<uint64_t>(limit, shown - *next_);
    history.Find(*next_, end, stretches_);
    if (shown == *next_) state_->waiting.Arm(wake_);
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
  CHECK(collection < collections_.size());
  StatePtr state = collections_[collection];
  if (state == nullptr) {
    state = std::make_shared<CollectionState>(CollectionState{
        .name = {}, .objects = {}, .history = History(0, 0), .waiting = {}, .removed = true});
  }
  return std::make_unique<LiveCursor>(*this, std::move(state), from, std::move(wake));
}

void LiveStore::OnDurable(Version version) {
  DeferredWork deferred;
  {
    const std::lock_guard lock(mutex_);
    for (const Collection collection : visibility_.Advance(version)) {
      Show(At(collection), deferred);
      if (At(collection).removed) FinishRemoval(collection, deferred);
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
    for (const StatePtr& state : collections_) {
      if (state == nullptr) continue;
      std::vector<Event> undone = state->history.TakeHidden();
      std::reverse(undone.begin(), undone.end());
      for (const Event& event : undone) {
        if (event.previous != nullptr) {
          state->objects.Put(event.previous);
        } else {
          state->objects.Erase(state->objects.Locate(event.object->key));
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
