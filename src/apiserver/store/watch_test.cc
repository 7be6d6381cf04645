// Properties of list and watch: a reader that lists and then follows the events has the state of a
// new list, however short the history; and a list of a past version equals the list at that time.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>

#include "apiserver/store/store_testing.h"
#include "base/random.h"

namespace berth::apiserver::store {
namespace BERTH_TEST_FILE {

using State = std::map<ObjectName, ObjectPtr>;

State ListAll(const Store& store) {
  State state;
  for (const ObjectPtr& object : store.List(kPods, {}).objects) state[object->key] = object;
  return state;
}

// A reader like an informer: lists, follows the events, and lists again when it is expired.
class Reader {
 public:
  explicit Reader(Store& store) : store_(store) { List(); }

  void Read(size_t limit) {
    std::vector<Event> events;
    if (!cursor_->Read(limit, events)) {
      List();
      return;
    }
    for (const Event& event : events) {
      RC_ASSERT(event.version() > seen_);
      seen_ = event.version();
      const auto known = state_.find(event.object->key);
      RC_ASSERT((known != state_.end()) == (event.previous != nullptr));
      if (event.previous != nullptr) RC_ASSERT(event.previous == known->second);
      if (event.type == EventType::kDeleted) {
        state_.erase(event.object->key);
      } else {
        state_[event.object->key] = event.object;
      }
    }
  }
  void ReadAll() {
    for (Version before = cursor_->position() + 1; before != cursor_->position();) {
      before = cursor_->position();
      Read(7);
    }
  }
  const State& state() const { return state_; }

 private:
  void List() {
    state_ = ListAll(store_);
    seen_ = store_.version();
    cursor_ = store_.Watch(kPods, seen_, nullptr);
  }

  Store& store_;
  State state_;
  Version seen_ = 0;
  std::unique_ptr<Store::Cursor> cursor_;
};

void WriteAnything(Store& store, Random& random) {
  const Collection collection = random.Below(5) == 0 ? kNodes : kPods;
  const std::string name = fmt::format("{}/{}", random.Below(2), random.Below(8));
  const ObjectPtr now = store.Get(collection, Name(name));
  const std::string text = fmt::format("{}", random.Below(1000));
  if (now == nullptr) {
    RC_ASSERT(store.Create(collection, MakeDraft(name, text)).has_value());
  } else if (random.Below(2) == 0) {
    RC_ASSERT(store.Replace(collection, MakeDraft(name, text), now->version).has_value());
  } else {
    RC_ASSERT(store.Delete(collection, now->key, now->version).has_value());
  }
}

RC_GTEST_PROP(FollowTest, AReaderEndsWithTheStateOfTheStore, ()) {
  const auto history = *rc::gen::inRange<size_t>(0, 200);
  const auto store = OpenStore(nullptr, history);
  Random random(*rc::gen::arbitrary<uint64_t>());
  std::vector<std::unique_ptr<Reader>> readers;
  const int steps = *rc::gen::inRange(0, 600);
  for (int step = 0; step < steps; ++step) {
    const auto choice = random.Below(10);
    if (choice == 0 && readers.size() < 5) {
      readers.push_back(std::make_unique<Reader>(*store));
    } else if (choice < 4 && !readers.empty()) {
      readers[random.Below(readers.size())]->Read(1 + random.Below(20));
    } else {
      WriteAnything(*store, random);
    }
  }
  for (const auto& reader : readers) {
    reader->ReadAll();
    RC_ASSERT(reader->state() == ListAll(*store));
  }
}

RC_GTEST_PROP(FollowTest, APastListEqualsTheListAtThatTime, ()) {
  const auto history = *rc::gen::inRange<size_t>(0, 150);
  const auto store = OpenStore(nullptr, history);
  Random random(*rc::gen::arbitrary<uint64_t>());
  std::vector<std::vector<ObjectPtr>> lists = {{}};  // By version.
  const auto steps = *rc::gen::inRange<size_t>(0, 300);
  size_t pod_events = 0;
  std::vector<size_t> events_until = {0};
  for (size_t step = 0; step < steps; ++step) {
    WriteAnything(*store, random);
    lists.push_back(store->List(kPods, {}).objects);
    if (lists.back() != lists[lists.size() - 2]) ++pod_events;
    events_until.push_back(pod_events);
  }
  for (Version version = 0; version <= steps; ++version) {
    const bool retained = pod_events - events_until[version] <= history;
    const ListResult all = store->List(kPods, {.at = version});
    RC_ASSERT(all.expired != retained);
    if (!retained) continue;
    RC_ASSERT(all.version == version);
    RC_ASSERT(all.objects == lists[version]);

    // In pages, too.
    std::vector<ObjectPtr> pages;
    ListQuery query{.limit = 1 + random.Below(5), .at = version};
    while (true) {
      const ListResult page = store->List(kPods, query);
      pages.insert(pages.end(), page.objects.begin(), page.objects.end());
      RC_ASSERT(page.remaining == lists[version].size() - pages.size());
      if (!page.more) break;
      query.after = page.objects.back()->key;
    }
    RC_ASSERT(pages == lists[version]);
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::store
