// How a LiveStore is opened: with the state and the history of its journal.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/store/live_store.h"

namespace berth::apiserver::store {

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

  const auto floor_of = [&](std::string_view name) {
    const auto floor = recovered->floors.find(name);
    return floor != recovered->floors.end() ? floor->second : first - 1;
  };
  for (const StatePtr& state : collections_) {
    state->history = History(options_.history, floor_of(state->name));
  }
  std::vector<Compaction> compactions;
  const Status replayed = journal->Replay([&](const JournalEntry& entry) -> Status {
    auto found = by_name_.find(entry.collection);
    if (found == by_name_.end() && entry.collection.starts_with(kAddedPrefix)) {
      Add(entry.collection, floor_of(entry.collection));
      found = by_name_.find(entry.collection);
    }
    if (found == by_name_.end()) {
      return Fail(
          fmt::format("{} holds objects of \"{}\", which this version of Berth does not know",
                      journal->name(), entry.collection));
    }
    CollectionState& state = At(found->second);
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
    ChangeHistory(state, [](History& history) { history.RevealOldest(); });
  }
  return true;
}

}  // namespace berth::apiserver::store
