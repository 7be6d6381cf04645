// How a LiveStore comes back from its journal, and how it goes on with it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "store/live_store.h"
#include "store/version_digits.h"

namespace berth::store {

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
  std::vector<std::pair<CollectionState*, std::shared_ptr<const History::Chunk>>> dropped;
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
    if (auto chunk = state.history.TakeDropped()) dropped.emplace_back(&state, std::move(chunk));
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
  for (const auto& [state, chunk] : dropped) Compact(*state, *chunk);
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
  // What is older is state alone: the events around it may be gone.
  if (event.version() > state.history.floor()) {
    state.history.Append(std::move(event));
    state.history.ShowOne();
  }
  return true;
}

void LiveStore::OnDurable(Version version) {
  Aftermath aftermath;
  {
    const std::lock_guard lock(mutex_);
    for (const Collection collection : visibility_.Advance(version)) {
      Show(At(collection), aftermath);
    }
    aftermath.done = visibility_.TakeDue();
  }
  reserved_.notify_all();
  aftermath.Run({});
}

void LiveStore::OnFailure(const Error& error) {
  Aftermath aftermath;
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
    aftermath.done = visibility_.Fail(error);
  }
  reserved_.notify_all();
  aftermath.Run(std::unexpected(error));
}

}  // namespace berth::store
