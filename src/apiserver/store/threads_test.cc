// Concurrent writers, readers and watchers: each watcher reads every event once and in order.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "apiserver/store/store_testing.h"
#include "testing/await.h"
#include "testing/temporary_directory.h"

namespace berth::apiserver::store {
namespace BERTH_TEST_FILE {

constexpr int kWriters = 3;
constexpr int kWrites = 3000;  // Per writer; each creates a version.
constexpr Version kAll = kWriters * kWrites;

// Creates, replaces and deletes objects of its own, and one that all writers share.
void WriteMany(Store& store, int writer) {
  int written = 0;
  while (written < kWrites) {
    const std::string own = fmt::format("ns/{}-{}", writer, written % 50);
    const std::string name = written % 7 == 0 ? "ns/shared" : own;
    const ObjectPtr now = store.Get(kPods, Name(name));
    const bool done = now == nullptr ? store.Create(kPods, MakeDraft(name, "x")).has_value()
                      : written % 3 == 0
                          ? store.Delete(kPods, now->key, now->version).has_value()
                          : store.Replace(kPods, MakeDraft(name, "y"), now->version).has_value();
    if (done) ++written;
  }
}

// Reads all events from the start, waiting for a wakeup when there is none.
class Watcher {
 public:
  explicit Watcher(Store& store)
      : cursor_(store.Watch(kPods, 0, [signal = signal_] { signal->Give(); })) {}

  void Follow() {
    std::vector<Event> events;
    while (last_ < kAll) {
      events.clear();
      ASSERT_TRUE(cursor_->Read(100, events));
      if (events.empty()) {
        ASSERT_TRUE(signal_->Wait());
      }
      for (const Event& event : events) {
        ASSERT_EQ(event.version(), last_ + 1);
        last_ = event.version();
        if (event.type == EventType::kDeleted) {
          state_.erase(event.object->key);
        } else {
          state_[event.object->key] = event.object;
        }
      }
    }
  }
  const std::map<ObjectName, ObjectPtr>& state() const { return state_; }

 private:
  struct Signal {
    void Give() {
      const std::lock_guard lock(mutex);
      given = true;
      condition.notify_one();
    }
    bool Wait() {
      std::unique_lock lock(mutex);
      if (!Await(condition, lock, [&] { return given; })) return false;
      given = false;
      return true;
    }
    std::mutex mutex;
    std::condition_variable condition;
    bool given = false;
  };

  std::shared_ptr<Signal> signal_ = std::make_shared<Signal>();
  std::unique_ptr<Store::Cursor> cursor_;
  Version last_ = 0;
  std::map<ObjectName, ObjectPtr> state_;
};

void RunEverythingAtOnce(Store& store) {
  std::vector<std::unique_ptr<Watcher>> watchers;
  for (int i = 0; i < 4; ++i) watchers.push_back(std::make_unique<Watcher>(store));
  std::atomic<bool> writing = true;
  std::atomic<int> visible = 0;

  std::vector<std::thread> writers, others;
  for (int i = 0; i < kWriters; ++i) writers.emplace_back([&, i] { WriteMany(store, i); });
  for (const auto& watcher : watchers) others.emplace_back([&] { watcher->Follow(); });
  others.emplace_back([&] {  // Lists current and past states, and waits for visibility.
    Version before = 0;
    while (writing) {
      const ListResult list = store.List(kPods, {.limit = 20});
      ASSERT_GE(list.version, before);
      before = list.version;
      ASSERT_LE(store.List(kPods, {.namespace_ = "ns", .at = before / 2}).objects.size(), 151U);
      ++visible;
      store.WhenVisible(list.version, [&](const Status& status) {
        ASSERT_TRUE(status);
        --visible;
      });
    }
  });
  others.emplace_back([&] {  // Creates and destroys watches.
    while (writing) {
      std::vector<Event> events;
      ASSERT_TRUE(store.Watch(kPods, store.version(), [] {})->Read(10, events));
    }
  });
  for (std::thread& writer : writers) writer.join();
  writing = false;
  for (std::thread& other : others) other.join();

  EXPECT_EQ(store.version(), kAll);
  std::map<ObjectName, ObjectPtr> state;
  for (const ObjectPtr& object : store.List(kPods, {}).objects) state[object->key] = object;
  for (const auto& watcher : watchers) EXPECT_EQ(watcher->state(), state);
  // The watchers have read the last version, so every callback has been called or is running.
  while (visible != 0) std::this_thread::yield();
}

TEST(ThreadsTest, InMemory) {
  const auto store = OpenStore(nullptr, kAll);
  RunEverythingAtOnce(*store);
}

TEST(ThreadsTest, WithAJournal) {
  const TemporaryDirectory directory;
  // Few versions are reserved at a time, so that writers wait for reservations.
  const auto store = OpenStore(std::move(*OpenSqliteJournal(directory.path(), 64)), kAll);
  RunEverythingAtOnce(*store);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::store
