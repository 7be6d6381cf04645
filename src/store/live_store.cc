#include "store/live_store.h"

#include <utility>

#include "base/check.h"
#include "store/listing.h"
#include "store/past.h"
#include "store/version_digits.h"

namespace berth::store {

LiveStore::LiveStore(StoreOptions options, Version newest)
    : options_(std::move(options)), newest_(newest), visibility_(newest) {
  collections_.reserve(options_.collections.size());
  for (const std::string& name : options_.collections) {
    collections_.push_back(
        {.name = name, .objects = {}, .history = History(options_.history, newest), .armed = {}});
  }
}

LiveStore::~LiveStore() {
  std::unique_ptr<Journal> journal;
  {
    const std::lock_guard lock(mutex_);
    journal.swap(journal_);
  }
  journal.reset();  // Writes what is left; its last callbacks come meanwhile.
  const Error closed{"the store has been closed"};
  Aftermath aftermath{.dropped = {}, .wakes = {}, .done = visibility_.Fail(closed)};
  aftermath.Run(std::unexpected(closed));
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
  const Past past(since, query.namespace_, query.after);
  ListResult result = MakeList(query, std::move(now), past);
  result.version = version;
  return result;
}

WriteOutcome LiveStore::Create(Collection collection, Draft draft) {
  const std::shared_ptr<Object> object = MakeObject(std::move(draft), newest_ + 1);
  Aftermath aftermath;
  std::unique_lock lock(mutex_);
  if (!AwaitTurn(lock)) return std::unexpected(WriteError::kFailed);
  ObjectTable& objects = At(collection).objects;
  const ObjectTable::Place place = objects.Locate(object->key);
  if (place.found) return std::unexpected(WriteError::kExists);
  Stamp(*object, newest_ + 1);
  objects.Insert(place, object);
  Commit(collection, {EventType::kAdded, object, nullptr}, aftermath);
  lock.unlock();
  aftermath.Run({});
  return object;
}

WriteOutcome LiveStore::Replace(Collection collection, Draft draft, Version seen) {
  const std::shared_ptr<Object> object = MakeObject(std::move(draft), newest_ + 1);
  Aftermath aftermath;
  std::unique_lock lock(mutex_);
  if (!AwaitTurn(lock)) return std::unexpected(WriteError::kFailed);
  ObjectTable& objects = At(collection).objects;
  const ObjectTable::Place place = objects.Locate(object->key);
  if (!place.found) return std::unexpected(WriteError::kNotFound);
  ObjectPtr previous = objects.At(place);
  if (previous->version != seen) return std::unexpected(WriteError::kConflict);
  Stamp(*object, newest_ + 1);
  objects.Set(place, object);
  Commit(collection, {EventType::kModified, object, std::move(previous)}, aftermath);
  lock.unlock();
  aftermath.Run({});
  return object;
}

WriteOutcome LiveStore::Delete(Collection collection, const ObjectName& name, Version seen) {
  Aftermath aftermath;
  std::unique_lock lock(mutex_);
  if (!AwaitTurn(lock)) return std::unexpected(WriteError::kFailed);
  ObjectTable& objects = At(collection).objects;
  const ObjectTable::Place place = objects.Locate(name);
  if (!place.found) return std::unexpected(WriteError::kNotFound);
  ObjectPtr previous = objects.At(place);
  if (previous->version != seen) return std::unexpected(WriteError::kConflict);
  const ObjectPtr object = WithVersion(*previous, newest_ + 1);
  objects.Erase(place);
  Commit(collection, {EventType::kDeleted, object, std::move(previous)}, aftermath);
  lock.unlock();
  aftermath.Run({});
  return object;
}

bool LiveStore::AwaitTurn(std::unique_lock<std::mutex>& lock) {
  if (journal_ == nullptr) return true;
  reserved_.wait(lock, [&] { return visibility_.failure() || newest_ + 1 < journal_->reserved(); });
  return !visibility_.failure();
}

void LiveStore::Commit(Collection collection, Event event, Aftermath& aftermath) {
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
  Show(state, aftermath);
  aftermath.done = visibility_.TakeDue();
}

void LiveStore::Show(CollectionState& state, Aftermath& aftermath) {
  state.history.ShowOne();
  state.armed.TakeAll(aftermath.wakes);
  if (auto dropped = state.history.TakeDropped()) {
    if (journal_ != nullptr) Compact(state, *dropped);
    aftermath.dropped.push_back(std::move(dropped));
  }
}

void LiveStore::Compact(CollectionState& state, const History::Chunk& dropped) {
  Compaction compaction{
      .collection = state.name, .floor = dropped.back().version(), .versions = {}};
  for (const Event& event : dropped) {
    if (event.previous != nullptr) compaction.versions.push_back(event.previous->version);
    if (event.type == EventType::kDeleted) compaction.versions.push_back(event.version());
  }
  journal_->Compact(std::move(compaction));
}

void LiveStore::Aftermath::Run(const Status& status) {
  for (const Visibility::Done& call : done) call(status);
  for (const std::shared_ptr<Wake>& wake : wakes) {
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

}  // namespace berth::store
